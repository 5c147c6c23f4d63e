/** Returns the body, or null above `limit` bytes, declared or received. */
export async function readBody(request: Request, limit: number): Promise<Uint8Array<ArrayBuffer> | null> {
  if (Number(request.headers.get("Content-Length") ?? 0) > limit) return null;
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = request.body?.getReader();
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    length += next.value.byteLength;
    if (length > limit) {
      void reader?.cancel().catch(() => {});
      return null;
    }
    chunks.push(next.value);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
