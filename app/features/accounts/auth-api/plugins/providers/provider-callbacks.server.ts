import type { BetterAuthPlugin } from "better-auth";
import type { AppConfig } from "~/config";

const MARK = "~";
const MARKED_STATE = /^(.+)~(\d{1,3})$/;
const CALLBACK = /^\/api\/auth\/callback\/[^/]+\/?$/;

/** Sends callbacks to the first origin of APP_URL, the registered one. The state names the origin that has the state cookie. */
export function providerCallbacks({ origins }: AppConfig, origin: string): BetterAuthPlugin {
  const index = origins.indexOf(origin);
  const [first] = origins;
  return {
    id: "provider-callbacks",
    init({ socialProviders }) {
      if (first === undefined || index <= 0) return;
      for (const provider of socialProviders) {
        const { createAuthorizationURL, validateAuthorizationCode } = provider;
        const atFirst = (redirectURI: string) => first + new URL(redirectURI).pathname;
        provider.createAuthorizationURL = (requested) =>
          createAuthorizationURL.call(provider, {
            ...requested,
            redirectURI: atFirst(requested.redirectURI),
            state: `${requested.state}${MARK}${index}`,
          });
        provider.validateAuthorizationCode = (codeData) =>
          validateAuthorizationCode.call(provider, { ...codeData, redirectURI: atFirst(codeData.redirectURI) });
      }
    },
  };
}

/** Returns the callback's address at the origin where the sign-in began, or null. The target is always one of APP_URL's origins. */
export function callbackAtItsOrigin({ origins }: AppConfig, { pathname, searchParams }: URL): string | null {
  if (!CALLBACK.test(pathname)) return null;
  const [, state, index] = MARKED_STATE.exec(searchParams.get("state") ?? "") ?? [];
  const origin = origins[Number(index)];
  if (state === undefined || origin === undefined) return null;
  const query = new URLSearchParams(searchParams);
  query.set("state", state);
  return `${origin}${pathname}?${query}`;
}
