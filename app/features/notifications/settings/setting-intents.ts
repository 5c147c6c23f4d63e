import { intent } from "~/lib/forms/intents";
import { api } from "#convex/_generated/api";
import type { Deliveries } from "#convex/model/notifications/settings";
import { DEFAULT_DELIVERIES, isDelivery, NOTIFICATION_KINDS, type NotificationKind } from "#convex/model/notifications/kinds";

export const settingIntents = {
  setDeliveries: intent({
    mutation: api.notificationSettings.set,
    fields: NOTIFICATION_KINDS,
    args: (values) => ({ deliveries: deliveriesFrom(values) }),
    optimistic(store, { deliveries }) {
      const shown = store.getQuery(api.notificationSettings.get, {});
      if (shown) store.setQuery(api.notificationSettings.get, {}, { ...shown, deliveries: { ...shown.deliveries, ...deliveries } });
    },
    message: { text: "Settings saved" },
  }),
};

export const muteIntents = {
  setMuted: intent({
    mutation: api.notificationSettings.setMuted,
    fields: ["projectId", "isMuted"],
    args: ({ projectId, isMuted }) => ({ projectId, isMuted: isMuted === "true" }),
    optimistic(store, { projectId, isMuted }) {
      store.setQuery(api.notificationSettings.isMuted, { projectId }, isMuted);
      const shown = store.getQuery(api.notificationSettings.get, {});
      const others = shown?.muted.filter((each) => each.projectId !== projectId);
      if (shown && others && !isMuted) store.setQuery(api.notificationSettings.get, {}, { ...shown, muted: others });
    },
    message: { text: ({ isMuted }) => (isMuted === "true" ? "Project muted" : "Project unmuted") },
  }),
};

function deliveriesFrom(values: Readonly<Record<NotificationKind, string>>): Deliveries {
  const of = (kind: NotificationKind) => (isDelivery(values[kind]) ? values[kind] : DEFAULT_DELIVERIES[kind]);
  return {
    mention: of("mention"),
    reply: of("reply"),
    comment: of("comment"),
    reviewRequested: of("reviewRequested"),
    reviewGiven: of("reviewGiven"),
    invitation: of("invitation"),
    accessChanged: of("accessChanged"),
  };
}

declare module "~/lib/forms/intents" {
  interface IntentTables {
    notificationSettings: typeof settingIntents & typeof muteIntents;
  }
}
