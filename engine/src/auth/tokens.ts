/**
 * Checks users' JWTs against the providers of the code in force.
 */
import { decodeJwt, errors, jwtVerify } from "jose";
import { RequestError } from "../http/errors.ts";
import type { Identity, Json } from "../values/types.ts";
import { identityFromClaims } from "./claims.ts";
import { createProvider, readProvider, type Provider } from "./providers.ts";

/** Clocks may differ by so much (`facts/engine.md`, Data). */
const CLOCK_SKEW_S = 5;
/** A verified token is remembered, since checking an ES256 signature costs more than a query. */
const REMEMBERED_TOKENS = 2_000;

type UserToken = Extract<Identity, { kind: "user" }>;

export interface TokenVerifier {
  /** Replaces the providers, as a push does. @throws {Error} naming the entry that is wrong */
  configure(providers: Json[]): void;
  /** @throws {RequestError} 401 saying why the token proves nothing */
  verify(token: string): Promise<UserToken>;
}

/** Also true of a token that was valid when the connection began (checked lazily, before each use). */
export function hasExpired(identity: Identity, now = Date.now()): boolean {
  return identity.kind === "user" && identity.expiresAt + CLOCK_SKEW_S * 1000 <= now;
}

export function createTokenVerifier(): TokenVerifier {
  let providers: Provider[] = [];
  const verified = new Map<string, UserToken>();

  return {
    configure(configs) {
      providers = configs.map((config) => createProvider(readProvider(config)));
      verified.clear();
    },
    async verify(token) {
      const known = verified.get(token);
      if (known && !hasExpired(known)) return known;
      const identity = await check(token, providers);
      if (verified.size >= REMEMBERED_TOKENS) verified.delete(verified.keys().next().value ?? "");
      verified.set(token, identity);
      return identity;
    },
  };
}

async function check(token: string, providers: Provider[]): Promise<UserToken> {
  const provider = providerFor(token, providers);
  try {
    const { payload } = await jwtVerify(token, provider.keys, {
      algorithms: provider.algorithms,
      clockTolerance: CLOCK_SKEW_S,
      requiredClaims: ["iss", "sub", "exp"],
      ...(provider.applicationId === null ? {} : { audience: provider.applicationId }),
    });
    const { iss, sub, exp } = payload;
    if (iss === undefined || sub === undefined || exp === undefined) throw unauthenticated("The token lacks iss, sub or exp.");
    return {
      kind: "user",
      user: identityFromClaims({ ...payload, iss, sub }, { flatten: provider.type === "customJwt" }),
      expiresAt: exp * 1000,
    };
  } catch (error) {
    if (error instanceof RequestError) throw error;
    if (error instanceof errors.JOSEError) {
      throw unauthenticated(
        `Could not verify OIDC token claim. Check that the token signature is valid and the token hasn't expired. (${error.message})`,
      );
    }
    throw new RequestError(503, "AuthProviderUnavailable", `Could not fetch the keys of ${provider.issuer}.`);
  }
}

/** The provider with the token's issuer, and of several the one whose application the token is for. */
function providerFor(token: string, providers: Provider[]): Provider {
  let claims: ReturnType<typeof decodeJwt>;
  try {
    claims = decodeJwt(token);
  } catch {
    throw unauthenticated(
      "Could not parse JWT payload. Check that the token is a valid JWT format with three base64-encoded parts separated by dots.",
    );
  }
  const ofIssuer = providers.filter((provider) => sameIssuer(provider.issuer, claims.iss));
  const audiences = [claims.aud ?? []].flat();
  const found = ofIssuer.find(({ applicationId }) => applicationId === null || audiences.includes(applicationId));
  if (found) return found;
  const configured = providers.length === 0 ? "no providers configured" : "check its iss and aud";
  throw new RequestError(
    401,
    "NoAuthProvider",
    `No auth provider found matching the given token (${configured}). Check your server auth config.`,
  );
}

const sameIssuer = (configured: string, issuer: string | undefined) =>
  issuer !== undefined && stripSlash(configured) === stripSlash(issuer);
const stripSlash = (url: string) => url.replace(/\/$/, "");

const unauthenticated = (message: string) => new RequestError(401, "Unauthenticated", message);
