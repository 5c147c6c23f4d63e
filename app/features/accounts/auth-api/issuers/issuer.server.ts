import { authorizationCodeRequest, getOAuth2Tokens, type OAuth2Tokens, refreshAccessTokenRequest } from "@better-auth/core/oauth2";
import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify, type JWTVerifyOptions } from "jose";
import { z } from "zod";
import { type AppConfig, CLOCK_SKEW_SECONDS, type IssuerSettings } from "~/config";
import { log } from "~/lib/http/telemetry/log.server";
import { fetchFromIssuer, isAllowedForBrowsers } from "./issuer-fetch.server";
import { type IssuerProfile, lacksClaims, profileFrom } from "./issuer-profile";

const METADATA_MS = 60 * 60 * 1000;
/** Time after a failed fetch within which it is not repeated, so that requests do not wait for an issuer that is down. */
export const PAUSE_MS = 10 * 1000;
/** Time within which an unknown key of a logout token triggers no further fetch, because anybody can send one. */
const KEYS_COOLDOWN_MS = 30 * 1000;

/** Symmetric algorithms would use the client secret, and "none" no key. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"];

const LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout";
/** Logout tokens older than this are rejected (seconds). Their ids are stored for longer. */
const LOGOUT_TOKEN_SECONDS = 10 * 60;
export const LOGOUT_ID_SECONDS = LOGOUT_TOKEN_SECONDS + 2 * CLOCK_SKEW_SECONDS;

const texts = z.array(z.string()).optional();

