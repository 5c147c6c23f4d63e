import { randomUUID } from "node:crypto";
import { ConvexClient } from "convex/browser";
import type { FunctionReturnType } from "convex/server";
import type { AppConfig } from "~/config";
import { log } from "~/http/log.server";
import { api } from "#convex/_generated/api";
import { serviceConvex } from "../service.server";
import { signServiceToken } from "../tokens.server";
import { letterOf, type Message } from "./messages";
import { open } from "./seal.server";
import { mailOf } from "./template";
import { faultName, isRefusedForGood, type Transport } from "./transport.server";

type Claimed = FunctionReturnType<typeof api.accounts.mail.claim>[number];

/** How long a claimed message is ours: longer than the mail server may take for a batch. */
const LEASE_MS = 120_000;
const BATCH = 3;
/** How long to wait after each failure, in ms; the last again and again, until the message expires. */
const PAUSES = [5000, 30_000, 120_000, 600_000];
/** How long to wait when the deployment itself does not answer, in ms. */
const DEPLOYMENT_PAUSE = 5000;
/** When to look again where something seems due still after a look, in ms: two clocks differ, or the news of it is on its way. */
const SECOND_LOOK = 1000;
/** setTimeout's longest. */
const LONGEST_WAIT = 2 ** 31 - 1;

export type MailWorker = {
  /** Stops claiming, and waits for the message that is being sent. */
  close(): Promise<void>;
};

/**
 * Sends what is in the queue. It subscribes to when the next message is due, so that one is on its way milliseconds after it was written, and an
 * idle queue asks nothing. Any number of app servers can do so at once: each message is claimed by one.
 */
export function startMailWorker(config: AppConfig, transport: Transport): MailWorker {
  const deployment = serviceConvex(config);
  const client = new ConvexClient(config.convexUrl, { skipConvexDeploymentUrlCheck: true, logger: false, expectAuth: true });
  let dueAt: number | null = null;
  /** Whether something was written since the last look. */
  let news = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;
  const over = new AbortController();

  client.setAuth(() => signServiceToken(config.signingKey));
  client.onUpdate(
    api.accounts.mail.due,
    {},
    (next) => {
      dueAt = next;
      news = true;
      arm(0);
    },
    // The subscription goes on: what failed is asked again when the deployment is back.
    (error) => log.error({ fault: faultName(error) }, "the mail queue cannot be read"),
  );

  function arm(atLeast: number) {
    clearTimeout(timer);
    if (over.signal.aborted || running || dueAt === null) return;
    timer = setTimeout(run, Math.min(Math.max(dueAt - Date.now(), atLeast), LONGEST_WAIT));
  }

  function run() {
    news = false;
    running = look().then((pause) => {
      running = null;
      arm(pause);
    });
  }

  /** Answers how long to wait at least before the next look. */
  async function look(): Promise<number> {
    try {
      await drain();
      return news ? 0 : SECOND_LOOK;
    } catch (error) {
      log.error({ fault: faultName(error) }, "the mail queue does not answer");
      return DEPLOYMENT_PAUSE;
    }
  }

  async function drain(): Promise<void> {
    for (let more = true; more && !over.signal.aborted;) {
      const lease = randomUUID();
      const claimed = await deployment.mutation(api.accounts.mail.claim, { lease, leaseMs: LEASE_MS, limit: BATCH }, NOW);
      await Promise.all(claimed.map((each) => sendOne(each, lease)));
      more = claimed.length === BATCH;
    }
  }

  async function sendOne({ id, attempts, content }: Claimed, lease: string): Promise<void> {
    const fault = await attempt(id, content);
    const hopeless = fault !== null && isRefusedForGood(fault.error);
    if (fault === null || hopeless) await deployment.mutation(api.accounts.mail.done, { id, lease }, NOW);
    else {
      const pause = PAUSES[Math.min(attempts, PAUSES.length) - 1] ?? 0;
      await deployment.mutation(api.accounts.mail.postpone, { id, lease, dueAt: Date.now() + pause }, NOW);
    }
    if (fault) log.error({ attempts, hopeless, fault: faultName(fault.error) }, "a mail could not be sent");
  }

  async function attempt(id: string, content: Claimed["content"]): Promise<{ error: unknown } | null> {
    try {
      const message = messageOf(config, content);
      if (message) await transport.send(mailOf(letterOf(message)), id);
      return null;
    } catch (error) {
      return { error };
    }
  }

  return {
    async close() {
      over.abort();
      clearTimeout(timer);
      await Promise.all([running, client.close()]);
      transport.close();
    },
  };
}

/** Requests of many visitors share the client: none of them waits for another's write. */
const NOW = { skipQueue: true };

/** The message of a row of the queue; null: it is to nobody. */
export function messageOf(config: AppConfig, content: Claimed["content"]): Message | null {
  if ("sealed" in content) return open(config, content.sealed);
  return { kind: "notice", ...content, url: `${config.publicUrl}/notifications` };
}
