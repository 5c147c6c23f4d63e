import { useMatches } from "react-router";

export type ProjectHandle<Data> = { projectOf: (loaderData: Data) => string };

export function useOpenProject(): string | null {
  for (const { handle, loaderData } of useMatches().toReversed()) {
    const id = loaderData !== undefined && hasProject(handle) ? handle.projectOf(loaderData) : null;
    if (id !== null) return id;
  }
  return null;
}

const hasProject = (handle: unknown): handle is ProjectHandle<unknown> =>
  typeof handle === "object" && handle !== null && "projectOf" in handle && typeof handle.projectOf === "function";
