import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { CONFLICT_RETRIES, conflictPause, isConflict } from "~/lib/data/write-conflicts";
import { recordTime } from "./telemetry/current-request.server";
import { log } from "./telemetry/log.server";
import { metrics } from "./telemetry/metrics.server";
import { plainFetch } from "./fetch/plain-fetch.server";

/** The deployment does not respond, so whether a mutation ran is unknown. */
export class Unavailable extends Error {
  override name = "Unavailable";
}

export class DeploymentDiskFull extends Unavailable {}

class WriteConflict extends Unavailable {}

const TIMEOUT_MS = 10_000;

type Notice = { unavailable: boolean; diskFull: boolean };

const noticed = new AsyncLocalStorage<Notice>();

/** Retries write conflicts, after the deployment's own retries. A mutation with a conflict has not run. */
export const deploymentFetch: typeof fetch = async (input, init) => {
  for (let retry = 0; ; retry++) {
    try {
      return await fetchOnce(input, init);
    } catch (error) {
      if (!(error instanceof WriteConflict) || retry === CONFLICT_RETRIES) throw error;
      await sleep(conflictPause(retry));
    }
  }
};

/** Fetches from the deployment. Throws `Unavailable` except for status 560, which carries a function's error (specification 7). */
const fetchOnce: typeof fetch = async (input, init) => {
  const record = measured(input, init?.body);
  const response = await plainFetch(input, init, TIMEOUT_MS).catch((cause: unknown) => {
    record("unreachable");
    throw noticedAs(new Unavailable("The deployment cannot be reached", { cause }));
  });
  record(response.ok ? "ok" : response.status === 560 ? "refused" : String(response.status));
  if (response.status === 429 || (response.status >= 500 && response.status !== 560)) {
    const message = `The deployment answered ${response.status}: ${await response.text()}`;
    if (isConflict(message)) throw new WriteConflict(message);
    throw noticedAs(response.status === 507 ? new DeploymentDiskFull(message) : new Unavailable(message));
  }
  return response;
};

/** Reports `Unavailable` even if `run` swallows it, because Better Auth treats an unreadable session as signed out. */
export async function noticeUnavailable<Result>(run: () => Promise<Result>): Promise<{ outcome: PromiseSettledResult<Result> } & Notice> {
  const notice = { unavailable: false, diskFull: false };
  const [outcome] = await noticed.run(notice, () => Promise.allSettled([run()]));
  return { outcome, ...notice };
}

function measured(input: Parameters<typeof fetch>[0], body: unknown): (outcome: string) => void {
  const began = performance.now();
  const kind = /\/api\/(\w+)$/.exec(input instanceof Request ? input.url : input.toString())?.[1] ?? "other";
  const name = typeof body === "string" ? (/^\{"path":"([\w/:.-]{1,100})"/.exec(body)?.[1] ?? "") : "";
  return (outcome) => {
    const ms = performance.now() - began;
    metrics.deploymentCalls.observe({ kind, function: name, outcome }, ms / 1000);
    recordTime("deployment", ms);
  };
}

function noticedAs(fault: Unavailable): Unavailable {
  const notice = noticed.getStore();
  if (notice) {
    notice.unavailable = true;
    if (fault instanceof DeploymentDiskFull) notice.diskFull = true;
    log.error({ error: fault }, "the deployment was unavailable for a request");
  }
  return fault;
}
