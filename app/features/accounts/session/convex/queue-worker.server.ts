import { ConvexClient } from "convex/browser";
import type { FunctionReference } from "convex/server";
import type { AppConfig } from "~/config";
import { log } from "~/lib/http/telemetry/log.server";
import { signServiceToken } from "./tokens.server";

const RECHECK_MS = 1000;
const DEPLOYMENT_PAUSE_MS = 5000;
const LONGEST_WAIT_MS = 2 ** 31 - 1;

type Queue = {
  name: string;
  /** Returns when the next entry is due, in milliseconds since 1970; null for an empty queue. */
  due: FunctionReference<"query", "public", Record<string, never>, number | null>;
  drain: (signal: AbortSignal) => Promise<void>;
};

export type QueueWorker = {
  wake(): void;
  close(): Promise<void>;
};

/** Processes a queue of the deployment. Subscribes to the next due time instead of polling. Several app servers can share a queue. */
export function startQueueWorker(config: AppConfig, { name, due, drain }: Queue): QueueWorker {
  const client = new ConvexClient(config.convexUrl, { skipConvexDeploymentUrlCheck: true, logger: false, expectAuth: true });
  let dueAt: number | null = null;
  let hasNewEntry = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;
  const controller = new AbortController();

  client.setAuth(() => signServiceToken(config.signingKey));
  client.onUpdate(
    due,
    {},
    (next) => {
      dueAt = next;
      hasNewEntry = true;
      scheduleRun(0);
    },
    (error) => log.error({ fault: nameOf(error) }, `the ${name} cannot be read`),
  );

  function scheduleRun(atLeast: number) {
    clearTimeout(timer);
    if (controller.signal.aborted || running || dueAt === null) return;
    timer = setTimeout(run, Math.min(Math.max(dueAt - Date.now(), atLeast), LONGEST_WAIT_MS));
  }

  function run() {
    hasNewEntry = false;
    running = checkQueue().then((pause) => {
      running = null;
      scheduleRun(pause);
    });
  }

  async function checkQueue(): Promise<number> {
    try {
      await drain(controller.signal);
      return hasNewEntry ? 0 : RECHECK_MS;
    } catch (error) {
      log.error({ fault: nameOf(error) }, `the ${name} does not respond`);
      return DEPLOYMENT_PAUSE_MS;
    }
  }

  return {
    wake() {
      hasNewEntry = true;
      scheduleRun(0);
    },
    async close() {
      controller.abort();
      clearTimeout(timer);
      await Promise.all([running, client.close()]);
    },
  };
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
