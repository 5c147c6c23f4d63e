import type { OptimisticLocalStore } from "convex/browser";
import type { FunctionReturnType } from "convex/server";
import { href } from "react-router";
import { pendingId, markOptimistic } from "~/lib/data/pending";
import type { ListSort } from "~/lib/data/pagination/sorting";
import { type FormValues, intent } from "~/lib/forms/intents";
import { favouriteText, itemIntents, onlyFavourites, tagIntents } from "~/lib/forms/items/item-intents";
import { NEW_ITEM_FIELDS } from "~/features/projects/intents";
import { bulkIntent } from "~/features/selection/whole-selection";
import { tagsWith, tagsWithout } from "~/features/tags/tag-list";
import { api } from "#convex/_generated/api";

export type DesignPage = FunctionReturnType<typeof api.designs.getDesignById>;
export type Design = FunctionReturnType<typeof api.designs.getDesignsByProjectId>[number];

const shared = itemIntents<Design>("Design", api.designs, {
  changeLists,
  changePage(store, id, change) {
    const design = store.getQuery(api.designs.getDesignById, { id });
    if (design) store.setQuery(api.designs.getDesignById, { id }, { ...design, ...change });
  },
  manualRows: (store) =>
    store.getAllQueries(api.designs.listDesigns).flatMap(({ args, value }) => (args.sort === "manual" ? (value?.page ?? []) : [])),
});

const tagging = tagIntents(
  "design",
  { tag: api.tags.tagDesign, untag: api.tags.untagDesign, tagMany: api.many.tagDesigns, untagMany: api.many.untagDesigns },
  changeTags,
  { tagsWith, tagsWithout },
);

const toProject = ({ projectId, stay }: FormValues) => (stay ? null : href("/projects/:id", { id: encodeURIComponent(String(projectId)) }));

export const designIntents = {
  createDesign: intent({
    mutation: api.designs.create,
    fields: ["projectId", "name"],
    args: ({ projectId, name }) => ({ projectId, name }),
    optimistic(store, args) {
      const { projectId } = args;
      const name = args.name.trim();
      const project = store.getQuery(api.projects.getProjectById, { id: projectId });
      if (name === "" || !project) return;
      const now = Date.now();
      const _id = pendingId<"designs">(args);
      const design: Design = {
        _id,
        _creationTime: now,
        projectId: project._id,
        name,
        updatedAt: now,
        imageCount: 0,
        cover: [],
        ...NEW_ITEM_FIELDS,
      };
      const designs = store.getQuery(api.designs.getDesignsByProjectId, { projectId });
      if (designs) store.setQuery(api.designs.getDesignsByProjectId, { projectId }, [design, ...designs]);
    },
    then: (id) => href("/design/:id", { id }),
    message: { text: "Design created" },
  }),

  renameDesign: shared.rename,
  describeDesign: shared.describe,
  removeDesign: shared.remove,
  favouriteDesign: shared.favourite,
  duplicateDesign: shared.duplicate,
  latestCoverDesign: shared.resetCover,
  orderDesign: shared.reorder,

  tagDesign: tagging.tag,
  untagDesign: tagging.untag,
  tagDesigns: bulkIntent(tagging.tagMany, { kind: "design", action: ({ tag }) => ({ type: "tag", tag: String(tag) }) }),
  untagDesigns: bulkIntent(tagging.untagMany, { kind: "design", action: ({ tag }) => ({ type: "untag", tag: String(tag) }) }),

  moveDesigns: bulkIntent(
    intent({
      mutation: api.many.moveDesigns,
      fields: ["projectId"],
      lists: ["ids"],
      optional: ["stay"],
      args: ({ ids, projectId }) => ({ ids, projectId }),
      then: (_, { projectId }, { stay }) => (stay ? null : href("/projects/:id", { id: encodeURIComponent(projectId) })),
      message: { text: "moved", each: "design" },
      undo: true,
    }),
    { kind: "design", action: ({ projectId }) => ({ type: "move", to: String(projectId) }), then: toProject },
  ),

  copyDesigns: bulkIntent(
    intent({
      mutation: api.many.copyDesigns,
      fields: ["projectId"],
      lists: ["ids"],
      optional: ["stay"],
      args: ({ ids, projectId }) => ({ ids, projectId }),
      then: (_, { projectId }, { stay }) => (stay ? null : href("/projects/:id", { id: encodeURIComponent(projectId) })),
      message: { text: "copied", each: "design" },
      undo: true,
    }),
    { kind: "design", action: ({ projectId }) => ({ type: "copy", to: String(projectId) }), then: toProject },
  ),

  trashDesigns: bulkIntent(
    intent({
      mutation: api.many.trashDesigns,
      lists: ["ids"],
      args: ({ ids }) => ({ ids }),
      optimistic: (store, { ids }) => changeLists(store, (designs) => designs.filter(({ _id }) => !ids.includes(_id))),
      message: { text: "moved to the trash", each: "design" },
      undo: true,
    }),
    { kind: "design", action: () => ({ type: "trash" }) },
  ),

  favouriteDesigns: bulkIntent(
    intent({
      mutation: api.many.favouriteDesigns,
      fields: ["favourite"],
      lists: ["ids"],
      args: ({ ids, favourite }) => ({ ids, favourite: favourite === "yes" }),
      optimistic: (store, { ids, favourite }) =>
        changeLists(store, (designs) => designs.map((design) => (ids.includes(design._id) ? { ...design, favourite } : design))),
      message: { text: favouriteText },
      undo: true,
    }),
    { kind: "design", action: ({ favourite }) => ({ type: "favourite", favourite: favourite === "yes" }) },
  ),

  moveDesign: intent({
    mutation: api.designs.move,
    fields: ["id", "projectId"],
    args: ({ id, projectId }) => ({ id, projectId }),
    then: (_, { id }) => href("/design/:id", { id: encodeURIComponent(id) }),
    message: { text: "Design moved" },
    undo: true,
  }),
};

declare module "~/lib/forms/intents" {
  interface IntentTables {
    designs: typeof designIntents;
  }
}

function changeTags(store: OptimisticLocalStore, id: string, change: (tags: Design["tags"]) => string[] | undefined): void {
  const shown = store.getQuery(api.designs.getDesignById, { id });
  if (!shown) return;
  const { tags: before, ...design } = shown;
  const tags = change(before);
  store.setQuery(api.designs.getDesignById, { id }, tags ? { ...design, tags } : design);
}

function changeLists(store: OptimisticLocalStore, changed: (designs: Design[], sort: ListSort) => Design[]): void {
  const change = (designs: Design[], sort: ListSort) => markOptimistic(designs, changed(designs, sort));
  for (const { args, value } of store.getAllQueries(api.designs.getDesignsByProjectId))
    if (value)
      store.setQuery(api.designs.getDesignsByProjectId, args, onlyFavourites(args.favourites, change(value, args.sort ?? "changed")));
  for (const { args, value } of store.getAllQueries(api.designs.listDesigns))
    if (value) store.setQuery(api.designs.listDesigns, args, { ...value, page: change(value.page, args.sort ?? "changed") });
}
