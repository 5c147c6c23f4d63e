import { useCallback, useEffect, useRef, useState } from "react";
import { useRouteLoaderData } from "react-router";
import { fetchConvexToken, readToken } from "./convex-token";

/** What of the root loader's answer is read here. */
type RootData = { token: string | null } | undefined;

/** A token with less to live than this is not offered to the deployment. */
const LEEWAY_MS = 10_000;
/** How long to wait for the network after giving up, when nothing tells of it earlier. */
const PATIENCE_MS = 30_000;

/**
 * `useAuth` for `ConvexProviderWithAuth`: the first token is the root loader's, so that the connection opens without asking; later ones are
 * fetched. Whoever is signed in when a page was loaded is who it is for: once another person is, the page is loaded anew.
 */
export function useAuth() {
  const loaded = useRouteLoaderData<RootData>("root")?.token ?? null;
  // The loader has none while the session cannot be looked up: that is no sign-out.
  const [token, setToken] = useState(loaded);
  if (loaded !== null && loaded !== token) setToken(loaded);
  const latest = useRef(token);
  useEffect(() => {
    latest.current = token;
  }, [token]);

  const fetchAccessToken = useCallback(async ({ forceRefreshToken }: { forceRefreshToken: boolean }) => {
    const known = latest.current;
    const claims = known === null ? null : readToken(known);
    if (!forceRefreshToken && claims && claims.expiresAt - Date.now() > LEEWAY_MS) return known;

    const fresh = await fetchWhenReachable();
    if (claims && fresh !== null && readToken(fresh)?.userId !== claims.userId) return startAnew();
    return fresh;
  }, []);

  return { isLoading: false, isAuthenticated: token !== null, fetchAccessToken };
}

/**
 * The deployment's client stands still for good when its token cannot be fetched. So where the specification's retries give up, this waits for
 * a sign that trying is worth it again, and the page goes on being live when the network is back.
 */
async function fetchWhenReachable(): Promise<string | null> {
  for (;;) {
    try {
      return await fetchConvexToken();
    } catch {
      await worthTrying();
    }
  }
}

function worthTrying(): Promise<void> {
  return new Promise((resolve) => {
    const over = new AbortController();
    const done = () => {
      over.abort();
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(done, PATIENCE_MS);
    addEventListener("online", done, { signal: over.signal });
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && done(), { signal: over.signal });
  });
}

function startAnew(): Promise<never> {
  location.reload();
  return new Promise(() => {});
}
