import { data, type RouterContextProvider } from "react-router";
import { convexFor } from "~/lib/data/convex.server";
import { api } from "#convex/_generated/api";

/** Names the trashed item in the 404 if it is in the visitor's own trash; other visitors get the usual 404. */
export async function notFoundUnlessTrashed<Result>(
  context: Readonly<RouterContextProvider>,
  id: string,
  load: () => Promise<Result>,
): Promise<Result> {
  // Runs in one snapshot with the page's queries, because the item may be restored at any time.
  const trashed = convexFor(context).preload(api.trash.getTrashed, { id });
  trashed.catch(() => undefined);
  try {
    return await load();
  } catch (error) {
    if (!is404(error)) throw error;
    const { _id, kind, name } = (await trashed).value;
    throw data({ trashed: { _id, kind, name } }, { status: 404, statusText: "Not Found" });
  }
}

function is404(error: unknown): boolean {
  if (typeof error !== "object" || error === null || !("init" in error)) return false;
  const { init } = error;
  return typeof init === "object" && init !== null && "status" in init && init.status === 404;
}
