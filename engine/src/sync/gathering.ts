import type { Duplex } from "node:stream";

/** Corks a socket until the next transitions are written, so that they share a packet with answers: sending is half of the cost. */
export function corkSocket(socket: Duplex): () => void {
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
