import type { OptimisticLocalStore } from "convex/browser";
import type { FunctionReturnType } from "convex/server";
import { href } from "react-router";
import { intent } from "~/lib/forms/intents";
import { api } from "#convex/_generated/api";

type Trash = FunctionReturnType<typeof api.trash.getTrash>;
export type TrashedItem = Trash["projects"][number];

export const trashIntents = {
  restore: intent({
    mutation: api.trash.restore,
    fields: ["id", "withPlace"],
    args: ({ id, withPlace }) => ({ id, withPlace: withPlace !== "" }),
    optimistic: (store, { id, withPlace }) => (withPlace ? undefined : without(store, id)),
    message: { text: "Restored" },
  }),

  restoreHere: intent({
    mutation: api.trash.restore,
    fields: ["id"],
    args: ({ id }) => ({ id, withPlace: true }),
    message: { text: "Restored" },
    then: placeOf,
  }),

  restoreInto: intent({
    mutation: api.trash.restore,
    fields: ["id", "into"],
    args: ({ id, into }) => ({ id, into }),
    message: { text: "Restored" },
    then: placeOf,
  }),

  purge: intent({
    mutation: api.trash.purge,
    fields: ["id"],
    args: ({ id }) => ({ id }),
    optimistic: (store, { id }) => without(store, id),
    message: { text: "Deleted permanently" },
  }),

  emptyTrash: intent({
    mutation: api.trash.empty,
    args: () => ({}),
    optimistic: (store) => store.setQuery(api.trash.getTrash, {}, { projects: [], designs: [], images: [] }),
    message: { text: "The trash is empty" },
  }),
};

declare module "~/lib/forms/intents" {
  interface IntentTables {
    trash: typeof trashIntents;
  }
}

function placeOf({ kind, id, designId }: FunctionReturnType<typeof api.trash.restore>): string {
  if (kind === "project") return href("/projects/:id", { id });
  return kind === "design" ? href("/design/:id", { id }) : href("/design/:id/images/:imageId", { id: designId ?? "", imageId: id });
}

function without(store: OptimisticLocalStore, id: string): void {
  const trash = store.getQuery(api.trash.getTrash, {});
  if (!trash) return;
  const withoutItem = (items: TrashedItem[]) => items.filter(({ _id }) => _id !== id);
  store.setQuery(
    api.trash.getTrash,
    {},
    { projects: withoutItem(trash.projects), designs: withoutItem(trash.designs), images: withoutItem(trash.images) },
  );
}
