import { takeUploads } from "~/images/take.server";
import type { Route } from "./+types/uploads";

/**
 * Takes files for the design that `?design=` names and answers in JSON, for the page's script, which sends them one by one to tell how far each
 * has come. Without scripts the same form goes to the design's own page.
 */
export async function action({ request, context, url }: Route.ActionArgs) {
  return Response.json(await takeUploads(request, url.searchParams.get("design") ?? "", context));
}

export function loader() {
  return new Response(null, { status: 405, headers: { Allow: "POST" } });
}
