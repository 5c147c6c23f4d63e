import type { OptimisticLocalStore } from "convex/browser";
import type { FunctionReturnType } from "convex/server";
import { href } from "react-router";
import { intent } from "~/forms/intents";
import { api } from "#convex/_generated/api";

type Trash = FunctionReturnType<typeof api.trash.getTrash>;
export type TrashedItem = Trash["projects"][number];

/** What forms can ask for about what lies in the trash. */
export const trashIntents = {
  restore: intent({
    mutation: api.trash.restore,
    fields: ["id", "withPlace"],
    args: (of) => ({ id: of("id"), withPlace: of("withPlace") !== "" }),
    optimistic: (store, { id, withPlace }) => (withPlace ? undefined : without(store, id)),
    told: { text: "Restored" },
  }),

  restoreHere: intent({
    mutation: api.trash.restore,
    fields: ["id"],
    args: (of) => ({ id: of("id"), withPlace: true }),
    told: { text: "Restored" },
    then: placeOf,
  }),

  restoreInto: intent({
    mutation: api.trash.restore,
    fields: ["id", "into"],
    args: (of) => ({ id: of("id"), into: of("into") }),
    told: { text: "Restored" },
    then: placeOf,
  }),

  purge: intent({
    mutation: api.trash.purge,
    fields: ["id"],
    args: (of) => ({ id: of("id") }),
    optimistic: (store, { id }) => without(store, id),
    told: { text: "Deleted for ever" },
  }),

  emptyTrash: intent({
    mutation: api.trash.empty,
    fields: [],
    args: () => ({}),
    optimistic: (store) => store.setQuery(api.trash.getTrash, {}, { projects: [], designs: [], images: [] }),
    told: { text: "The trash is empty" },
  }),
};

function placeOf({ kind, id, designId }: FunctionReturnType<typeof api.trash.restore>): string {
  if (kind === "project") return href("/projects/:id", { id });
  return kind === "design" ? href("/design/:id", { id }) : href("/design/:id/images/:imageId", { id: designId ?? "", imageId: id });
}

function without(store: OptimisticLocalStore, id: string): void {
  const trash = store.getQuery(api.trash.getTrash, {});
  if (!trash) return;
  const rest = (items: TrashedItem[]) => items.filter(({ _id }) => _id !== id);
  store.setQuery(api.trash.getTrash, {}, { projects: rest(trash.projects), designs: rest(trash.designs), images: rest(trash.images) });
}
