import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { nextMatch, parseCronExpression } from "@atelier/engine/cron-expression";
import type { Log } from "../logging/log.ts";
import { timeOfBackup } from "./backup-records.ts";
import { type BackupStatus, isDue, isOverdue, isProven, readStatus } from "./backup-status.ts";
import { openTarget } from "./targets/open-target.ts";
import type { BackupSettings } from "./run-backup.ts";
import type { WorkerMessage } from "./worker.ts";

const WORKER = fileURLToPath(new URL("./worker.ts", import.meta.url));
const FIRST_DELAY_MS = 5000;
/** Limits each wait, because the clock may change during it. */
const LONGEST_WAIT_MS = 60_000;
/** A failure may pass, and a backup after a failed test stores damaged objects again. */
const RETRY_MS = 30 * 60_000;
const WARN_EVERY_MS = 60 * 60_000;
const SHOWN_PROBLEMS = 20;

export type Backups = {
  /** Returns a text without names of files, because anyone can read /readyz. */
  warning(): string | null;
  /** Returns the seconds since the newest backup that passed its test; infinite without one. */
  ageSeconds(): number;
  isProven(): boolean;
  close(): Promise<void>;
};

export type ScheduleOptions = {
  settings: BackupSettings;
  log: Log;
  onOutcome?: (outcome: { name: string | null; isProven: boolean }) => void;
  onState?: (warning: string | null) => void;
  run?: (signal: AbortSignal) => Promise<WorkerMessage>;
  firstDelayMs?: number;
};

/** Takes a backup at each time of the schedule, and soon when the last one is missing, interrupted, failed or late. */
export function scheduleBackups(options: ScheduleOptions): Backups {
  const { settings, log, onOutcome, onState, run = runWorker, firstDelayMs = FIRST_DELAY_MS } = options;
  const { schedule } = settings;
  const expression = parseCronExpression(schedule);
  const stopping = new AbortController();
  const { signal } = stopping;
  let status: BackupStatus | null = null;
  let hasFailed = false;

  async function refresh(): Promise<void> {
    try {
      status = await readStatus(openTarget(settings, ""));
    } catch (error) {
      hasFailed = true;
      log.error({ error }, "the backups cannot be read");
    }
  }

  async function loop(): Promise<void> {
    await refresh();
    const isLate = status === null || isDue(schedule, status, Date.now());
    let next = isLate ? Date.now() + firstDelayMs : nextMatch(expression, Date.now());
    while (!signal.aborted) {
      while (!signal.aborted && Date.now() < next)
        await sleep(Math.min(next - Date.now(), LONGEST_WAIT_MS), undefined, { ref: false, signal }).catch(() => undefined);
      if (signal.aborted) return;
      const outcome = await run(signal);
      if (signal.aborted) return;
      report(outcome);
      onOutcome?.(
        "failure" in outcome ? { name: null, isProven: false } : { name: outcome.run.name, isProven: outcome.run.problems.length === 0 },
      );
      await refresh();
      onState?.(warning());
      next = nextMatch(expression, Date.now());
      if (warning() !== null) next = Math.min(next, Date.now() + RETRY_MS);
    }
  }

  function report(outcome: WorkerMessage): void {
    hasFailed = "failure" in outcome;
    if ("failure" in outcome) return log.error({ reason: outcome.failure }, "no backup was taken");
    const { name: backup, problems, removalProblem, ...figures } = outcome.run;
    if (removalProblem !== undefined) log.error({ reason: removalProblem }, "old backups were not removed");
    if (problems.length === 0) return log.info({ backup, ...figures }, "a backup was taken, restored and compared");
    log.error(
      { backup, problems: problems.slice(0, SHOWN_PROBLEMS), count: problems.length },
      "a backup failed its test: it may not be complete when it is needed",
    );
  }

  function warning(): string | null {
    if (hasFailed) return "the last backup failed";
    if (status === null) return null;
    const { newest, newestProven } = status;
    if (newest === null) return "there is no backup yet";
    if (newest.proof !== null && !isProven(newest.proof)) return "the last backup failed its test";
    if (newestProven === null) return "no backup was tested yet";
    return isOverdue(schedule, newestProven, Date.now()) ? "the last tested backup is older than twice the schedule" : null;
  }

  const looping = loop();
  const watch = setInterval(() => {
    const text = warning();
    if (text !== null) log.warn(text);
    onState?.(text);
  }, WARN_EVERY_MS).unref();

  return {
    warning,
    ageSeconds: () => (status?.newestProven ? (Date.now() - timeOfBackup(status.newestProven).getTime()) / 1000 : Infinity),
    isProven: () => !hasFailed && isProven(status?.newest?.proof ?? null),
    async close() {
      stopping.abort();
      clearInterval(watch);
      await looping;
    },
  };
}

const TAIL_BYTES = 2000;

/** Runs a backup in a process that can be killed at any moment, because the next backup continues an interrupted one. */
async function runWorker(signal: AbortSignal): Promise<WorkerMessage> {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", WORKER], { stdio: ["ignore", "ignore", "pipe", "ipc"] });
  const kill = () => child.kill();
  signal.addEventListener("abort", kill, { once: true });
  let [tail, outcome]: [string, WorkerMessage | null] = ["", null];
  child.stderr?.on("data", (chunk: Buffer) => (tail = `${tail}${chunk.toString()}`.slice(-TAIL_BYTES)));
  child.on("message", (message: WorkerMessage) => (outcome = message));
  const [code, killedBy]: (number | string | null)[] = await once(child, "close");
  signal.removeEventListener("abort", kill);
  return outcome ?? { failure: `the process of the backup ended with ${killedBy ?? code}\n${tail}`.trimEnd() };
}
