import type { Duplex } from "node:stream";

/** Corks a socket until the next transitions are written, so that they share a packet with answers. Sending is half of the cost. */
export function corkSocket(socket: Duplex): () => void {
  let isWaiting = false;
  const release = () => {
    isWaiting = false;
    socket.uncork();
  };
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    socket.cork();
    setImmediate(() => setImmediate(release));
  };
}
