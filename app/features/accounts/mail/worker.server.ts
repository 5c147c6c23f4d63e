import { randomUUID } from "node:crypto";
import { ConvexClient } from "convex/browser";
import type { FunctionReturnType } from "convex/server";
import type { AppConfig } from "~/config";
import { log } from "~/lib/http/telemetry/log.server";
import { api } from "#convex/_generated/api";
import { serviceConvex } from "../session/convex/service-client.server";
import { signServiceToken } from "../session/convex/tokens.server";
import { mailContentOf, type Message } from "./messages";
import { openMessage } from "./seal.server";
import { renderMail } from "./template";
import { errorName, isPermanentRejection, type Transport } from "./transport.server";

type Claimed = FunctionReturnType<typeof api.accounts.mail.claim>[number];

const LEASE_MS = 120_000;
const BATCH = 3;
/** Pauses after failures, in ms. The last repeats until the message expires. */
const PAUSES = [5000, 30_000, 120_000, 600_000];
const DEPLOYMENT_PAUSE = 5000;
/** Delay in ms before a message that is due is checked again: clocks differ, or an update has not arrived yet. */
const RECHECK_MS = 1000;
const LONGEST_WAIT = 2 ** 31 - 1;

export type MailWorker = {
  close(): Promise<void>;
};

/** Sends queued mails. A subscription to the next due time starts it without polling. Several app servers can share a queue. */
export function startMailWorker(config: AppConfig, transport: Transport): MailWorker {
  const deployment = serviceConvex(config);
  const client = new ConvexClient(config.convexUrl, { skipConvexDeploymentUrlCheck: true, logger: false, expectAuth: true });
  let dueAt: number | null = null;
  let hasNewMail = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;
  const controller = new AbortController();

  client.setAuth(() => signServiceToken(config.signingKey));
  client.onUpdate(
    api.accounts.mail.due,
    {},
    (next) => {
      dueAt = next;
      hasNewMail = true;
      scheduleRun(0);
    },
    // The subscription retries automatically.
    (error) => log.error({ fault: errorName(error) }, "the mail queue cannot be read"),
  );

  function scheduleRun(atLeast: number) {
    clearTimeout(timer);
    if (controller.signal.aborted || running || dueAt === null) return;
    timer = setTimeout(run, Math.min(Math.max(dueAt - Date.now(), atLeast), LONGEST_WAIT));
  }

  function run() {
    hasNewMail = false;
    running = checkQueue().then((pause) => {
      running = null;
      scheduleRun(pause);
    });
  }

  async function checkQueue(): Promise<number> {
    try {
      await drain();
      return hasNewMail ? 0 : RECHECK_MS;
    } catch (error) {
      log.error({ fault: errorName(error) }, "the mail queue does not respond");
      return DEPLOYMENT_PAUSE;
    }
  }

  async function drain(): Promise<void> {
    for (let more = true; more && !controller.signal.aborted;) {
      const lease = randomUUID();
      const claimed = await deployment.mutation(api.accounts.mail.claim, { lease, leaseMs: LEASE_MS, limit: BATCH }, NOW);
      await Promise.all(claimed.map((each) => sendOne(each, lease)));
      more = claimed.length === BATCH;
    }
  }

  async function sendOne({ id, attempts, content }: Claimed, lease: string): Promise<void> {
    const fault = await attempt(id, content);
    const isPermanent = fault !== null && isPermanentRejection(fault.error);
    if (fault === null || isPermanent) await deployment.mutation(api.accounts.mail.done, { id, lease }, NOW);
    else {
      const pause = PAUSES[Math.min(attempts, PAUSES.length) - 1] ?? 0;
      await deployment.mutation(api.accounts.mail.postpone, { id, lease, dueAt: Date.now() + pause }, NOW);
    }
    if (fault) log.error({ attempts, hopeless: isPermanent, fault: errorName(fault.error) }, "a mail could not be sent");
  }

  async function attempt(id: string, content: Claimed["content"]): Promise<{ error: unknown } | null> {
    try {
      const message = messageOf(config, content);
      if (message) await transport.send(renderMail(mailContentOf(message)), id);
      return null;
    } catch (error) {
      return { error };
    }
  }

  return {
    async close() {
      controller.abort();
      clearTimeout(timer);
      await Promise.all([running, client.close()]);
      transport.close();
    },
  };
}

const NOW = { skipQueue: true };

export function messageOf(config: AppConfig, content: Claimed["content"]): Message | null {
  if ("sealed" in content) return openMessage(config, content.sealed);
  return { kind: "notice", ...content, url: `${config.publicUrl}/notifications` };
}