/** OpenID Connect Discovery 1.0, 3. */
const metadataSchema = z.object({
  issuer: z.string(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  jwks_uri: z.url(),
  userinfo_endpoint: z.url().optional(),
  end_session_endpoint: z.url().optional(),
  token_endpoint_auth_methods_supported: texts,
  authorization_response_iss_parameter_supported: z.boolean().optional(),
});

export type IssuerMetadata = z.infer<typeof metadataSchema>;

/** OpenID Connect Back-Channel Logout 1.0, 2.4. */
const logoutClaims = z
  .looseObject({
    jti: z.string().min(1),
    sub: z.string().optional(),
    sid: z.string().optional(),
    events: z.looseObject({ [LOGOUT_EVENT]: z.looseObject({}) }),
    nonce: z.undefined().optional(),
  })
  .refine(({ sub, sid }) => sub !== undefined || sid !== undefined, { error: "sub and sid are missing" });

export type LogoutRequest = { jti: string; sub?: string | undefined; sid?: string | undefined };

export type Issuer = ReturnType<typeof openIssuer>;

const opened = new WeakMap<AppConfig, Map<string, Issuer>>();

export function issuersOf(config: AppConfig): ReadonlyMap<string, Issuer> {
  const existing = opened.get(config);
  if (existing) return existing;
  const created = new Map(config.issuers.map((settings) => [settings.id, openIssuer(settings)]));
  opened.set(config, created);
  return created;
}

/** Creates a client of an issuer. Its methods throw when the issuer does not answer, or answers something invalid. */
export function openIssuer(settings: IssuerSettings) {
  const { issuer, clientId, clientSecret } = settings;
  let cached: { metadata: IssuerMetadata; at: number } | null = null;
  let pending: Promise<IssuerMetadata> | null = null;
  let keys: { uri: string; set: ReturnType<typeof createRemoteJWKSet> } | null = null;
  const fetchMetadata = pausedAfterFailure(() => discover(issuer));

  /** Returns the discovery document, at most an hour old, or an older one while the issuer does not answer. */
  async function metadata(): Promise<IssuerMetadata> {
    if (cached && Date.now() - cached.at < METADATA_MS) return cached.metadata;
    return refreshMetadata().catch((error: unknown) => {
      if (!cached) throw error;
      log.warn({ from: "accounts", provider: settings.id, error }, "an issuer's metadata could not be refreshed");
      return cached.metadata;
    });
  }

  function refreshMetadata(): Promise<IssuerMetadata> {
    pending ??= fetchMetadata()
      .then((found) => {
        cached = { metadata: found, at: Date.now() };
        return found;
      })
      .finally(() => {
        pending = null;
      });
    return pending;
  }

  function keysOf({ jwks_uri: uri }: IssuerMetadata) {
    if (keys?.uri !== uri) {
      const fetchKeys = pausedAfterFailure(() => fetchFromIssuer(issuer, uri));
      const set = createRemoteJWKSet(new URL(uri), {
        cooldownDuration: KEYS_COOLDOWN_MS,
        [customFetch]: async () => Response.json(await fetchKeys()),
      });
      keys = { uri, set };
    }
    return keys.set;
  }

  async function verify(token: string, options: JWTVerifyOptions): Promise<JWTPayload> {
    const rules = { issuer, audience: clientId, algorithms: ALGORITHMS, clockTolerance: CLOCK_SKEW_SECONDS, ...options };
    const keys = keysOf(await metadata());
    try {
      return (await jwtVerify(token, keys, rules)).payload;
    } catch (error) {
      // Other errors of jose contain the claims, which are not logged.
      throw error instanceof errors.JOSEError && !isUnknownKey(error) ? new Error(error.message) : error;
    }
  }

  async function fetchTokens(
    kind: "code" | "refresh",
    request: (tokenEndpointAuth: { method: "client_secret_basic" | "client_secret_post" }) => Promise<{
      body: URLSearchParams;
      headers: Record<string, string>;
    }>,
  ): Promise<OAuth2Tokens> {
    const { token_endpoint, token_endpoint_auth_methods_supported: methods = ["client_secret_basic"] } = await metadata();
    const method = methods.includes("client_secret_basic") ? "client_secret_basic" : "client_secret_post";
    const { body, headers } = await request({ method });
    const answer = z
      .looseObject({ access_token: z.string() })
      .parse(await fetchFromIssuer(issuer, token_endpoint, { method: "POST", headers, body }));
    const tokens = getOAuth2Tokens(answer);
    if (kind === "code" && !tokens.idToken) throw new Error("The issuer sent no ID token.");
    return tokens;
  }

  return {
    settings,
    metadata,
    checkMetadata: refreshMetadata,

    exchangeCode: (sent: { code: string; codeVerifier?: string | undefined; redirectURI: string }): Promise<OAuth2Tokens> =>
      fetchTokens("code", (tokenEndpointAuth) =>
        authorizationCodeRequest({ ...sent, options: { clientId, clientSecret }, tokenEndpointAuth }),
      ),

    refresh: (refreshToken: string): Promise<OAuth2Tokens> =>
      fetchTokens("refresh", (tokenEndpointAuth) =>
        refreshAccessTokenRequest({ refreshToken, options: { clientId, clientSecret }, tokenEndpointAuth }),
      ),

    /** Verifies an ID token of the token endpoint (OpenID Connect Core 1.0, 3.1.3.7) and returns the user's profile. */
    async profileOf({ idToken, accessToken }: OAuth2Tokens, nonce: string): Promise<IssuerProfile> {
      if (!idToken) throw new Error("The issuer sent no ID token.");
      const options = { requiredClaims: ["iss", "sub", "aud", "exp", "iat", "nonce"] };
      const payload = await verify(idToken, options).catch(async (error: unknown) => {
        if (!isUnknownKey(error)) throw error;
        // The keys were rotated. The token came from the issuer itself, so the cooldown is not needed.
        await keysOf(await refreshMetadata()).reload();
        return verify(idToken, options);
      });
      if (payload["nonce"] !== nonce) throw new Error("The nonce of the ID token differs from that of the request.");
      const authorized: unknown = payload["azp"];
      const isForOthers = Array.isArray(payload.aud) && payload.aud.length > 1;
      if (authorized === undefined ? isForOthers : authorized !== clientId) throw new Error("The ID token was issued to another client.");
      const { userinfo_endpoint } = await metadata();
      const isIncomplete = lacksClaims(payload, { groups: settings.groups.length > 0 || settings.adminGroup !== null });
      if (!isIncomplete || !userinfo_endpoint || !accessToken) return profileFrom(payload);
      return profileFrom(payload, await userInfo(userinfo_endpoint, accessToken));
    },

    /** Returns the profile from the user info alone. Not for sign-in: an access token may have been issued to another client. */
    async currentProfile(accessToken: string): Promise<IssuerProfile | null> {
      const { userinfo_endpoint } = await metadata();
      return userinfo_endpoint ? profileFrom(await userInfo(userinfo_endpoint, accessToken)) : null;
    },

    /** Verifies a logout token (OpenID Connect Back-Channel Logout 1.0, 2.6), except that it was not used before. */
    async verifyLogout(token: string): Promise<LogoutRequest> {
      const payload = await verify(token, { requiredClaims: ["iss", "aud", "iat", "jti", "events"], maxTokenAge: LOGOUT_TOKEN_SECONDS });
      const { jti, sub, sid } = logoutClaims.parse(payload);
      return { jti, sub, sid };
    },
  };

  function userInfo(endpoint: string, accessToken: string): Promise<unknown> {
    return fetchFromIssuer(issuer, endpoint, { headers: { Authorization: `Bearer ${accessToken}` } });
  }
}

const isUnknownKey = (error: unknown): boolean => error instanceof errors.JWKSNoMatchingKey;

function pausedAfterFailure<T>(fetchContent: () => Promise<T>): () => Promise<T> {
  let failure: { error: unknown; at: number } | null = null;
  return async () => {
    if (failure && Date.now() - failure.at < PAUSE_MS) throw failure.error;
    try {
      const content = await fetchContent();
      failure = null;
      return content;
    } catch (error) {
      failure = { error, at: Date.now() };
      throw error;
    }
  };
}

async function discover(issuer: string): Promise<IssuerMetadata> {
  const found = metadataSchema.parse(await fetchFromIssuer(issuer, `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`));
  // Discovery 1.0, 4.3: otherwise one issuer could impersonate another.
  if (found.issuer !== issuer)
    throw new Error(`The issuer's name is ${JSON.stringify(found.issuer)}, but the setting is ${JSON.stringify(issuer)}.`);
  for (const endpoint of [found.authorization_endpoint, found.end_session_endpoint])
    if (endpoint !== undefined && !isAllowedForBrowsers(issuer, endpoint)) throw new Error(`The endpoint ${endpoint} does not use https.`);
  return found;
}
