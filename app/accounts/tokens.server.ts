import { importJWK, type JWTPayload, jwtVerify, SignJWT } from "jose";
import { JOSEError } from "jose/errors";
import { type AppConfig, SERVICE_AUDIENCE, TOKEN_ISSUER, USER_AUDIENCE } from "~/config";

/**
 * The tokens by which the deployment knows who calls (ES256; `convex/auth.config.ts` believes them). A person's says which session they are
 * in, so that data functions can look whether it still stands; the app server's own opens the functions that only it may call.
 */

/** What a person's token says about them. */
export type UserClaims = {
  userId: string;
  sessionId: string;
  user: { id: string; name: string; email: string; emailVerified: boolean; image: string | null };
};

/** Whether plans limit what people store: the app server knows, and its tokens tell the deployment (`convex/limits.ts`). */
type Plans = { limited?: boolean };

type SigningKey = AppConfig["signingKey"];

/** How long a person's token lives, in seconds: short, since it is handed to scripts in the browser. */
export const USER_TOKEN_SECONDS = 15 * 60;
/** How long the app server's own token lives, in seconds; it is made anew long before. */
export const SERVICE_TOKEN_SECONDS = 10 * 60;
/** `sub` of the app server's own token. No person's id has a hyphen. */
const SERVICE_SUBJECT = "app-server";

const ALGORITHM = "ES256";

/** A person's token. It ends with their session, if that is nearer than 15 minutes. */
export async function signUserToken(key: SigningKey, claims: UserClaims, sessionExpiresAt: Date, plans: Plans = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const expires = Math.min(now + USER_TOKEN_SECONDS, Math.floor(sessionExpiresAt.getTime() / 1000));
  const { name, email, emailVerified, image } = claims.user;
  return sign(
    key,
    { sessionId: claims.sessionId, name, email, email_verified: emailVerified, picture: image, ...limitedBy(plans) },
    claims.userId,
    USER_AUDIENCE,
    now,
    expires,
  );
}

/** The app server's own token. `service` is what no person's token ever says (`convex/access.ts`). */
export function signServiceToken(key: SigningKey, plans: Plans = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return sign(key, { service: true, ...limitedBy(plans) }, SERVICE_SUBJECT, SERVICE_AUDIENCE, now, now + SERVICE_TOKEN_SECONDS);
}

/** Reads a person's token that came back to us; null: not ours, altered, or with less than `leewaySeconds` to live. */
export async function readUserToken(key: SigningKey, token: string, leewaySeconds = 0): Promise<UserClaims | null> {
  const now = Date.now() + leewaySeconds * 1000;
  const known = verified(key).get(token);
  if (known) return known.expiresAt > now ? known.claims : null;
  try {
    const { payload } = await jwtVerify(token, await keys(key).public, {
      algorithms: [ALGORITHM],
      issuer: TOKEN_ISSUER,
      audience: USER_AUDIENCE,
      currentDate: new Date(now),
    });
    const claims = userClaims(payload);
    if (claims && payload.exp !== undefined) remember(verified(key), token, { claims, expiresAt: payload.exp * 1000 });
    return claims;
  } catch (error) {
    if (error instanceof JOSEError) return null;
    throw error;
  }
}

/** The public half of the key as the deployment's AUTH_JWKS wants it: a key set in a data: URI. */
export function jwksUri({ kty, crv, x, y, kid }: SigningKey): string {
  const set = { keys: [{ kty, crv, x, y, kid, alg: ALGORITHM, use: "sig" }] };
  return `data:application/json,${encodeURIComponent(JSON.stringify(set))}`;
}

const limitedBy = ({ limited = false }: Plans): JWTPayload => (limited ? { limited } : {});

async function sign(
  key: SigningKey,
  claims: JWTPayload,
  subject: string,
  audience: string,
  issuedAt: number,
  expires: number,
): Promise<string> {
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

type Verified = Map<string, { claims: UserClaims; expiresAt: number }>;

/**
 * Tokens whose signature was right: a browser sends the same one for a quarter of an hour, with every page and picture, and verifying costs more
 * than anything else that is done for a small one. Whether the session still stands is asked elsewhere each time.
 */
const verifiedBy = new WeakMap<SigningKey, Verified>();
const VERIFIED_MOST = 1000;

function verified(key: SigningKey): Verified {
  const known = verifiedBy.get(key) ?? new Map();
  verifiedBy.set(key, known);
  return known;
}

/** The one that came first makes room. */
function remember(tokens: Verified, token: string, entry: { claims: UserClaims; expiresAt: number }): void {
  for (const oldest of tokens.keys()) {
    if (tokens.size < VERIFIED_MOST) break;
    tokens.delete(oldest);
  }
  tokens.set(token, entry);
}

const imported = new WeakMap<SigningKey, ReturnType<typeof importKeys>>();

/** Importing a key costs as much as signing with it: once per key. */
function keys(key: SigningKey) {
  const known = imported.get(key) ?? importKeys(key);
  imported.set(key, known);
  return known;
}

function importKeys({ kty, crv, x, y, d }: SigningKey) {
  return { private: importJWK({ kty, crv, x, y, d }, ALGORITHM), public: importJWK({ kty, crv, x, y }, ALGORITHM) };
}
