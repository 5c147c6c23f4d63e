import { IntentForm, useIntentForm } from "~/lib/forms/intent-form";
import type { IntentName } from "~/lib/forms/intents";
import { count } from "~/lib/ui/count";
import { Button } from "~/lib/ui/inputs/button";
import { isolate } from "~/lib/ui/isolate";
import { RelativeTime } from "~/lib/ui/time/relative-time";
import { type ManagedWebhook, WEBHOOK_EVENTS } from "./webhook-intents";

type WebhookListProps = { projectId: string; webhooks: ManagedWebhook[] };

export function WebhookList({ projectId, webhooks }: WebhookListProps) {
  if (webhooks.length === 0) return <p className="text-soft">This project has no webhooks.</p>;
  return (
    <ul aria-label="Webhooks" className="grid gap-px overflow-hidden rounded-lg border bg-line">
      {webhooks.map((webhook) => (
        <li key={webhook._id} className="grid gap-3 bg-card px-4 py-3">
          <WebhookRow projectId={projectId} webhook={webhook} />
        </li>
      ))}
    </ul>
  );
}

function WebhookRow({ projectId, webhook: { _id, url, events, deliveries } }: { projectId: string; webhook: ManagedWebhook }) {
  const remove = useIntentForm({ id: `delete-${_id}`, intent: "removeWebhook" satisfies IntentName });
  const test = useIntentForm({ id: `test-${_id}`, intent: "testWebhook" satisfies IntentName });
  const hidden = { projectId, webhookId: _id };
  const name = <span className="sr-only"> to {isolate(url)}</span>;
  return (
    <>
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2">
        <div className="grid min-w-0 gap-0.5">
          <h3 className="font-medium wrap-anywhere">
            <bdi>{url}</bdi>
          </h3>
          <p className="text-sm text-faint">
            {WEBHOOK_EVENTS.filter(({ event }) => events.includes(event))
              .map(({ label }) => label)
              .join(", ")}
          </p>
        </div>
        <div className="flex gap-2">
          <IntentForm state={test} hidden={hidden}>
            <Button type="submit" variant="ghost">
              Send test{name}
            </Button>
          </IntentForm>
          <IntentForm state={remove} hidden={hidden}>
            <Button type="submit" variant="ghost">
              Delete{name}
            </Button>
          </IntentForm>
        </div>
      </div>
      {deliveries.length > 0 ? (
        <details>
          <summary className="w-fit cursor-pointer py-1 text-sm text-soft pointer-coarse:py-3.5">{deliveryText(deliveries[0])}</summary>
          <ol aria-label="Deliveries" className="grid gap-2 pt-2 text-sm">
            {deliveries.map((delivery) => (
              <li key={delivery._id} className="grid gap-0.5">
                <span>
                  {eventLabel(delivery.event)}, <RelativeTime at={delivery.createdAt} />: {deliveryText(delivery)}
                </span>
                {delivery.problem === null ? null : <span className="wrap-anywhere text-faint">{delivery.problem}</span>}
              </li>
            ))}
          </ol>
        </details>
      ) : null}
    </>
  );
}

type Delivery = ManagedWebhook["deliveries"][number];

const eventLabel = (event: Delivery["event"]): string => WEBHOOK_EVENTS.find((each) => each.event === event)?.label ?? "Test";

function deliveryText(delivery: Delivery | undefined): string {
  if (!delivery) return "";
  const { state, attempts, status } = delivery;
  if (state === "delivered") return `Delivered (${status ?? 200})`;
  const after = attempts === 0 ? "" : ` after ${count(attempts, "attempt")}`;
  return state === "failed" ? `Failed${after}` : `Queued${after}`;
}
