import { tryGetCurrentAuthEndpointContext } from "@better-auth/core/context";
import { createAuthorizationURL, type OAuthProvider } from "@better-auth/core/oauth2";
import { APIError, getOAuthState } from "better-auth/api";
import { log } from "~/lib/http/telemetry/log.server";
import type { Issuer } from "./issuer.server";
import type { IssuerProfile } from "./issuer-profile";

/** The provider id in an OAuth flow's server context. It binds the callback to the issuer at which the flow began. */
export const FLOW_ISSUER = "issuer";

export const ISSUER_UNAVAILABLE = "ISSUER_UNAVAILABLE";

type EndSession = (data: { providerId: string }) => Promise<{ idToken: string | null } | null>;

type ProviderOptions = {
  requireEmailVerification: boolean;
  endSession: EndSession;
};

/** Creates Better Auth's provider for an issuer. Better Auth's own routes create and check state, PKCE and nonce. */
export function issuerProvider(client: Issuer, { requireEmailVerification, endSession }: ProviderOptions): OAuthProvider<IssuerProfile> {
  const { id, issuer, label, clientId, clientSecret, scopes } = client.settings;
  return {
    id,
    name: label,
    issuer,
    requiresIdTokenNonce: true,
    accountSubject: ({ profile }) => profile.sub,

    async createAuthorizationURL({ state, codeVerifier, redirectURI, idTokenNonce, loginHint, additionalParams, scopes: more = [] }) {
      const { authorization_endpoint } = await available(client);
      return createAuthorizationURL({
        id,
        options: { clientId, clientSecret },
        authorizationEndpoint: authorization_endpoint,
        state,
        codeVerifier,
        redirectURI,
        scopes: [...new Set([...scopes, ...more])],
        ...(idTokenNonce !== undefined && { nonce: idTokenNonce }),
        ...(loginHint !== undefined && { loginHint }),
        ...(additionalParams && { additionalParams }),
      });
    },

    async validateAuthorizationCode({ code, codeVerifier, redirectURI }) {
      await expectOwnCallback(client);
      return client.exchangeCode({ code, codeVerifier, redirectURI });
    },

    async getUserInfo({ expectedIdTokenNonce, ...tokens }) {
      // Better Auth requires the nonce for sign-in and linking. Without it the profile is only shown.
      const profile =
        expectedIdTokenNonce === undefined
          ? await client.currentProfile(tokens.accessToken ?? "")
          : await client.profileOf(tokens, expectedIdTokenNonce);
      if (!profile) return null;
      const { name, email, emailVerified, picture } = profile;
      return { user: { name: name ?? email?.split("@", 1)[0], email, emailVerified, image: picture }, data: profile };
    },

    refreshAccessToken: (refreshToken) => client.refresh(refreshToken),

    ...(client.settings.endSession && {
      async createEndSessionURL({ postLogoutRedirectURI, state }) {
        const ending = await endSession({ providerId: id });
        const { end_session_endpoint } = ending ? await client.metadata() : {};
        if (!ending || end_session_endpoint === undefined) return null;
        const url = new URL(end_session_endpoint);
        url.searchParams.set("client_id", clientId);
        if (ending.idToken !== null) url.searchParams.set("id_token_hint", ending.idToken);
        if (postLogoutRedirectURI !== undefined) url.searchParams.set("post_logout_redirect_uri", postLogoutRedirectURI);
        if (state !== undefined) url.searchParams.set("state", state);
        return url;
      },
    }),

    // An ID token that a program sends has no nonce of ours.
    options: { disableIdTokenSignIn: true, requireEmailVerification },
  } satisfies OAuthProvider<IssuerProfile>;
}

async function available(client: Issuer) {
  try {
    return await client.metadata();
  } catch (error) {
    log.warn({ from: "accounts", provider: client.settings.id, error }, "an issuer is not available");
    throw new APIError("BAD_GATEWAY", { code: ISSUER_UNAVAILABLE, message: "The issuer is not available" });
  }
}

/** Throws before the code is sent to an issuer at which this sign-in did not begin (RFC 9207, 2.4 and 4). */
async function expectOwnCallback(client: Issuer): Promise<void> {
  const begunAt = (await getOAuthState())?.serverContext?.[FLOW_ISSUER];
  if (begunAt !== client.settings.id) throw new Error("The sign-in began at another issuer.");
  const { authorization_response_iss_parameter_supported: namesItself } = await client.metadata();
  // Better Auth compares the name, but accepts a response without it.
  if (namesItself && tryGetCurrentAuthEndpointContext()?.query?.["iss"] === undefined) throw new Error("The response names no issuer.");
}
