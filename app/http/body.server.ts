/**
 * A request's body as a whole; null: it has more than `limit` bytes, and is read no further. What it declares counts (Content-Length), and where
 * it declares nothing, as a chunked body does, what comes.
 */
export async function bodyOf(request: Request, limit: number): Promise<Uint8Array<ArrayBuffer> | null> {
  if (Number(request.headers.get("Content-Length") ?? 0) > limit) return null;
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = request.body?.getReader();
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    length += next.value.byteLength;
    if (length > limit) {
      // Nobody waits for its end: the line may go on for ever.
      void reader?.cancel().catch(() => {});
      return null;
    }
    chunks.push(next.value);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
