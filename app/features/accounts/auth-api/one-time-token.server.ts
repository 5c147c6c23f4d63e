import { type MiddlewareFunction, redirectDocument } from "react-router";
import { configContext } from "~/lib/http/context";
import { originOf } from "~/lib/http/origin.server";
import { relayCookies } from "./auth-request.server";
import { followLink, ONE_TIME_TOKEN, type SignInLink, switchAccountAddress } from "./sign-in-link.server";

/** Verifies and removes a one-time token in a page's address (specification 7). Asks for confirmation if another user is signed in. */
export const oneTimeToken: MiddlewareFunction<Response> = async ({ request, context, url }, next) => {
  const token = url.searchParams.get(ONE_TIME_TOKEN);
  if (token === null || request.method !== "GET" || url.pathname.startsWith("/api/")) return next();

  const search = new URLSearchParams(url.searchParams);
  search.delete(ONE_TIME_TOKEN);
  // Browsers resolve a path that starts with "//" to another host.
  const target = url.pathname.replace(/^\/+/, "/") + (search.size > 0 ? `?${search}` : "");
  const link: SignInLink = { kind: "one-time-token", token, target };
  const question = await switchAccountAddress(link, { request, context });
  if (question !== null) return redirectDocument(question);

  const answer = await followLink(link, { request, context });
  return redirectDocument(originOf(context.get(configContext), request) + target, { headers: relayCookies(answer) });
};
