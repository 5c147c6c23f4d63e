import { Duplex, type Writable } from "node:stream";
import { createReadableStreamFromReadable } from "@react-router/node";

const WAITING_BYTES = 512 * 1024;

/** Combines React's 2 KiB writes into one chunk, because each chunk has a fixed cost in streams, compression and socket. */
export function collectChunks(): { body: ReadableStream<Uint8Array>; into: Writable } {
  let resume = () => {};
  const pass = (chunk: Uint8Array, done: () => void) => {
    if (into.push(chunk)) done();
    else resume = done;
  };
  const into = new Duplex({
    writableHighWaterMark: WAITING_BYTES,
    write: (chunk: Buffer, _, done) => pass(chunk, done),
    writev: (chunks, done) => pass(Buffer.concat(chunks.map(({ chunk }) => chunk)), done),
    read() {
      const next = resume;
      resume = () => {};
      next();
    },
    final(done) {
      into.push(null);
      done();
    },
  });
  return { body: createReadableStreamFromReadable(into), into };
}
