import { data, type RouterContextProvider } from "react-router";
import { convexFor } from "~/data/convex.server";
import { api } from "#convex/_generated/api";

/**
 * What a page's loading answers; where its subject is not found because it lies in the visitor's trash, itself or with what it is in, the 404 says
 * so, and by what (`TrashedBoundary`). For everybody else it is the same 404 as for what never was.
 */
export async function unlessTrashed<Result>(
  context: Readonly<RouterContextProvider>,
  id: string,
  load: () => Promise<Result>,
): Promise<Result> {
  try {
    return await load();
  } catch (error) {
    if (!is404(error)) throw error;
    const trashed = await convexFor(context).preload(api.trash.getTrashed, { id });
    const { _id, kind, name } = trashed.value;
    throw data({ trashed: { _id, kind, name } }, { status: 404, statusText: "Not Found" });
  }
}

/** React Router's `data(…, { status: 404 })`, as loaders throw it. */
function is404(error: unknown): boolean {
  if (typeof error !== "object" || error === null || !("init" in error)) return false;
  const { init } = error;
  return typeof init === "object" && init !== null && "status" in init && init.status === 404;
}
