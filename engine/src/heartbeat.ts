/** The parent process detects a hanging deployment by missing messages. */
const EVERY_MS = 2_000;
/** Functions are stopped sooner, and other long work reports progress. */
const SILENT_MS = 30_000;

export type HeartbeatOptions = {
  silentMs: () => number;
  send: () => unknown;
  report: (line: string) => void;
};

export function startHeartbeat({ silentMs, send, report }: HeartbeatOptions): () => void {
  let isSilent = false;
  const timer = setInterval(() => {
    const wasSilent = isSilent;
    isSilent = silentMs() >= SILENT_MS;
    if (!isSilent) send();
    else if (!wasSilent) report(`The transactor thread has made no progress for ${SILENT_MS / 1_000} s.`);
  }, EVERY_MS).unref();
  return () => clearInterval(timer);
}
