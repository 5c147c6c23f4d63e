import { Duplex, type Writable } from "node:stream";
import { createReadableStreamFromReadable } from "@react-router/node";

/** How much may wait for a reader that is slower than React, in bytes: a usual page as a whole. */
const WAITING_BYTES = 512 * 1024;

/**
 * A body for a response, and what React writes it into. React writes in pieces of 2 KiB, corked for as long as it has something to write;
 * all that it wrote in one go is passed on as one piece, since each on its way through streams, compression and socket costs as much as any other.
 */
export function collected(): { body: ReadableStream<Uint8Array>; into: Writable } {
  /** To be called when the reader has room for more. */
  let goOn = () => {};
  const pass = (chunk: Uint8Array, done: () => void) => {
    if (into.push(chunk)) done();
    else goOn = done;
  };
  const into = new Duplex({
    writableHighWaterMark: WAITING_BYTES,
    write: (chunk: Buffer, _, done) => pass(chunk, done),
    writev: (chunks, done) => pass(Buffer.concat(chunks.map(({ chunk }) => chunk)), done),
    read() {
      const next = goOn;
      goOn = () => {};
      next();
    },
    final(done) {
      into.push(null);
      done();
    },
  });
  return { body: createReadableStreamFromReadable(into), into };
}
