import type { OptimisticLocalStore } from "convex/browser";
import type { FunctionReturnType } from "convex/server";
import { href } from "react-router";
import { pendingId } from "~/data/pending";
import { intent } from "~/forms/intents";
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
      changeList(store, (projects) => moveFirst(projects, id, renamed));
      const project = store.getQuery(api.projects.getProjectById, { id });
      if (project) store.setQuery(api.projects.getProjectById, { id }, { ...project, ...renamed });
    },
    told: { text: "Project renamed", quietly: true },
  }),

  removeProject: intent({
    mutation: api.projects.moveToTrash,
    fields: ["id"],
    args: (of) => ({ id: of("id") }),
    optimistic: (store, { id }) => changeList(store, (projects) => projects.filter((project) => project._id !== id)),
    then: () => href("/projects"),
    told: { text: "Project moved to the trash", undo: true },
  }),
};

/** Changes the list of projects as shown, the first rows and later pages. */
function changeList(store: OptimisticLocalStore, change: (projects: Project[]) => Project[]): void {
  const projects = store.getQuery(api.projects.getProjects, {});
  if (projects) store.setQuery(api.projects.getProjects, {}, change(projects));
  for (const { args, value } of store.getAllQueries(api.projects.listProjects))
    if (value) store.setQuery(api.projects.listProjects, args, { ...value, page: change(value.page) });
}

/** What has just changed stands first: the order of the lists (`getProjects`, `getDesignsByProjectId`). */
export function moveFirst<Row extends { _id: string }>(rows: Row[], id: string, changed: Partial<Row>): Row[] {
  const row = rows.find((each) => each._id === id);
  return row ? [{ ...row, ...changed }, ...rows.filter((each) => each._id !== id)] : rows;
}
