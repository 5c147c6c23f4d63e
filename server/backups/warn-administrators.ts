import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "../logging/log.ts";

const REPEAT_MS = 24 * 60 * 60_000;

type Options = {
  dataDir: string;
  mail: (problem: string | null) => Promise<void>;
  log: Pick<Log, "error">;
};

/** Emails a problem at once, daily while it lasts, and its end. A file stores the time of the last email, so that restarts repeat none. */
export function warnAdministrators({ dataDir, mail, log }: Options) {
  const path = join(dataDir, "backup-warning");
  let last: Promise<void> = Promise.resolve();

  async function update(problem: string | null): Promise<void> {
    const mailedAt = Number(await readFile(path, "utf8").catch(() => Number.NaN));
    const isKnown = !Number.isNaN(mailedAt);
    if (problem === null ? !isKnown : isKnown && Date.now() - mailedAt < REPEAT_MS) return;
    await mail(problem);
    if (problem === null) await rm(path, { force: true });
    else await writeFile(path, String(Date.now()), { mode: 0o600 });
  }

  return (problem: string | null): Promise<void> =>
    (last = last
      .then(() => update(problem))
      .catch((error: unknown) => log.error({ error }, "the administrators were not notified by email")));
}
