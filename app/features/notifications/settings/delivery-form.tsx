import type { FunctionReturnType } from "convex/server";
import { IntentForm, useIntentForm } from "~/lib/forms/intent-form";
import { Button } from "~/lib/ui/inputs/button";
import { Select } from "~/lib/ui/inputs/select";
import { RowList } from "~/lib/ui/row-list";
import type { api } from "#convex/_generated/api";
import { DELIVERIES, NOTIFICATION_KINDS } from "#convex/model/notifications/kinds";
import { DELIVERY_NAMES, KIND_NAMES } from "../kind-names";

type DeliveryFormProps = Pick<FunctionReturnType<typeof api.notificationSettings.get>, "deliveries">;

export function DeliveryForm({ deliveries }: DeliveryFormProps) {
  const state = useIntentForm({ id: "deliveries", intent: "setDeliveries" });
  return (
    <IntentForm state={state} className="grid gap-5">
      <RowList>
        {NOTIFICATION_KINDS.map((kind) => (
          <li key={kind} className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 bg-card px-4 py-3">
            <div className="grid min-w-0 flex-1 basis-52 gap-0.5">
              <label htmlFor={`delivery-${kind}`} className="font-medium">
                {KIND_NAMES[kind].name}
              </label>
              <p id={`delivery-${kind}-about`} className="text-sm text-faint">
                {KIND_NAMES[kind].about}
              </p>
            </div>
            <Select
              key={deliveries[kind]}
              id={`delivery-${kind}`}
              name={kind}
              defaultValue={deliveries[kind]}
              aria-describedby={`delivery-${kind}-about`}
              className="w-40"
            >
              {DELIVERIES.map((each) => (
                <option key={each} value={each}>
                  {DELIVERY_NAMES[each]}
                </option>
              ))}
            </Select>
          </li>
        ))}
      </RowList>
      <div>
        <Button type="submit" variant="primary">
          Save settings
        </Button>
      </div>
    </IntentForm>
  );
}
