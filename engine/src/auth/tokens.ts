import { decodeJwt, errors, jwtVerify } from "jose";
import { LRUCache } from "lru-cache";
import { RequestError } from "../http/errors.ts";
import { parseJson } from "../values/parse-json.ts";
import type { Identity, Json } from "../values/types.ts";
import { identityFromClaims } from "./claims.ts";
import { createProvider, readProvider, type Provider } from "./providers.ts";

const CLOCK_SKEW_S = 5;
const MAX_TOKENS = 2_000;

type UserToken = Extract<Identity, { kind: "user" }>;

export interface TokenVerifier {
  readonly verifiedCount: number;
  configure(providers: Json[], report?: (error: unknown) => void): void;
  verify(token: string): Promise<UserToken>;
}

export function hasExpired(identity: Identity, now = Date.now()): boolean {
  return identity.kind === "user" && identity.expiresAt + CLOCK_SKEW_S * 1000 <= now;
}

export function createTokenVerifier(): TokenVerifier {
  let providers: Provider[] = [];
  const verified = new LRUCache<string, UserToken>({ max: MAX_TOKENS });

  return {
    configure(configs, report = console.error) {
      providers = configs.flatMap((config) => {
        try {
          return [createProvider(readProvider(config))];
        } catch (error) {
          report(new Error("A provider of auth.config cannot be used, so its tokens are refused.", { cause: error }));
          return [];
        }
      });
      verified.clear();
    },
    get verifiedCount() {
      return verified.size;
    },
    async verify(token) {
      const cached = verified.get(token);
      if (cached && !hasExpired(cached)) return cached;
      const identity = await check(token, providers);
      verified.set(token, identity);
      return identity;
    },
  };
}

async function check(token: string, providers: Provider[]): Promise<UserToken> {
  const provider = providerFor(token, providers);
  try {
    const { payload, protectedHeader } = await jwtVerify(token, provider.keys, {
      algorithms: provider.algorithms,
      clockTolerance: CLOCK_SKEW_S,
      requiredClaims: ["iss", "sub", "exp"],
      ...(provider.applicationId === null ? {} : { audience: provider.applicationId }),
    });
    const { iss, sub, exp, iat } = payload;
    if (protectedHeader.kid === undefined) throw unauthenticated("The token's header lacks kid.");
    // `exp` and `nbf` are verified above; jose checks only the format of `iat`.
    if (iat !== undefined && iat > Date.now() / 1000 + CLOCK_SKEW_S) throw unauthenticated("The token was issued in the future.");
    if (iss === undefined || typeof sub !== "string" || exp === undefined) throw unauthenticated("The token lacks iss, sub or exp.");
    return {
      kind: "user",
      user: identityFromClaims({ ...payload, iss, sub }, { flatten: provider.type === "customJwt" }),
      expiresAt: exp * 1000,
    };
  } catch (error) {
    if (error instanceof RequestError) throw error;
    if (error instanceof errors.JOSEError || !provider.hasRemoteKeys) {
      throw unauthenticated(
        `Could not verify OIDC token claim. Check that the token signature is valid and the token hasn't expired. (${error instanceof Error ? error.message : String(error)})`,
      );
    }
    throw new RequestError(503, "AuthProviderUnavailable", `Could not fetch the keys of ${provider.issuer}.`);
  }
}

function providerFor(token: string, providers: Provider[]): Provider {
  let claims: ReturnType<typeof decodeJwt>;
  try {
    claims = decodeJwt(token);
    // Deeply nested claims would exceed the stack where they are copied.
    parseJson(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
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

const sameIssuer = (configured: string, issuer: unknown) => typeof issuer === "string" && stripSlash(configured) === stripSlash(issuer);
const stripSlash = (url: string) => url.replace(/\/$/, "");

const unauthenticated = (message: string) => new RequestError(401, "Unauthenticated", message);
