import { useMatches } from "react-router";

/** What a route tells of itself that shows something of a project: the project's id, from its loader's answer. */
export type ProjectHandle<Data> = { projectOf: (loaderData: Data) => string };

/** The id of the project that the page belongs to: it is about the project, or about a design or an image in it. Null: it is about no project. */
export function useOpenProject(): string | null {
  for (const { handle, loaderData } of useMatches().toReversed()) {
    const id = loaderData !== undefined && hasProject(handle) ? handle.projectOf(loaderData) : null;
    if (id !== null) return id;
  }
  return null;
}

const hasProject = (handle: unknown): handle is ProjectHandle<unknown> =>
  typeof handle === "object" && handle !== null && "projectOf" in handle && typeof handle.projectOf === "function";
