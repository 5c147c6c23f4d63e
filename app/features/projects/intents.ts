import type { OptimisticLocalStore } from "convex/browser";
import type { FunctionReturnType } from "convex/server";
import { href } from "react-router";
import { pendingId, markOptimistic } from "~/lib/data/pending";
import type { ListSort } from "~/lib/data/pagination/sorting";
import { intent } from "~/lib/forms/intents";
import { type ChangeRows, itemIntents, onlyFavourites } from "~/lib/forms/items/item-intents";
import { api } from "#convex/_generated/api";

export type Project = FunctionReturnType<typeof api.projects.getProjects>[number];

export type ProjectPage = FunctionReturnType<typeof api.projects.getProjectById>;

export const NEW_ITEM_FIELDS = { coverChosen: false, favourite: false, description: "" };

const shared = itemIntents<Project>(
  "Project",
  api.projects,
  {
    changeLists,
    changeNames,
    changePage(store, id, change) {
      const project = store.getQuery(api.projects.getProjectById, { id });
      if (project) store.setQuery(api.projects.getProjectById, { id }, { ...project, ...change });
    },
    manualRows: (store) =>
      store.getAllQueries(api.projects.listProjects).flatMap(({ args, value }) => (args.sort === "manual" ? (value?.page ?? []) : [])),
  },
  () => href("/projects"),
);

export const projectIntents = {
  createProject: intent({
    mutation: api.projects.create,
    fields: ["name"],
    args: ({ name }) => ({ name }),
    optimistic(store, args) {
      const name = args.name.trim();
      if (name === "") return;
      const now = Date.now();
      const _id = pendingId<"projects">(args);
      const project: Project = {
        _id,
        _creationTime: now,
        name,
        updatedAt: now,
        designCount: 0,
        imageCount: 0,
        cover: [],
        ...NEW_ITEM_FIELDS,
      };
      const projects = store.getQuery(api.projects.getProjects, {});
      if (projects) store.setQuery(api.projects.getProjects, {}, [project, ...projects]);
      const names = store.getQuery(api.projects.getNames, {});
      if (names) store.setQuery(api.projects.getNames, {}, [{ _id, name, favourite: false }, ...names]);
    },
    then: (id) => href("/projects/:id", { id }),
    message: { text: "Project created" },
  }),

  renameProject: shared.rename,
  describeProject: shared.describe,
  removeProject: shared.remove,
  favouriteProject: shared.favourite,
  duplicateProject: shared.duplicate,
  latestCoverProject: shared.resetCover,
  orderProject: shared.reorder,
};

declare module "~/lib/forms/intents" {
  interface IntentTables {
    projects: typeof projectIntents;
  }
}

function changeLists(store: OptimisticLocalStore, changed: (projects: Project[], sort: ListSort) => Project[]): void {
  const change = (projects: Project[], sort: ListSort) => markOptimistic(projects, changed(projects, sort));
  for (const { args, value } of store.getAllQueries(api.projects.getProjects))
    if (value) store.setQuery(api.projects.getProjects, args, onlyFavourites(args.favourites, change(value, args.sort ?? "changed")));
  for (const { args, value } of store.getAllQueries(api.projects.listProjects))
    if (value) store.setQuery(api.projects.listProjects, args, { ...value, page: change(value.page, args.sort ?? "changed") });
}

function changeNames(store: OptimisticLocalStore, changed: ChangeRows): void {
  const names = store.getQuery(api.projects.getNames, {});
  if (names) store.setQuery(api.projects.getNames, {}, markOptimistic(names, changed(names, "changed")));
}
