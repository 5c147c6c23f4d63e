// Plain JavaScript without imports: `start.js` runs it before it has checked the Node version.

/** The parent's pid, which changes when the parent ends. */
export const startedBy = process.ppid;

/** Process 1 of a container ignores signals without a handler. Before the server runs there is nothing to finish. */
const stopEarly = () => process.exit(0);

export function installEarlyStop() {
  process.on("SIGTERM", stopEarly);
  process.on("SIGINT", stopEarly);
}

export function releaseEarlyStop() {
  process.off("SIGTERM", stopEarly);
  process.off("SIGINT", stopEarly);
}
