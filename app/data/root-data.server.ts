import type { RouterContextProvider } from "react-router";
import { shownUser } from "~/accounts/shown-user";
import { readCookie } from "~/accounts/cookies";
import { visitor } from "~/accounts/session.server";
import { configContext } from "~/http/context";
import { takeFlash } from "~/http/flash.server";
import { originOf } from "~/http/origin.server";
import { THEME_COOKIE, themeFrom } from "~/ui/preferences";
import { buildContext } from "./build.server";

/** What every load of a page gives: who is there, and how the page looks. Specification 7: the user id and the token come with every load of a route. */
export async function rootData(request: Request, context: Readonly<RouterContextProvider>) {
  // While the session cannot be looked up the pages that need it say so themselves; the rest needs none.
  const who = await visitor(context).catch(() => null);
  const told = await takeFlash(request, context);
  return {
    userId: who?.userId ?? null,
    token: who?.convexToken ?? null,
    user: who && shownUser(who.user),
    theme: themeFrom(readCookie(request.headers, THEME_COOKIE)),
    convex: context.get(configContext).browserConvex,
    build: context.get(buildContext),
    flash: told?.done === undefined ? told : null,
    done: told?.done ?? null,
    origin: originOf(context.get(configContext), request),
  };
}
