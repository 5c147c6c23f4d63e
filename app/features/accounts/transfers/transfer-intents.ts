import type { FunctionReturnType } from "convex/server";
import { href } from "react-router";
import { intent, type IntentName } from "~/lib/forms/intents";
import { api } from "#convex/_generated/api";

export type Transfer = NonNullable<FunctionReturnType<typeof api.transfers.get>["transfer"]>;

export const transferIntents = {
  cancelTransfer: intent({
    mutation: api.transfers.cancel,
    fields: ["projectId"],
    args: ({ projectId }) => ({ projectId }),
    optimistic(store, { projectId }) {
      const shown = store.getQuery(api.transfers.get, { projectId });
      if (shown) store.setQuery(api.transfers.get, { projectId }, { ...shown, transfer: null });
    },
    message: { text: "Transfer cancelled" },
  }),

  acceptTransfer: intent({
    mutation: api.transfers.accept,
    fields: ["transferId"],
    args: ({ transferId }) => ({ transferId }),
    message: { text: "Transfer accepted" },
  }),

  declineTransfer: intent({
    mutation: api.transfers.decline,
    fields: ["transferId"],
    args: ({ transferId }) => ({ transferId }),
    then: () => href("/shared"),
    message: { text: "Transfer declined" },
  }),
};

/** Runs on the app server only, which checks that the owner has signed in recently (`offer-transfer.server.ts`). */
export const OFFER_TRANSFER: IntentName = "offerTransfer";

declare module "~/lib/forms/intents" {
  interface IntentTables {
    transfers: typeof transferIntents & Record<"offerTransfer", unknown>;
  }
}
