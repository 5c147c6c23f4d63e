import type { Duplex } from "node:stream";

/**
 * Gathers what is written to a socket from now on until the transitions that follow have been written, too: a mutation's answer and the
 * transition after it leave in one packet, and so do the answers of one batch. Half of the work of answering is handing packets over.
 */
export function gathering(socket: Duplex): () => void {
  let held = false;
  const release = () => {
    held = false;
    socket.uncork();
  };
  return () => {
    if (held) return;
    held = true;
    socket.cork();
    // A round of live queries begins with the next immediate.
    setImmediate(() => setImmediate(release));
  };
}
