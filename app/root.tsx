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
import { oneTimeToken } from "~/accounts/one-time-token.server";
import { sessionMiddleware } from "~/accounts/session.server";
import { connectedConvex } from "~/data/connection";
import { convexMiddleware } from "~/data/convex.server";
import { rootData } from "~/data/root-data.server";
import { useRoot } from "~/data/use-root";
import { privateAnswers } from "~/http/caching.server";
import { flashMessages } from "~/http/flash.server";
import { requestId } from "~/http/request-id.server";
import { retryAfter } from "~/http/retry-after.server";
import { sameOrigin } from "~/http/same-origin.server";
import { secureHeaders } from "~/http/security-headers.server";
import { LateScripts } from "~/rendering/late-scripts";
import { NavigationGuard } from "~/shell/navigation-guard";
import { Announcer } from "~/ui/announcer";
import { DEFAULT_THEME } from "~/ui/preferences";
import { FlashMessage } from "~/ui/flash-message";
import { ProgressBar } from "~/ui/progress-bar";
import { ThemeColour } from "~/ui/theme-colour";
import { DefaultView } from "~/ui/default-view";
import "~/ui/tokens.css";
import type { Route } from "./+types/root";

/** The app's name, as people see it. */
const APP_NAME = "Atelier";

export const middleware: Route.MiddlewareFunction[] = [
  requestId,
  secureHeaders,
  privateAnswers,
  retryAfter,
  sameOrigin,
  flashMessages,
  sessionMiddleware,
  oneTimeToken,
  convexMiddleware,
];

export const loader = ({ request, context }: Route.LoaderArgs) => rootData(request, context);

/** Every navigation asks anew who is there, as do the account's forms; one that went over the websocket asks for nothing. */
export function shouldRevalidate({ formMethod, formAction, defaultShouldRevalidate }: ShouldRevalidateFunctionArgs) {
  if (formAction?.startsWith("/account")) return true;
  if (formMethod !== undefined && formMethod !== "GET" && connectedConvex()) return false;
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
  const theme = useRoot()?.theme ?? DEFAULT_THEME;
  return (
    <html lang="en" data-theme={theme} className={theme}>
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
            <LateScripts />
          </>
        ) : (
          <ScrollPlaces />
        )}
      </body>
    </html>
  );
}

/**
 * Whether the document's frame is the one that the server sent. After a fault of the root the browser builds it anew: its scripts run already, and React
 * would make such elements from a string of HTML, which Trusted Types forbid, and the page would be blank.
 */
function useIsFromServer(): boolean {
  const now = useSyncExternalStore(never, no, yes);
  const [atFirst] = useState(now);
  return atFirst;
}

/** What `ScrollRestoration` does besides its script, which is for a document that comes from the server. */
function ScrollPlaces() {
  useScrollRestoration();
  return null;
}

const never = () => () => {};
const no = () => false;
const yes = () => true;

export default function Root() {
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

/** The message of a redirect, where no shell with its toasts stands. */
function Banner() {
  const root = useRoot();
  const inShell = useMatches().some(({ id }) => id === "routes/shell");
  return inShell && root?.user ? null : <FlashMessage flash={root?.flash ?? null} toasts={false} />;
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  return <DefaultView error={error} />;
}
