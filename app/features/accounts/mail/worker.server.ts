import { randomUUID } from "node:crypto";
import type { FunctionReturnType } from "convex/server";
import type { AppConfig } from "~/config";
import { log } from "~/lib/http/telemetry/log.server";
import { api } from "#convex/_generated/api";
import { type QueueWorker, startQueueWorker } from "../session/convex/queue-worker.server";
import { serviceConvex } from "../session/convex/service-client.server";
import { unsubscribeAddress } from "~/features/notifications/unsubscribe.server";
import { mailContentOf, type Message } from "./messages";
import { subscriptionIn } from "./notification-content";
import { openMessage } from "./seal.server";
import { renderMail } from "./template";
import { errorName, isPermanentRejection, type Transport } from "./transport.server";

type Claimed = FunctionReturnType<typeof api.accounts.mail.claimAll>[number];

/** `kind` is null for a message without a recipient, or one that cannot be read. */
type Attempt = { kind: Message["kind"] | null; fault: { error: unknown } | null };

const LEASE_MS = 120_000;
const BATCH = 3;
/** Pauses after failures, in ms. The last repeats until the message expires. */
const PAUSES = [5000, 30_000, 120_000, 600_000];

export type MailWorker = Pick<QueueWorker, "close">;

export function startMailWorker(config: AppConfig, transport: Transport): MailWorker {
  const deployment = serviceConvex(config);
  const worker = startQueueWorker(config, { name: "mail queue", due: api.accounts.mail.due, drain });

  async function drain(signal: AbortSignal): Promise<void> {
    for (let more = true; more && !signal.aborted;) {
      const lease = randomUUID();
      const claimed = await deployment.mutation(api.accounts.mail.claimAll, { lease, leaseMs: LEASE_MS, limit: BATCH }, NOW);
      await Promise.all(claimed.map((each) => sendOne(each, lease)));
      more = claimed.length === BATCH;
    }
  }

  async function sendOne({ id, attempts, content }: Claimed, lease: string): Promise<void> {
    const { kind, fault } = await attempt(id, content);
    const isPermanent = fault !== null && isPermanentRejection(fault.error);
    const reason = fault && errorName(fault.error);
    const report = kind === null ? {} : { attempt: { kind, ...(reason !== null && { reason }) } };
    if (fault === null || isPermanent) await deployment.mutation(api.accounts.mail.done, { id, lease, ...report }, NOW);
    else {
      const pause = PAUSES[Math.min(attempts, PAUSES.length) - 1] ?? 0;
      await deployment.mutation(api.accounts.mail.postpone, { id, lease, dueAt: Date.now() + pause, ...report }, NOW);
    }
    if (fault) log.error({ attempts, hopeless: isPermanent, fault: reason }, "an email could not be sent");
  }

  async function attempt(id: string, content: Claimed["content"]): Promise<Attempt> {
    let kind: Attempt["kind"] = null;
    try {
      const message = messageOf(config, content);
      kind = message && message.kind;
      if (message) await transport.send(renderMail(mailContentOf(message)), id);
      return { kind, fault: null };
    } catch (error) {
      return { kind, fault: { error } };
    }
  }

  return {
    async close() {
      await worker.close();
      transport.close();
    },
  };
}

const NOW = { skipQueue: true };

export function messageOf(config: AppConfig, content: Claimed["content"]): Message | null {
  if ("sealed" in content) return openMessage(config, content.sealed);
  if ("notification" in content) return notificationMessage(config, content.notification);
  return { kind: "notice", ...content, url: `${config.publicUrl}/notifications` };
}

function notificationMessage(config: AppConfig, content: Extract<Claimed["content"], { notification: unknown }>["notification"]): Message {
  const unsubscribe = unsubscribeAddress(config, { userId: content.userId, from: subscriptionIn(content) });
  return { kind: "notification", ...content, url: config.publicUrl, unsubscribe };
}
