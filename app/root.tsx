import geist from "@fontsource-variable/geist/files/geist-latin-wght-normal.woff2?url";
import { type ReactNode, useState, useSyncExternalStore } from "react";
import {
  Links,
  Meta,
  Outlet,
  ScrollRestoration,
  type ShouldRevalidateFunctionArgs,
  UNSAFE_useScrollRestoration as useScrollRestoration,
  useMatches,
} from "react-router";
import { oneTimeToken } from "~/features/accounts/auth-api/one-time-token.server";
import { sessionMiddleware } from "~/features/accounts/session/session.server";
import { connectedConvex, lastForm } from "~/lib/data/connection/connection";
import { isRejectedForm } from "~/lib/data/should-revalidate";
import { convexMiddleware } from "~/features/accounts/session/convex/convex.server";
import { keepLayouts } from "~/lib/data/keep-layouts";
import { rootData } from "~/features/accounts/session/root-data.server";
import { usePreventDrops } from "~/lib/ui/prevent-drops";
import { useRoot } from "~/lib/data/use-root";
import { allowedMethods } from "~/lib/http/middleware/allowed-methods.server";
import { describeErrors } from "~/lib/http/middleware/error-bodies.server";
import { privateResponses } from "~/lib/http/middleware/caching.server";
import { flashMessages } from "~/lib/http/middleware/flash.server";
import { limitRedirectLength } from "~/lib/http/middleware/redirect-length.server";
import { requestId } from "~/lib/http/middleware/request-id.server";
import { retryAfter } from "~/lib/http/middleware/retry-after.server";
import { sameOrigin } from "~/lib/http/middleware/same-origin.server";
import { secureHeaders } from "~/lib/http/middleware/security-headers.server";
import { DeferredScripts } from "~/lib/rendering/deferred-scripts";
import { NavigationGuard } from "~/features/shell/navigation-guard";
import { Announcer } from "~/lib/ui/overlays/announcer";
import { DEFAULT_THEME, DENSITIES } from "~/lib/ui/theme/preferences";
import { FlashBanner } from "~/lib/ui/overlays/flash-banner";
import { ProgressBar } from "~/lib/ui/progress-bar";
import { ThemeColour } from "~/lib/ui/theme/theme-colour";
import { useRememberTimeZone } from "~/lib/ui/time/use-date-settings";
import { DefaultView } from "~/lib/ui/errors/default-view";
import "~/lib/ui/theme/tokens.css";
import type { Route } from "./+types/root";

const APP_NAME = "Atelier";

export const middleware: Route.MiddlewareFunction[] = [
  requestId,
  secureHeaders,
  privateResponses,
  limitRedirectLength,
  retryAfter,
  describeErrors,
  allowedMethods,
  sameOrigin,
  flashMessages,
  sessionMiddleware,
  oneTimeToken,
  convexMiddleware,
];

export const clientMiddleware: Route.ClientMiddlewareFunction[] = [
  async ({ request }, next) => {
    const results = await next();
    return request.method === "GET" ? keepLayouts(results, window.__reactRouterDataRouter?.state.loaderData ?? {}) : results;
  },
];

export const loader = ({ request, context }: Route.LoaderArgs) => rootData(request, context);

/** Rechecks the session on navigation and after account forms, not after mutations over the WebSocket. */
export function shouldRevalidate({ formMethod, formAction, actionResult, defaultShouldRevalidate }: ShouldRevalidateFunctionArgs) {
  if (formAction?.startsWith("/account")) return true;
  if (isRejectedForm(actionResult)) return false;
  if (formMethod !== undefined && formMethod !== "GET" && connectedConvex() && !lastForm.isOverHttp) return false;
  return defaultShouldRevalidate;
}

export const meta: Route.MetaFunction = () => [{ title: APP_NAME }];

export const links: Route.LinksFunction = () => [
  { rel: "preload", href: geist, as: "font", type: "font/woff2", crossOrigin: "anonymous" },
  { rel: "icon", href: "/favicon.ico", sizes: "32x32" },
  { rel: "icon", href: "/favicon.svg", type: "image/svg+xml" },
  { rel: "apple-touch-icon", href: "/apple-touch-icon.png" },
  { rel: "manifest", href: "/manifest.webmanifest" },
];

export function Layout({ children }: { children: ReactNode }) {
  const { theme, density } = { theme: DEFAULT_THEME, density: DENSITIES[0], ...useRoot() };
  usePreventDrops();
  return (
    <html lang="en" data-theme={theme} data-density={density} className={theme}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <ThemeColour theme={theme} />
        <Meta />
        <Links nonce="" />
      </head>
      <body>
        {children}
        {useIsFromServer() ? (
          <>
            <ScrollRestoration />
            <DeferredScripts />
          </>
        ) : (
          <RestoreScroll />
        )}
      </body>
    </html>
  );
}

/** Returns false after a root error: Trusted Types forbid React to create scripts from HTML strings, so the page would be blank. */
function useIsFromServer(): boolean {
  const now = useSyncExternalStore(never, no, alwaysTrue);
  const [atFirst] = useState(now);
  return atFirst;
}

function RestoreScroll() {
  useScrollRestoration();
  return null;
}

const never = () => () => {};
const no = () => false;
const alwaysTrue = () => true;

export default function Root() {
  useRememberTimeZone();
  return (
    <>
      <ProgressBar />
      <Announcer />
      <Banner />
      <Outlet />
      <NavigationGuard />
    </>
  );
}

function Banner() {
  const root = useRoot();
  const inShell = useMatches().some(({ id }) => id === "routes/shell");
  return root?.flash && !(inShell && root.user) ? <FlashBanner flash={root.flash} /> : null;
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  return <DefaultView error={error} />;
}
