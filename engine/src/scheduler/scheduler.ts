import type { Jobs } from "../functions/runner.ts";
import type { FunctionRunner } from "../functions/types.ts";
import { parseFunctionPath, showFunctionPath, type FunctionPath } from "../functions/paths.ts";
import type { Identity, Json } from "../values/types.ts";
import { nextRun, type Cron } from "./crons.ts";
import type { Job, JobEnd } from "./jobs.ts";

type SchedulerRunner = FunctionRunner & { jobs: Jobs };

const AT_ONCE = 16;
/** Timers have a maximum, and the clock may change. */
const LONGEST_WAIT_MS = 60_000;
/** docs.convex.dev/scheduling/scheduled-functions#retrieving-scheduled-function-status */
const KEPT_MS = 7 * 24 * 60 * 60 * 1_000;
const CLEAN_EVERY_MS = 10 * 60 * 1_000;
const CLEANED_AT_ONCE = 200;
const RETRY_MS = 1_000;

const anonymous: Identity = { kind: "none" };

const GRACE_MS = 5_000;

export async function startScheduler(
  runner: SchedulerRunner,
  now: () => number = Date.now,
  atOnce: number = AT_ONCE,
): Promise<{ stop(): Promise<void> }> {
  while ((await runner.jobs.request("recoverJobs", null)) > 0);
  const scheduler = new Scheduler(runner, now, atOnce);
  scheduler.checkDue();
  return scheduler;
}

class Scheduler {
  readonly #runner: SchedulerRunner;
  readonly #now: () => number;
  readonly #atOnce: number;
  readonly #stopListening: () => void;
  readonly #jobs = new Map<string, Promise<void>>();
  readonly #crons = new Map<string, Promise<void>>();
  readonly #cleaning: NodeJS.Timeout;
  #timer: NodeJS.Timeout | undefined;
  #checking = false;
  #checkAgain = false;
  #closed = false;

  constructor(runner: SchedulerRunner, now: () => number, atOnce: number) {
    this.#runner = runner;
    this.#now = now;
    this.#atOnce = atOnce;
    this.#stopListening = runner.jobs.onChange(() => this.checkDue());
    this.#cleaning = setInterval(() => void this.#clean().catch(() => undefined), CLEAN_EVERY_MS);
    this.#cleaning.unref();
    void this.#clean().catch(() => undefined);
  }

  checkDue(): void {
    if (this.#closed) return;
    if (this.#checking) {
      this.#checkAgain = true;
      return;
    }
    this.#checking = true;
    this.#checkAgain = false;
    clearTimeout(this.#timer);
    this.#startDue().then(
      (due) => this.#wait(due),
      () => this.#wait(this.#now() + RETRY_MS),
    );
  }

  async stop(): Promise<void> {
    this.#closed = true;
    this.#stopListening();
    clearTimeout(this.#timer);
    clearInterval(this.#cleaning);
    const grace = Promise.withResolvers<void>();
    const timer = setTimeout(grace.resolve, GRACE_MS);
    await Promise.race([grace.promise, Promise.allSettled([...this.#jobs.values(), ...this.#crons.values()])]);
    clearTimeout(timer);
  }

  #wait(next: number | null): void {
    this.#checking = false;
    if (this.#closed) return;
    if (this.#checkAgain) return this.checkDue();
    const wait = next === null ? LONGEST_WAIT_MS : Math.min(LONGEST_WAIT_MS, Math.max(0, next - this.#now()));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.checkDue(), wait);
    this.#timer.unref();
  }

  async #startDue(): Promise<number | null> {
    const nextCron = await this.#startCrons();
    const free = this.#atOnce - this.#jobs.size;
    if (free <= 0) return nextCron;
    const { due, next } = await this.#runner.jobs.request("dueJobs", { now: this.#now(), limit: this.#atOnce + free });
    const startable = due.filter(({ id }) => !this.#jobs.has(id));
    for (const job of startable.slice(0, free)) this.#start(this.#jobs, job.id, this.#runJob(job));
    return earliest(nextCron, startable.length > free ? null : next);
  }

  #start(running: Map<string, Promise<void>>, name: string, work: Promise<void>): void {
    const done = work
      .catch(
        () =>
          new Promise<void>((resolve) => {
            setTimeout(resolve, RETRY_MS).unref();
          }),
      )
      .finally(() => {
        running.delete(name);
        this.checkDue();
      });
    running.set(name, done);
  }

  async #runJob(job: Job): Promise<void> {
    const { jobs } = this.#runner;
    const { component } = job.path;
    const kind = await jobs.request("kindOf", { path: showFunctionPath(job.path), component, visibility: "any" });
    if (kind !== "action") {
      const run = await jobs.runMutation("runJob", { id: job.id });
      if (run) jobs.log(run);
      return;
    }
    const started = await jobs.request("startJob", { id: job.id });
    if (started) await jobs.request("finishJob", { id: job.id, end: await this.#runAction(job.path, job.args, job.id) });
  }

  async #runAction(path: FunctionPath, args: Json, jobId: string | null): Promise<JobEnd> {
    const { component } = path;
    const call = { path: showFunctionPath(path), component, args, identity: anonymous, visibility: "any" } as const;
    const outcome = await this.#runner.jobs.runAction(call, jobId);
    return outcome.ok ? { kind: "success" } : { kind: "failed", error: outcome.message };
  }

  async #startCrons(): Promise<number | null> {
    const now = this.#now();
    let next: number | null = null;
    for (const cron of await this.#runner.jobs.request("crons", null)) {
      const key = JSON.stringify([cron.component, cron.name]);
      if (this.#crons.has(key)) continue;
      if (cron.next > now) next = earliest(next, cron.next);
      else this.#start(this.#crons, key, this.#runCron(cron, now));
    }
    return next;
  }

  async #runCron(cron: Cron, now: number): Promise<void> {
    const { jobs } = this.#runner;
    const { component, name, next: due } = cron;
    const move = { component, name, due, next: nextRun(name, cron.schedule, due, now) };
    if (cron.type === "action") {
      if (await jobs.request("moveCron", move)) await this.#runAction(parseFunctionPath(cron.path, component), cron.args, null);
      return;
    }
    const run = await jobs.runMutation("runCron", move);
    if (run) jobs.log(run);
  }

  async #clean(): Promise<void> {
    const { request } = this.#runner.jobs;
    while (!this.#closed && (await request("cleanJobs", { before: this.#now() - KEPT_MS, limit: CLEANED_AT_ONCE })) >= CLEANED_AT_ONCE);
  }
}

const earliest = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : Math.min(a, b));
