import { randomUUID } from "node:crypto";
import type { AppConfig } from "~/config";
import { type QueueWorker, startQueueWorker } from "~/features/accounts/session/convex/queue-worker.server";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import type { Network } from "~/lib/http/fetch/public-fetch.server";
import { log } from "~/lib/http/telemetry/log.server";
import { api } from "#convex/_generated/api";
import { type Delivery, deliver } from "./deliver.server";

/** Longer than a delivery takes, with its redirects. */
const LEASE_MS = 30_000;
/** Deliveries at once per app server. The deployment limits those of one webhook and of one person. */
const CONCURRENT = 50;
/** Pauses after failures, in ms. After the last one, the delivery fails. */
const PAUSES = [10_000, 60_000, 600_000, 3_600_000, 21_600_000];

export function startWebhookWorker(config: AppConfig, network?: Network): Pick<QueueWorker, "close"> {
  const deployment = serviceConvex(config);
  const running = new Map<Promise<void>, Pick<Delivery, "owner" | "webhookId">>();
  let after: string | null = null;
  const worker = startQueueWorker(config, { name: "webhook queue", due: api.webhooks.due, drain });

  /** Starts deliveries without waiting for them, so that a slow receiver delays no other. Visits each owner of waiting deliveries once. */
  async function drain(signal: AbortSignal): Promise<void> {
    let isFromStart = after === null;
    while (running.size < CONCURRENT && !signal.aborted) {
      const lease = randomUUID();
      const limit = CONCURRENT - running.size;
      const args = { lease, leaseMs: LEASE_MS, limit, after, running: [...running.values()] };
      const claimed = await deployment.mutation(api.webhooks.claimDue, args, NOW);
      for (const delivery of claimed.deliveries) start(delivery, lease);
      after = claimed.after;
      if (after !== null) continue;
      if (isFromStart) return;
      isFromStart = true;
    }
  }

  function start(delivery: Delivery, lease: string): void {
    const sending = send(delivery, lease)
      .catch((error: unknown) => log.error({ error }, "a webhook's delivery could not be recorded"))
      .finally(() => {
        running.delete(sending);
        worker.wake();
      });
    running.set(sending, { owner: delivery.owner, webhookId: delivery.webhookId });
  }

  async function send(delivery: Delivery, lease: string): Promise<void> {
    const { id, attempts } = delivery;
    const outcome = await deliver(config, delivery, network);
    const pause = outcome.problem === undefined ? undefined : PAUSES[attempts - 1];
    if (pause === undefined) await deployment.mutation(api.webhooks.finish, { id, lease, ...outcome }, NOW);
    else await deployment.mutation(api.webhooks.postpone, { id, lease, dueAt: Date.now() + pause, ...outcome }, NOW);
  }

  return {
    async close() {
      await worker.close();
      await Promise.all(running.keys());
    },
  };
}

const NOW = { skipQueue: true };
