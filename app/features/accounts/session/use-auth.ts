import { useCallback, useEffect, useRef, useState } from "react";
import { useRouteLoaderData } from "react-router";
import { CONVEX_TOKEN_ADDRESS, fetchConvexToken, readToken } from "./convex/convex-token";

type RootData = { token: string | null } | undefined;

const LEEWAY_MS = 10_000;
const TIMEOUT_MS = 30_000;

/** `useAuth` for `ConvexProviderWithAuth`. The root loader's token opens the connection. Reloads the page when another user signs in. */
export function useAuth() {
  return useTokens(useRouteLoaderData<RootData>("root")?.token ?? null, CONVEX_TOKEN_ADDRESS);
}

export function useTokens(loaded: string | null, address: string) {
  // A missing token means the session lookup failed, not a sign-out.
  const [token, setToken] = useState(loaded);
  if (loaded !== null && loaded !== token) setToken(loaded);
  const latest = useRef(token);
  useEffect(() => {
    latest.current = token;
  }, [token]);

  const fetchAccessToken = useCallback(
    async ({ forceRefreshToken }: { forceRefreshToken: boolean }) => {
      const latestToken = latest.current;
      const claims = latestToken === null ? null : readToken(latestToken);
      if (!forceRefreshToken && claims && claims.expiresAt - Date.now() > LEEWAY_MS) return latestToken;

      const fresh = await fetchWhenReachable(address);
      if (claims && fresh !== null && readToken(fresh)?.userId !== claims.userId) return startAnew();
      return fresh;
    },
    [address],
  );

  return { isLoading: false, isAuthenticated: token !== null, fetchAccessToken };
}

/** Retries until the network is back: Convex's client stops permanently when a token cannot be fetched. */
async function fetchWhenReachable(address: string): Promise<string | null> {
  for (;;) {
    try {
      return await fetchConvexToken(undefined, address);
    } catch {
      await waitUntilOnline();
    }
  }
}

function waitUntilOnline(): Promise<void> {
  return new Promise((resolve) => {
    const controller = new AbortController();
    const done = () => {
      controller.abort();
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(done, TIMEOUT_MS);
    addEventListener("online", done, { signal: controller.signal });
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && done(), { signal: controller.signal });
  });
}

function startAnew(): Promise<never> {
  location.reload();
  return new Promise(() => {});
}
