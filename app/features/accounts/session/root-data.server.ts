import type { RouterContextProvider } from "react-router";
import { userSummary } from "~/features/accounts/session/user-summary";
import { readCookie } from "~/features/accounts/session/cookies";
import { getVisitor } from "~/features/accounts/session/session.server";
import { configContext } from "~/lib/http/context";
import { takeFlash } from "~/lib/http/middleware/flash.server";
import { originOf } from "~/lib/http/origin.server";
import { choiceFrom, DENSITIES, DENSITY_COOKIE, THEME_COOKIE, themeFrom, TIME_ZONE_COOKIE } from "~/lib/ui/theme/preferences";
import { localeFrom, timeZoneFrom } from "~/lib/ui/time/date-format";
import { buildContext } from "~/lib/data/build.server";
import type { RootData } from "~/lib/data/use-root";

/** Returns the user id and the token, which are part of every route load (specification 7). */
export async function rootData(request: Request, context: Readonly<RouterContextProvider>): Promise<RootData> {
  const visitor = await getVisitor(context).catch(() => null);
  const message = await takeFlash(request, context);
  return {
    userId: visitor?.userId ?? null,
    token: visitor?.convexToken ?? null,
    user: visitor && userSummary(visitor.user),
    theme: themeFrom(readCookie(request.headers, THEME_COOKIE)),
    density: choiceFrom(DENSITIES, readCookie(request.headers, DENSITY_COOKIE)),
    locale: localeFrom(request.headers.get("Accept-Language")),
    timeZone: timeZoneFrom(readCookie(request.headers, TIME_ZONE_COOKIE)),
    convex: context.get(configContext).browserConvex,
    build: context.get(buildContext),
    flash: message?.done === undefined ? message : null,
    done: message?.done ?? null,
    origin: originOf(context.get(configContext), request),
  };
}
