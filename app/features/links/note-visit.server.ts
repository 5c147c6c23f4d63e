import type { RouterContextProvider } from "react-router";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import { isDocumentRequest } from "~/lib/forms/is-document-request.server";
import { configContext } from "~/lib/http/context";
import { api } from "#convex/_generated/api";
import type { OpenedLink } from "./open-link.server";

/** A visit is a loaded document whose request does not come from another page of the link. Errors are ignored. */
export function noteVisit(request: Request, context: Readonly<RouterContextProvider>, { linkId, token }: OpenedLink): void {
  if (!isDocumentRequest(request) || request.method !== "GET" || request.headers.get("Referer")?.includes(token)) return;
  void serviceConvex(context.get(configContext))
    .mutation(api.links.noteVisit, { linkId }, { skipQueue: true })
    .catch(() => {});
}
