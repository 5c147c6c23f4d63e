import { useQueries } from "~/lib/data/use-queries";
import { api } from "#convex/_generated/api";
import type { Tab } from "./people";

/** Returns undefined while it loads, and null where presence is off. Does not stay subscribed. */
export function useTabs(designId: string): readonly Tab[] | null | undefined {
  const { tabs } = useQueries({ tabs: { query: api.presence.list, args: { designId } } }, { keeps: false });
  return tabs instanceof Error ? null : tabs;
}
