import { randomUUID } from "node:crypto";
import type { AppConfig } from "~/config";
import { type QueueWorker, startQueueWorker } from "~/features/accounts/session/convex/queue-worker.server";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import type { Network } from "~/lib/http/public-fetch.server";
import { api } from "#convex/_generated/api";
import { type Delivery, deliver } from "./deliver.server";

/** Longer than a delivery takes, with its redirects. */
const LEASE_MS = 30_000;
const BATCH = 5;
/** Pauses after failures, in ms. After the last one, the delivery fails. */
const PAUSES = [10_000, 60_000, 600_000, 3_600_000, 21_600_000];

export function startWebhookWorker(config: AppConfig, network?: Network): QueueWorker {
  const deployment = serviceConvex(config);

  async function drain(signal: AbortSignal): Promise<void> {
    for (let more = true; more && !signal.aborted;) {
      const lease = randomUUID();
      const claimed = await deployment.mutation(api.webhooks.claim, { lease, leaseMs: LEASE_MS, limit: BATCH }, NOW);
      await Promise.all(claimed.map((delivery) => send(delivery, lease)));
      more = claimed.length === BATCH;
    }
  }

  async function send(delivery: Delivery, lease: string): Promise<void> {
    const { id, attempts } = delivery;
    const outcome = await deliver(config, delivery, network);
    const pause = outcome.problem === undefined ? undefined : PAUSES[attempts - 1];
    if (pause === undefined) await deployment.mutation(api.webhooks.finish, { id, lease, ...outcome }, NOW);
    else await deployment.mutation(api.webhooks.postpone, { id, lease, dueAt: Date.now() + pause, ...outcome }, NOW);
  }

  return startQueueWorker(config, { name: "webhook queue", due: api.webhooks.due, drain });
}

const NOW = { skipQueue: true };
