import { useMatches } from "react-router";
import type { MemberRole } from "#convex/model/rights";

type OpenProject = { _id: string; role?: MemberRole | undefined };

export type ProjectHandle<Data> = { projectOf: (loaderData: Data) => OpenProject };

export function useOpenProject(): OpenProject | null {
  for (const { handle, loaderData } of useMatches().toReversed()) {
    if (loaderData !== undefined && hasProject(handle)) return handle.projectOf(loaderData);
  }
  return null;
}

const hasProject = (handle: unknown): handle is ProjectHandle<unknown> =>
  typeof handle === "object" && handle !== null && "projectOf" in handle && typeof handle.projectOf === "function";
