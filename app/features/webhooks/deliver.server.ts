import type { FunctionReturnType } from "convex/server";
import { href } from "react-router";
import { Webhook } from "standardwebhooks";
import type { AppConfig } from "~/config";
import { type Network, postPublic } from "~/lib/http/fetch/public-fetch.server";
import type { api } from "#convex/_generated/api";
import { openWebhookSecret } from "./webhook-secret.server";

export type Delivery = FunctionReturnType<typeof api.webhooks.claimDue>["deliveries"][number];

export type Outcome = { status?: number; problem?: string };

const TIMEOUT_MS = 5000;

/** Sends a delivery, signed as Standard Webhooks describes. Never throws. */
export async function deliver(config: AppConfig, delivery: Delivery, network?: Network): Promise<Outcome> {
  try {
    const body = JSON.stringify(bodyOf(config, delivery));
    const sentAt = new Date();
    const signature = new Webhook(openWebhookSecret(config, delivery.sealedSecret)).sign(delivery.id, sentAt, body);
    const headers = {
      "Content-Type": "application/json",
      "User-Agent": "Atelier",
      "Webhook-Id": delivery.id,
      "Webhook-Timestamp": String(Math.floor(sentAt.getTime() / 1000)),
      "Webhook-Signature": signature,
    };
    const status = await postPublic(delivery.url, { body, headers, timeoutMs: TIMEOUT_MS }, network);
    return status >= 200 && status < 300 ? { status } : { status, problem: `The server responded with ${status}.` };
  } catch (error) {
    return { problem: problemOf(error) };
  }
}

/** Returns ids and addresses only, so that a receiver without access learns nothing else. */
function bodyOf({ publicUrl }: AppConfig, { event, createdAt, projectId, items, comment, newStatus }: Delivery) {
  const shown = items.map(({ designId: id, imageId }) =>
    imageId === undefined
      ? { type: "design", id, url: publicUrl + href("/design/:id", { id }) }
      : { type: "image", id: imageId, designId: id, url: publicUrl + href("/design/:id/images/:imageId", { id, imageId }) },
  );
  const about = { ...(comment && { comment }), ...(newStatus !== undefined && { status: newStatus }) };
  return { type: event, timestamp: new Date(createdAt).toISOString(), data: { projectId, items: shown, ...about } };
}

function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return "The request failed.";
  if (error.name === "TimeoutError" || error.name === "AbortError") return "The server did not respond within 5 s.";
  return "code" in error && typeof error.code === "string" ? `The connection failed (${error.code}).` : error.message;
}
