import type { OptimisticLocalStore } from "convex/browser";
import { intent } from "~/lib/forms/intents";
import { api } from "#convex/_generated/api";
import type { ShownNotification } from "./notification-text";

export const noticeIntents = {
  markRead: intent({
    mutation: api.notices.markRead,
    fields: ["id"],
    args: ({ id }) => ({ id }),
    optimistic: (store, { id }) => mark(store, (notice) => notice._id === id),
  }),
  markAllRead: intent({
    mutation: api.notices.markAllRead,
    args: () => ({}),
    optimistic: (store) => mark(store, () => true),
  }),
};

declare module "~/lib/forms/intents" {
  interface IntentTables {
    notices: typeof noticeIntents;
  }
}

function mark(store: OptimisticLocalStore, isMarked: (notice: ShownNotification) => boolean): void {
  const newest = (a: ShownNotification, b: ShownNotification) => Number(a.read) - Number(b.read) || b.at - a.at;
  let marked = 0;
  for (const { args, value: notices } of store.getAllQueries(api.notices.listAll)) {
    if (!notices) continue;
    const changed = notices.map((notice) => (isMarked(notice) ? { ...notice, read: true } : notice));
    marked += changed.filter(({ read }, index) => read && !notices[index]?.read).length;
    store.setQuery(api.notices.listAll, args, changed.toSorted(newest));
  }
  const unread = store.getQuery(api.notices.getUnreadCount, {});
  if (unread !== undefined) store.setQuery(api.notices.getUnreadCount, {}, Math.max(0, unread - marked));
}
