import { useRouteLoaderData } from "react-router";
import type { rootData } from "./root-data.server";

/** What the root's loader gives on every load: the visitor, their token, and how the page looks. Undefined only where the root itself failed. */
export function useRoot() {
  return useRouteLoaderData<typeof rootData>("root");
}
