export async function* splitIntoParts(
  content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  bytes: number,
): AsyncGenerator<Buffer<ArrayBuffer>, undefined, undefined> {
  let part = Buffer.allocUnsafe(bytes);
  let filled = 0;
  for await (const chunk of content) {
    for (let taken = 0; taken < chunk.length;) {
      const piece = chunk.subarray(taken, taken + bytes - filled);
      part.set(piece, filled);
      filled += piece.length;
      taken += piece.length;
      if (filled < bytes) continue;
      yield part;
      part = Buffer.allocUnsafe(bytes);
      filled = 0;
    }
  }
  if (filled > 0) yield part.subarray(0, filled);
}
