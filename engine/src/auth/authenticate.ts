import { isObject } from "../http/body.ts";
import { badRequest, RequestError } from "../http/errors.ts";
import type { Identity, Json, UserIdentity } from "../values/types.ts";
import { createAdminKeyCheck } from "./admin-key.ts";
import { createTokenVerifier } from "./tokens.ts";

export interface Authenticator {
  fromHeader(header: string | undefined): Promise<Identity>;
  /** @throws {RequestError} 401 */
  fromToken(jwt: string): Promise<Identity>;
  fromAdminKey(adminKey: string, actingAs?: Json): Identity;
  /** @throws {RequestError} 403 unless the header has the admin key */
  requireAdmin(header: string | undefined): Promise<void>;
  configure(providers: Json[]): void;
  readonly verifiedCount: number;
}

export function createAuthenticator(adminKey: string, report: (error: unknown) => void): Authenticator {
  const isAdminKey = createAdminKeyCheck(adminKey);
  const tokens = createTokenVerifier();

  const fromAdminKey = (candidate: string, actingAs?: Json): Identity => {
    if (!isAdminKey(candidate)) throw new RequestError(403, "BadAdminKey", "The provided admin key was invalid for this deployment.");
    return actingAs === undefined || actingAs === null ? { kind: "admin" } : { kind: "admin", actingAs: toUserIdentity(actingAs) };
  };

  const fromHeader = async (header: string | undefined): Promise<Identity> => {
    if (header === undefined) return { kind: "none" };
    const [scheme = "", credentials = ""] = splitOnce(header.trim(), " ");
    if (scheme === "Bearer") return tokens.verify(credentials.trim());
    if (scheme !== "Convex")
      throw new RequestError(401, "InvalidAuthHeader", "The Authorization header must be `Bearer <token>` or `Convex <admin key>`.");
    const colon = credentials.lastIndexOf(":");
    if (colon < 0 || isAdminKey(credentials)) return fromAdminKey(credentials);
    return fromAdminKey(credentials.slice(0, colon), parseIdentity(credentials.slice(colon + 1)));
  };

  return {
    fromHeader,
    fromToken: (jwt) => tokens.verify(jwt),
    fromAdminKey,
    async requireAdmin(header) {
      const identity = await fromHeader(header);
      if (identity.kind !== "admin")
        throw new RequestError(401, "MissingAdminKey", "This needs the deployment's admin key: `Authorization: Convex <admin key>`.");
    },
    configure: (providers) => tokens.configure(providers, report),
    get verifiedCount() {
      return tokens.verifiedCount;
    },
  };
}

function splitOnce(text: string, separator: string): [string, string] | [string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}

function parseIdentity(base64: string): Json {
  try {
    const parsed: Json = JSON.parse(Buffer.from(base64, "base64").toString("utf8"));
    return parsed;
  } catch {
    throw badRequest("The identity to act as must be base64-encoded JSON.", "BadIdentity");
  }
}

/** Parses the identity to act as. The command line sends all three fields; the client library may omit `tokenIdentifier`. */
function toUserIdentity(attributes: Json): UserIdentity {
  if (!isObject(attributes)) throw badRequest("The identity to act as must be an object.", "BadIdentity");
  const { subject, issuer, tokenIdentifier } = attributes;
  if (typeof subject !== "string" || typeof issuer !== "string")
    throw badRequest("The identity to act as needs `subject` and `issuer`.", "BadIdentity");
  return {
    ...attributes,
    subject,
    issuer,
    tokenIdentifier: typeof tokenIdentifier === "string" ? tokenIdentifier : `${issuer}|${subject}`,
  };
}
