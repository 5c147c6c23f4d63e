import { type MiddlewareFunction, redirectDocument } from "react-router";
import { configContext } from "~/http/context";
import { originOf } from "~/http/origin.server";
import { postToAuth, relayCookies } from "./auth-request.server";
import { visitor } from "./session.server";

/** The query parameter that carries a one-time token (specification 7). */
const PARAMETER = "ott";

/**
 * Takes a one-time token from a page's address: verifies it, which uses it up, loads the session that it stands for, and leads to the same
 * address without it. Whoever is signed in already stays who they are: a link must not put somebody into another's account unnoticed.
 */
export const oneTimeToken: MiddlewareFunction<Response> = async ({ request, context, url }, next) => {
  const token = url.searchParams.get(PARAMETER);
  if (token === null || request.method !== "GET" || url.pathname.startsWith("/api/")) return next();

  const origin = originOf(context.get(configContext), request);
  const clean = new URL(url.pathname + url.search + url.hash, origin);
  // A path that reads as another site's address stays a path of ours.
  clean.pathname = url.pathname.replace(/^\/+/, "/");
  clean.searchParams.delete(PARAMETER);

  // The token alone speaks here: no cookie of the page's request, and an origin, which browsers leave out of a navigation.
  const asking = new Request(request.url, { headers: { Origin: origin, "User-Agent": request.headers.get("User-Agent") ?? "" } });
  const answer = await postToAuth({ request: asking, context }, "/one-time-token/verify", { token });
  const signedIn = (await visitor(context).catch(() => null)) !== null;
  return redirectDocument(clean.href, { headers: signedIn ? {} : relayCookies(answer) });
};
