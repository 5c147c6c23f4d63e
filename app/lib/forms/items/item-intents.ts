import type { OptimisticLocalStore } from "convex/browser";
import type { FunctionArgs, FunctionReference } from "convex/server";
import type { ListSort } from "~/lib/data/pagination/sorting";
import type { api } from "#convex/_generated/api";
import { type FormValues, type Intent, intent } from "../intents";
import { ORDER_FIELDS, orderArgs, reordered } from "./order";

type Mutation<Args extends Record<string, unknown>> = FunctionReference<"mutation", "public", Args, unknown>;

type Row = { _id: string; name: string; favourite: boolean };

export type ChangeRows = <Each extends Row>(rows: Each[], sort: ListSort) => Each[];

type Cache<Item> = {
  changeLists: (store: OptimisticLocalStore, change: (rows: Item[], sort: ListSort) => Item[]) => void;
  changeNames?: (store: OptimisticLocalStore, change: ChangeRows) => void;
  changePage: (store: OptimisticLocalStore, id: string, change: { name: string; updatedAt: number } | { description: string }) => void;
  manualRows: (store: OptimisticLocalStore) => Item[];
};

type ItemMutations = {
  rename: Mutation<{ id: string; name: string; from?: string; step?: string }>;
  setDescription: Mutation<{ id: string; description: string; from?: string; step?: string }>;
  setFavourite: Mutation<{ id: string; favourite: boolean; step?: string }>;
  moveToTrash: Mutation<{ id: string; step?: string }>;
  duplicate: Mutation<{ id: string; step?: string }>;
  setCover: Mutation<{ id: string; imageId?: string; step?: string }>;
  reorder: Mutation<FunctionArgs<typeof api.projects.reorder>>;
};

export function itemIntents<Item extends Row>(
  thing: "Project" | "Design",
  mutations: ItemMutations,
  { changeLists, changeNames, changePage, manualRows }: Cache<Item>,
  removed?: () => string,
) {
  function changeRows(store: OptimisticLocalStore, change: ChangeRows): void {
    changeLists(store, change);
    changeNames?.(store, change);
  }
  return {
    rename: renameIntent(thing, mutations.rename, (store, id, name) => {
      const renamed = { name, updatedAt: Date.now() };
      changeRows(store, (rows, sort) => renamedIn(rows, id, renamed, sort));
      changePage(store, id, renamed);
    }),

    describe: intent({
      mutation: mutations.setDescription,
      fields: ["id", "description"],
      optional: ["from"],
      args: (values) => values,
      optimistic: (store, { id, description }) => changePage(store, id, { description: description.trim() }),
      message: { text: "Description saved" },
      undo: true,
    }),

    favourite: intent({
      mutation: mutations.setFavourite,
      fields: ["id", "favourite"],
      args: ({ id, favourite }) => ({ id, favourite: favourite === "yes" }),
      optimistic: (store, { id, favourite }) =>
        changeRows(store, (rows) => rows.map((row) => (row._id === id ? { ...row, favourite } : row))),
      message: { text: favouriteText },
      undo: true,
    }),

    remove: intent({
      mutation: mutations.moveToTrash,
      fields: ["id"],
      args: ({ id }) => ({ id }),
      optimistic: (store, { id }) => changeRows(store, (rows) => rows.filter(({ _id }) => _id !== id)),
      message: { text: `${thing} moved to the trash` },
      undo: true,
      ...(removed && { then: removed }),
    }),

    duplicate: duplicateIntent(thing, mutations.duplicate),

    resetCover: intent({
      mutation: mutations.setCover,
      fields: ["id"],
      args: ({ id }) => ({ id }),
      message: { text: "Cover reset" },
      undo: true,
    }),

    reorder: reorderIntent(mutations.reorder, (store, args) => {
      const manualList = manualRows(store);
      changeLists(store, (rows, sort) => (sort === "manual" ? reordered(rows, args, manualList) : rows));
    }),
  };
}

export const onlyFavourites = <Item extends Row>(only: true | undefined, rows: Item[]): Item[] =>
  only ? rows.filter(({ favourite }) => favourite) : rows;

export const favouriteText = ({ favourite }: FormValues): string =>
  favourite === "yes" ? "Added to favourites" : "Removed from favourites";

export const renameIntent = (
  thing: string,
  mutation: ItemMutations["rename"],
  change: (store: OptimisticLocalStore, id: string, name: string) => void,
): Intent =>
  intent({
    mutation,
    fields: ["id", "name"],
    optional: ["from"],
    args: (values) => values,
    optimistic(store, { id, name }) {
      if (name.trim() !== "") change(store, id, name.trim());
    },
    message: { text: `${thing} renamed` },
    undo: true,
  });

export const duplicateIntent = (thing: string, mutation: ItemMutations["duplicate"]): Intent =>
  intent({ mutation, fields: ["id"], args: ({ id }) => ({ id }), message: { text: `${thing} duplicated` }, undo: true });

export const reorderIntent = (
  mutation: ItemMutations["reorder"],
  optimistic: (store: OptimisticLocalStore, args: FunctionArgs<typeof api.projects.reorder>) => void,
): Intent => intent({ mutation, fields: ORDER_FIELDS, args: orderArgs, optimistic, message: { text: "Moved" }, undo: true });

type TagMutations = {
  tag: Mutation<{ id: string; tag: string; step?: string }>;
  untag: Mutation<{ id: string; tag: string; step?: string }>;
  tagMany: Mutation<{ ids: string[]; tag: string; step?: string }>;
  untagMany: Mutation<{ ids: string[]; tag: string; step?: string }>;
};

type Tags = string[] | undefined;

export const tagIntents = (
  noun: "design" | "image",
  mutations: TagMutations,
  changeTags: (store: OptimisticLocalStore, id: string, change: (tags: Tags) => Tags) => void,
  { tagsWith, tagsWithout }: Record<"tagsWith" | "tagsWithout", (tags: Tags, typed: string) => Tags>,
) => ({
  tag: intent({
    mutation: mutations.tag,
    fields: ["id", "tag"],
    args: ({ id, tag }) => ({ id, tag }),
    optimistic: (store, { id, tag }) => changeTags(store, id, (tags) => tagsWith(tags, tag)),
    message: { text: "Tag added" },
    undo: true,
  }),

  untag: intent({
    mutation: mutations.untag,
    fields: ["id", "tag"],
    args: ({ id, tag }) => ({ id, tag }),
    optimistic: (store, { id, tag }) => changeTags(store, id, (tags) => tagsWithout(tags, tag)),
    message: { text: "Tag removed" },
    undo: true,
  }),

  tagMany: intent({
    mutation: mutations.tagMany,
    fields: ["tag"],
    lists: ["ids"],
    args: ({ ids, tag }) => ({ ids, tag }),
    message: { text: "tagged", each: noun },
    undo: true,
  }),

  untagMany: intent({
    mutation: mutations.untagMany,
    fields: ["tag"],
    lists: ["ids"],
    args: ({ ids, tag }) => ({ ids, tag }),
    message: { text: "untagged", each: noun },
    undo: true,
  }),
});

function renamedIn<Each extends Row>(rows: Each[], id: string, renamed: { name: string; updatedAt: number }, sort: ListSort): Each[] {
  const row = rows.find(({ _id }) => _id === id);
  if (!row) return rows;
  const changed = { ...row, ...renamed };
  if (sort !== "changed" || rows.some(({ favourite }) => favourite)) return rows.map((each) => (each === row ? changed : each));
  return [changed, ...rows.filter((each) => each !== row)];
}
