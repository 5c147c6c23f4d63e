import type { OptimisticLocalStore } from "convex/browser";
import type { FunctionReturnType } from "convex/server";
import { href } from "react-router";
import { pendingId, shownAhead } from "~/data/pending";
import type { ListSort } from "~/data/sorting";
import { intent, listIn } from "~/forms/intents";
import { ORDER_FIELDS, orderArgs, reordered } from "~/forms/order";
import { BARE, renamedIn } from "~/projects/intents";
import { tagsWith, tagsWithout } from "~/tags/words";
import { api } from "#convex/_generated/api";

export type Design = FunctionReturnType<typeof api.designs.getDesignsByProjectId>[number];

/** What forms can ask for about designs. */
export const designIntents = {
  createDesign: intent({
    mutation: api.designs.create,
    fields: ["projectId", "name"],
    args: (of) => ({ projectId: of("projectId"), name: of("name") }),
    optimistic(store, args) {
      const { projectId } = args;
      const name = args.name.trim();
      const project = store.getQuery(api.projects.getProjectById, { id: projectId });
      if (name === "" || !project) return;
      const now = Date.now();
      const _id = pendingId<"designs">(args);
      const design: Design = { _id, _creationTime: now, projectId: project._id, name, updatedAt: now, imageCount: 0, cover: [], ...BARE };
      const designs = store.getQuery(api.designs.getDesignsByProjectId, { projectId });
      if (designs) store.setQuery(api.designs.getDesignsByProjectId, { projectId }, [design, ...designs]);
    },
    then: (id) => href("/design/:id", { id }),
    told: { text: "Design created" },
  }),

  renameDesign: intent({
    mutation: api.designs.rename,
    fields: ["id", "name"],
    args: (of) => ({ id: of("id"), name: of("name") }),
    optimistic(store, { id, ...typed }) {
      const name = typed.name.trim();
      if (name === "") return;
      const renamed = { name, updatedAt: Date.now() };
      changeLists(store, (designs, sort) => renamedIn(designs, id, renamed, sort));
      const design = store.getQuery(api.designs.getDesignById, { id });
      if (design) store.setQuery(api.designs.getDesignById, { id }, { ...design, ...renamed });
    },
    told: { text: "Design renamed", quietly: true },
  }),

  describeDesign: intent({
    mutation: api.designs.setDescription,
    fields: ["id", "description"],
    args: (of) => ({ id: of("id"), description: of("description") }),
    optimistic(store, { id, ...typed }) {
      const description = typed.description.trim();
      const design = store.getQuery(api.designs.getDesignById, { id });
      if (design) store.setQuery(api.designs.getDesignById, { id }, { ...design, description });
    },
    told: { text: "Description saved", quietly: true },
  }),

  tagDesign: intent({
    mutation: api.tags.tagDesign,
    fields: ["id", "tag"],
    args: (of) => ({ id: of("id"), tag: of("tag") }),
    optimistic: (store, { id, tag }) => changeTags(store, id, (tags) => tagsWith(tags, tag)),
    told: { text: "Tag added", quietly: true },
  }),

  untagDesign: intent({
    mutation: api.tags.untagDesign,
    fields: ["id", "tag"],
    args: (of) => ({ id: of("id"), tag: of("tag") }),
    optimistic: (store, { id, tag }) => changeTags(store, id, (tags) => tagsWithout(tags, tag)),
    told: { text: "Tag taken off", quietly: true },
  }),

  removeDesign: intent({
    mutation: api.designs.moveToTrash,
    fields: ["id"],
    args: (of) => ({ id: of("id") }),
    optimistic: (store, { id }) => changeLists(store, (designs) => designs.filter((design) => design._id !== id)),
    told: { text: "Design moved to the trash", undo: true },
  }),

  favouriteDesign: intent({
    mutation: api.designs.setFavourite,
    fields: ["id", "favourite"],
    args: (of) => ({ id: of("id"), favourite: of("favourite") === "yes" }),
    optimistic: (store, { id, favourite }) =>
      changeLists(store, (designs) => designs.map((design) => (design._id === id ? { ...design, favourite } : design))),
  }),

  duplicateDesign: intent({
    mutation: api.designs.duplicate,
    fields: ["id"],
    args: (of) => ({ id: of("id") }),
    told: { text: "Design copied" },
  }),

  latestCoverDesign: intent({
    mutation: api.designs.setCover,
    fields: ["id"],
    args: (of) => ({ id: of("id") }),
    told: { text: "The latest images are the cover again" },
  }),

  orderDesign: intent({
    mutation: api.designs.reorder,
    fields: ORDER_FIELDS,
    args: orderArgs,
    optimistic(store, args) {
      const pages = store.getAllQueries(api.designs.listDesigns);
      const elsewhere = pages.flatMap(({ args: { sort }, value }) => (sort === "manual" ? (value?.page ?? []) : []));
      changeLists(store, (designs, sort) => (sort === "manual" ? reordered(designs, args, elsewhere) : designs));
    },
    told: { text: "Moved", quietly: true },
  }),

  moveDesigns: intent({
    mutation: api.many.moveDesigns,
    fields: ["ids", "projectId"],
    args: (of) => ({ ids: listIn(of("ids")), projectId: of("projectId") }),
    then: (_, { projectId }) => href("/projects/:id", { id: encodeURIComponent(projectId) }),
    told: { text: "moved", each: "design" },
  }),

  tagDesigns: intent({
    mutation: api.many.tagDesigns,
    fields: ["ids", "tag"],
    args: (of) => ({ ids: listIn(of("ids")), tag: of("tag") }),
    told: { text: "tagged", each: "design" },
  }),

  untagDesigns: intent({
    mutation: api.many.untagDesigns,
    fields: ["ids", "tag"],
    args: (of) => ({ ids: listIn(of("ids")), tag: of("tag") }),
    told: { text: "no longer tagged so", each: "design" },
  }),

  trashDesigns: intent({
    mutation: api.many.trashDesigns,
    fields: ["ids"],
    args: (of) => ({ ids: listIn(of("ids")) }),
    optimistic: (store, { ids }) => changeLists(store, (designs) => designs.filter(({ _id }) => !ids.includes(_id))),
    told: { text: "moved to the trash", each: "design", undo: true },
  }),

  favouriteDesigns: intent({
    mutation: api.many.favouriteDesigns,
    fields: ["ids", "favourite"],
    args: (of) => ({ ids: listIn(of("ids")), favourite: of("favourite") === "yes" }),
    optimistic: (store, { ids, favourite }) =>
      changeLists(store, (designs) => designs.map((design) => (ids.includes(design._id) ? { ...design, favourite } : design))),
  }),

  moveDesign: intent({
    mutation: api.designs.move,
    fields: ["id", "projectId"],
    args: (of) => ({ id: of("id"), projectId: of("projectId") }),
    then: (_, { id }) => href("/design/:id", { id: encodeURIComponent(id) }),
    told: { text: "Design moved" },
  }),
};

/** Without any tag there is no such field, as the deployment tells it. */
function changeTags(store: OptimisticLocalStore, id: string, change: (tags: Design["tags"]) => string[] | undefined): void {
  const shown = store.getQuery(api.designs.getDesignById, { id });
  if (!shown) return;
  const { tags: before, ...design } = shown;
  const tags = change(before);
  store.setQuery(api.designs.getDesignById, { id }, tags ? { ...design, tags } : design);
}

/** Changes every list of designs as shown, first rows and later pages. */
function changeLists(store: OptimisticLocalStore, changed: (designs: Design[], sort: ListSort) => Design[]): void {
  const change = (designs: Design[], sort: ListSort) => shownAhead(designs, changed(designs, sort));
  for (const { args, value } of store.getAllQueries(api.designs.getDesignsByProjectId))
    if (value) store.setQuery(api.designs.getDesignsByProjectId, args, change(value, args.sort ?? "changed"));
  for (const { args, value } of store.getAllQueries(api.designs.listDesigns))
    if (value) store.setQuery(api.designs.listDesigns, args, { ...value, page: change(value.page, args.sort ?? "changed") });
}
