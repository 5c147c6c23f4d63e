import type { OptimisticLocalStore } from "convex/browser";
import type { FunctionReturnType } from "convex/server";
import { href } from "react-router";
import { pendingId, shownAhead } from "~/data/pending";
import type { ListSort } from "~/data/sorting";
import { intent } from "~/forms/intents";
import { ORDER_FIELDS, orderArgs, reordered } from "~/forms/order";
import { api } from "#convex/_generated/api";

export type Project = FunctionReturnType<typeof api.projects.getProjects>[number];

/** What something new has not yet. */
export const BARE = { coverChosen: false, favourite: false, description: "" };

/** What forms can ask for about projects. */
export const projectIntents = {
  createProject: intent({
    mutation: api.projects.create,
    fields: ["name"],
    args: (of) => ({ name: of("name") }),
    optimistic(store, args) {
      const name = args.name.trim();
      if (name === "") return;
      const now = Date.now();
      const _id = pendingId<"projects">(args);
      const project: Project = { _id, _creationTime: now, name, updatedAt: now, designCount: 0, imageCount: 0, cover: [], ...BARE };
      const projects = store.getQuery(api.projects.getProjects, {});
      if (projects) store.setQuery(api.projects.getProjects, {}, [project, ...projects]);
    },
    then: (id) => href("/projects/:id", { id }),
    told: { text: "Project created" },
  }),

  renameProject: intent({
    mutation: api.projects.rename,
    fields: ["id", "name"],
    args: (of) => ({ id: of("id"), name: of("name") }),
    optimistic(store, { id, ...typed }) {
      const name = typed.name.trim();
      if (name === "") return;
      const renamed = { name, updatedAt: Date.now() };
      changeList(store, (projects, sort) => renamedIn(projects, id, renamed, sort));
      const project = store.getQuery(api.projects.getProjectById, { id });
      if (project) store.setQuery(api.projects.getProjectById, { id }, { ...project, ...renamed });
    },
    told: { text: "Project renamed", quietly: true },
  }),

  describeProject: intent({
    mutation: api.projects.setDescription,
    fields: ["id", "description"],
    args: (of) => ({ id: of("id"), description: of("description") }),
    optimistic(store, { id, ...typed }) {
      const description = typed.description.trim();
      const project = store.getQuery(api.projects.getProjectById, { id });
      if (project) store.setQuery(api.projects.getProjectById, { id }, { ...project, description });
    },
    told: { text: "Description saved", quietly: true },
  }),

  removeProject: intent({
    mutation: api.projects.moveToTrash,
    fields: ["id"],
    args: (of) => ({ id: of("id") }),
    optimistic: (store, { id }) => changeList(store, (projects) => projects.filter((project) => project._id !== id)),
    then: () => href("/projects"),
    told: { text: "Project moved to the trash", undo: true },
  }),

  favouriteProject: intent({
    mutation: api.projects.setFavourite,
    fields: ["id", "favourite"],
    args: (of) => ({ id: of("id"), favourite: of("favourite") === "yes" }),
    optimistic: (store, { id, favourite }) =>
      changeList(store, (projects) => projects.map((project) => (project._id === id ? { ...project, favourite } : project))),
  }),

  duplicateProject: intent({
    mutation: api.projects.duplicate,
    fields: ["id"],
    args: (of) => ({ id: of("id") }),
    told: { text: "Project copied" },
  }),

  latestCoverProject: intent({
    mutation: api.projects.setCover,
    fields: ["id"],
    args: (of) => ({ id: of("id") }),
    told: { text: "The latest images are the cover again" },
  }),

  orderProject: intent({
    mutation: api.projects.reorder,
    fields: ORDER_FIELDS,
    args: orderArgs,
    optimistic: (store, args) => changeList(store, (projects, sort) => (sort === "manual" ? reordered(projects, args) : projects)),
    told: { text: "Moved", quietly: true },
  }),
};

/** Changes every list of projects as shown, whatever its order, the first rows and later pages. */
function changeList(store: OptimisticLocalStore, changed: (projects: Project[], sort: ListSort) => Project[]): void {
  const change = (projects: Project[], sort: ListSort) => shownAhead(projects, changed(projects, sort));
  for (const { args, value } of store.getAllQueries(api.projects.getProjects))
    if (value) store.setQuery(api.projects.getProjects, args, change(value, args.sort ?? "changed"));
  for (const { args, value } of store.getAllQueries(api.projects.listProjects))
    if (value) store.setQuery(api.projects.listProjects, args, { ...value, page: change(value.page, args.sort ?? "changed") });
}

/** What was renamed stands first among its like where the last change comes first, and keeps its place until the answer elsewhere. */
export function renamedIn<Row extends { _id: string; favourite: boolean }>(
  rows: Row[],
  id: string,
  changed: Partial<Row>,
  sort: ListSort,
): Row[] {
  const row = rows.find(({ _id }) => _id === id);
  return sort === "changed" && row && !row.favourite && !rows.some(({ favourite }) => favourite)
    ? moveFirst(rows, id, changed)
    : rows.map((each) => (each._id === id ? { ...each, ...changed } : each));
}

/** What has just changed stands first: the order of the lists (`getProjects`, `getDesignsByProjectId`). */
function moveFirst<Row extends { _id: string }>(rows: Row[], id: string, changed: Partial<Row>): Row[] {
  const row = rows.find((each) => each._id === id);
  return row ? [{ ...row, ...changed }, ...rows.filter((each) => each._id !== id)] : rows;
}
