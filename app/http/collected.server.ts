import { Writable } from "node:stream";

/** How much may wait for a reader that is slower than React, in bytes: a usual page as a whole. */
const WAITING_BYTES = 512 * 1024;

/**
 * A body for a response, and what React writes it into. React writes in pieces of 2 KiB, corked for as long as it has something to write;
 * all that it wrote in one go is passed on as one piece, since each on its way through streams, compression and socket costs as much as any other.
 */
export function collected(): { body: ReadableStream<Uint8Array>; into: Writable } {
  const { promise: cancelled, resolve: cancel } = Promise.withResolvers<undefined>();
  let reader: ReadableStreamDefaultController<Uint8Array>;
  /** To be called when the reader has room for more. */
  let goOn = () => {};
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => void (reader = controller),
    pull: () => goOn(),
    cancel: () => cancel(undefined),
  });
  const pass = (chunk: Uint8Array, done: () => void) => {
    goOn = () => {
      goOn = () => {};
      done();
    };
    reader.enqueue(chunk);
  };
  const into = new Writable({
    highWaterMark: WAITING_BYTES,
    write: (chunk: Buffer, _, done) => pass(chunk, done),
    writev: (chunks, done) => pass(Buffer.concat(chunks.map(({ chunk }) => chunk)), done),
    final(done) {
      reader.close();
      done();
    },
    destroy(error, done) {
      if (error) reader.error(error);
      done(error);
    },
  });
  void cancelled.then(() => into.destroy());
  return { body, into };
}
