import { useQueries } from "~/lib/data/use-queries";
import type { FunctionReturnType } from "convex/server";
import { useMe } from "~/lib/data/use-me";
import { api } from "#convex/_generated/api";

const SHARED = { shared: { query: api.members.listOwnShared, args: {} } };
const NOTHING = {};

export const useIsSharing = (): boolean => useMe()?.hasMembers === true;

export function useMembersOfOwnProjects(): (projectId: string) => readonly string[] {
  const isSharing = useIsSharing();
  const { shared }: Record<string, FunctionReturnType<typeof api.members.listOwnShared> | Error | undefined> = useQueries(
    isSharing ? SHARED : NOTHING,
  );
  const members = new Map(
    (Array.isArray(shared) ? shared : []).map((each) => [String(each.projectId), each.members.map(({ name }) => name)]),
  );
  return (projectId) => members.get(projectId) ?? NOBODY;
}

const NOBODY: readonly string[] = [];
