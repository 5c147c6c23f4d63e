import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import type { Target } from "../deployment/push.ts";
import { callForPages, callFunction, pageSchema } from "./admin-calls.ts";
import { MoveError } from "./move-error.ts";

const PAUSE_MS = 200;
const LIMIT_MS = 60_000;

const pausedSchema = pageSchema.extend({ paused: z.number(), running: z.number() });

/** Stores all scheduled functions as rows, which exports contain, and waits until none runs. */
export async function pauseJobs(source: Target): Promise<void> {
  const deadline = Date.now() + LIMIT_MS;
  while (!(await isQuiet(source))) {
    if (Date.now() > deadline) throw new MoveError("Scheduled functions still run after a minute. Run the command again later.");
    await sleep(PAUSE_MS);
  }
  for await (const _ of callForPages(source, "moving:forgetCalls", pageSchema));
}

export async function isQuiet(source: Target): Promise<boolean> {
  let found = 0;
  for await (const { paused, running } of callForPages(source, "moving:pauseJobs", pausedSchema)) found += paused + running;
  return found === 0;
}

/** Schedules the paused jobs again. `isMoved` is false if they stay in the source. */
export async function resumeJobs(deployment: Target, isMoved: boolean): Promise<void> {
  while ((await callFunction(deployment, "moving:resumeJobs", { isMoved })) === true);
}
