/** Requests and responses (docs.convex.dev/functions/http-actions#limits). */
export const MAX_HTTP_BODY_BYTES = 20 * 1024 * 1024;

/** Fails the stream past `limit` bytes. `ended` is called once, however it ends. */
export function limitedStream(
  stream: ReadableStream<Uint8Array>,
  limit: number,
  ended: () => void = () => undefined,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  let remaining = limit;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          controller.close();
          ended();
          return;
        }
        remaining -= value.byteLength;
        if (remaining < 0) throw new Error(`The body is larger than ${limit / (1024 * 1024)} MiB.`);
        controller.enqueue(value);
      } catch (error) {
        controller.error(error);
        ended();
        await reader.cancel(error).catch(() => undefined);
      }
    },
    async cancel(reason) {
      ended();
      await reader.cancel(reason);
    },
  });
}
