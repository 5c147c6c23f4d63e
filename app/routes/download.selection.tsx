import { downloadSelection } from "~/archives/download.server";
import type { Route } from "./+types/download.selection";

/** The originals of all that was chosen on a page. Posted, since its ids would make too long an address. */
export function action({ request, context }: Route.ActionArgs) {
  return downloadSelection(request, context);
}

/** Whoever asks for the address by itself has chosen nothing. */
export function loader() {
  return new Response("Method Not Allowed", { status: 405, headers: { Allow: "POST", "Content-Type": "text/plain; charset=utf-8" } });
}
