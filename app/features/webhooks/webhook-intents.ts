import type { FunctionReturnType } from "convex/server";
import { intent, type IntentName } from "~/lib/forms/intents";
import { api } from "#convex/_generated/api";

export type ManagedWebhook = FunctionReturnType<typeof api.webhooks.list>[number];

/** Field names cannot contain dots, so `field` names the checkbox. */
export const WEBHOOK_EVENTS: { event: ManagedWebhook["events"][number]; field: string; label: string }[] = [
  { event: "image.created", field: "image", label: "New image" },
  { event: "comment.created", field: "comment", label: "New comment" },
  { event: "status.changed", field: "status", label: "Changed review status" },
];

export const webhookIntents = {
  removeWebhook: intent({
    mutation: api.webhooks.remove,
    fields: ["projectId", "webhookId"],
    args: ({ projectId, webhookId }) => ({ projectId, webhookId }),
    optimistic(store, { projectId, webhookId }) {
      const webhooks = store.getQuery(api.webhooks.list, { projectId });
      if (webhooks)
        store.setQuery(
          api.webhooks.list,
          { projectId },
          webhooks.filter(({ _id }) => _id !== webhookId),
        );
    },
    message: { text: "Webhook deleted" },
  }),
  testWebhook: intent({
    mutation: api.webhooks.sendTest,
    fields: ["projectId", "webhookId"],
    args: ({ projectId, webhookId }) => ({ projectId, webhookId }),
    message: { text: "Test sent" },
  }),
};

/** Runs on the app server only, which generates the key (`create-webhook.server.ts`). */
export const CREATE_WEBHOOK: IntentName = "createWebhook";

declare module "~/lib/forms/intents" {
  interface IntentTables {
    webhooks: typeof webhookIntents & Record<"createWebhook", unknown>;
  }
}
