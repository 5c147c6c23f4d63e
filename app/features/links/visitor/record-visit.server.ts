import type { RouterContextProvider } from "react-router";
import type { AppConfig } from "~/config";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import { isDocumentRequest } from "~/lib/forms/is-document-request.server";
import { configContext } from "~/lib/http/context";
import { api } from "#convex/_generated/api";
import type { OpenedLink } from "../open-link.server";

/** Visits are stored together after this time, so that many requests cost few mutations. */
const STORED_AFTER_MS = 2000;

const counts = new Map<string, number>();

/** Counts a visit: the load of a document that does not come from another page of the link. Ignores errors. */
export function recordVisit(request: Request, context: Readonly<RouterContextProvider>, { linkId, token }: OpenedLink): void {
  if (!isDocumentRequest(request) || request.method !== "GET" || request.headers.get("Referer")?.includes(token)) return;
  if (!counts.has(linkId)) setTimeout(() => storeVisits(context.get(configContext), linkId), STORED_AFTER_MS).unref();
  counts.set(linkId, (counts.get(linkId) ?? 0) + 1);
}

function storeVisits(config: AppConfig, linkId: string): void {
  const visits = counts.get(linkId) ?? 0;
  counts.delete(linkId);
  void serviceConvex(config)
    .mutation(api.links.noteVisits, { linkId, visits }, { skipQueue: true })
    .catch(() => {});
}
