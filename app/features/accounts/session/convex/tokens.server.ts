import { importJWK, type JWTPayload, jwtVerify, SignJWT } from "jose";
import { JOSEError } from "jose/errors";
import { LRUCache } from "lru-cache";
import {
  type AppConfig,
  CLOCK_SKEW_SECONDS,
  LINK_AUDIENCE,
  SERVICE_AUDIENCE,
  TOKEN_ISSUER,
  TOKEN_REFRESH_LEEWAY_SECONDS,
  USER_AUDIENCE,
} from "~/config";
import { showSize } from "~/lib/http/telemetry/metrics.server";

/** ES256 tokens for the deployment (`convex/auth.config.ts`). A user's token names the session, which functions check. */

export type UserClaims = {
  userId: string;
  sessionId: string;
  user: { id: string; name: string; email: string; emailVerified: boolean; image: string | null };
};

/** `quota` is in bytes; the app server's own calls pass it as an argument. */
type Plans = { limited?: boolean; quota?: number };

type UserTokenOptions = Plans & { address?: string };

type SigningKey = AppConfig["signingKey"];

/** Lifetime in seconds. It is short, because scripts in the browser can read the token. */
export const USER_TOKEN_SECONDS = 15 * 60;
/** Minimum lifetime in seconds, even if the session ends sooner. Below the refresh leeway, the browser would fetch tokens in a loop. */
export const MIN_USER_TOKEN_SECONDS = TOKEN_REFRESH_LEEWAY_SECONDS + 60;
export const SERVICE_TOKEN_SECONDS = 10 * 60;
const LINK_TOKEN_SECONDS = 5 * 60;
const SERVICE_SUBJECT = "app-server";
const LINK_SUBJECT = "public-link";

const ALGORITHM = "ES256";

export async function signUserToken(
  key: SigningKey,
  claims: UserClaims,
  sessionExpiresAt: Date,
  options: UserTokenOptions = {},
): Promise<string> {
  const { address, ...plans } = options;
  const now = Math.floor(Date.now() / 1000);
  const sessionSeconds = Math.floor(sessionExpiresAt.getTime() / 1000) - now;
  const expires = now + Math.max(Math.min(USER_TOKEN_SECONDS, sessionSeconds), MIN_USER_TOKEN_SECONDS);
  const { name, email, emailVerified, image } = claims.user;
  return sign(
    key,
    {
      sessionId: claims.sessionId,
      name,
      email,
      email_verified: emailVerified,
      picture: image,
      ...limitedBy(plans),
      ...(address !== undefined && { address }),
    },
    claims.userId,
    USER_AUDIENCE,
    expires,
  );
}

export function signServiceToken(key: SigningKey, plans: Plans = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return sign(key, { service: true, ...limitedBy(plans) }, SERVICE_SUBJECT, SERVICE_AUDIENCE, now + SERVICE_TOKEN_SECONDS);
}

/** Signs a token for visitors of a public link. The subject names the link, because the deployment shares its time fairly between subjects. `lock` identifies the link's current password. */
export function signLinkToken(key: SigningKey, { linkId, lock }: { linkId: string; lock: number }): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return sign(key, { linkId, lock }, `${LINK_SUBJECT} ${linkId}`, LINK_AUDIENCE, now + LINK_TOKEN_SECONDS);
}

/** Returns the claims of a user's token, or null if it is invalid or expires within `leewaySeconds`. */
export async function readUserToken(key: SigningKey, token: string, leewaySeconds = 0): Promise<UserClaims | null> {
  const now = Date.now() + leewaySeconds * 1000;
  const cached = verified(key).get(token);
  if (cached) return cached.expiresAt > now ? cached.claims : null;
  try {
    const { payload } = await jwtVerify(token, await keys(key).public, {
      algorithms: [ALGORITHM],
      issuer: TOKEN_ISSUER,
      audience: USER_AUDIENCE,
      currentDate: new Date(now),
    });
    const claims = userClaims(payload);
    if (claims && payload.exp !== undefined) verified(key).set(token, { claims, expiresAt: payload.exp * 1000 });
    return claims;
  } catch (error) {
    if (error instanceof JOSEError) return null;
    throw error;
  }
}

/** Returns AUTH_JWKS for the deployment: the public keys in a data: URI. */
export function jwksUri(...signingKeys: Omit<SigningKey, "d">[]): string {
  const publicKeys = signingKeys.map(({ kty, crv, x, y, kid }) => ({ kty, crv, x, y, kid, alg: ALGORITHM, use: "sig" }));
  return `data:application/json,${encodeURIComponent(JSON.stringify({ keys: publicKeys }))}`;
}

const limitedBy = ({ limited = false, quota = Infinity }: Plans): JWTPayload => ({
  ...(limited && { limited }),
  ...(Number.isFinite(quota) && { quota }),
});

/** Signs a token. Backdates `iat`, because Convex rejects tokens from its future. The client computes the lifetime from `iat`. */
async function sign(key: SigningKey, claims: JWTPayload, subject: string, audience: string, expires: number): Promise<string> {
  const issuedAt = Math.floor(Date.now() / 1000) - CLOCK_SKEW_SECONDS;
  return new SignJWT(claims)
    .setProtectedHeader({ alg: ALGORITHM, kid: key.kid, typ: "JWT" })
    .setIssuer(TOKEN_ISSUER)
    .setSubject(subject)
    .setAudience(audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(expires)
    .sign(await keys(key).private);
}

function userClaims({ sub, sessionId, name, email, email_verified, picture }: JWTPayload): UserClaims | null {
  if (!sub || typeof sessionId !== "string" || typeof name !== "string" || typeof email !== "string") return null;
  const user = { id: sub, name, email, emailVerified: email_verified === true, image: typeof picture === "string" ? picture : null };
  return { userId: sub, sessionId, user };
}

type Verified = LRUCache<string, { claims: UserClaims; expiresAt: number }>;

const verifiedBy = new WeakMap<SigningKey, Verified>();
const VERIFIED_MOST = 1000;

function verified(key: SigningKey): Verified {
  const cached = verifiedBy.get(key);
  if (cached) return cached;
  const tokens: Verified = new LRUCache({ max: VERIFIED_MOST });
  verifiedBy.set(key, tokens);
  showSize("verified_tokens", () => tokens.size);
  return tokens;
}

const imported = new WeakMap<SigningKey, ReturnType<typeof importKeys>>();

function keys(key: SigningKey) {
  const cached = imported.get(key) ?? importKeys(key);
  imported.set(key, cached);
  return cached;
}

function importKeys({ kty, crv, x, y, d }: SigningKey) {
  return { private: importJWK({ kty, crv, x, y, d }, ALGORITHM), public: importJWK({ kty, crv, x, y }, ALGORITHM) };
}
