import { useQueries } from "convex/react";
import { useMemo } from "react";
import { api } from "#convex/_generated/api";
import type { Tab } from "./people";

/** Returns undefined while it loads, and null where presence is off. Bypasses the query cache, which would stay subscribed. */
export function useTabs(designId: string): readonly Tab[] | null | undefined {
  const queries = useMemo(() => ({ tabs: { query: api.presence.list, args: { designId } } }), [designId]);
  const { tabs }: { tabs?: Tab[] | null | Error } = useQueries(queries);
  return tabs instanceof Error ? null : tabs;
}
