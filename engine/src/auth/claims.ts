/** Renames standard claims as in `convex/src/server/authentication.ts`, and keeps the names of others. */
import type { JWTPayload } from "jose";
import type { Json, UserIdentity } from "../values/types.ts";

const STANDARD: Record<string, string> = {
  name: "name",
  given_name: "givenName",
  family_name: "familyName",
  nickname: "nickname",
  preferred_username: "preferredUsername",
  profile: "profileUrl",
  picture: "pictureUrl",
  email: "email",
  email_verified: "emailVerified",
  gender: "gender",
  birthdate: "birthday",
  zoneinfo: "timezone",
  locale: "language",
  phone_number: "phoneNumber",
  phone_number_verified: "phoneNumberVerified",
  address: "address",
  updated_at: "updatedAt",
};

const TOKEN_CLAIMS = new Set(["iss", "sub", "aud", "exp", "nbf", "iat", "jti"]);

/** Returns the identity. `flatten` adds nested fields as `identity["properties.id"]`, as Convex documents for customJwt. */
export function identityFromClaims(payload: JWTPayload & { iss: string; sub: string }, { flatten }: { flatten: boolean }): UserIdentity {
  const identity: UserIdentity = {
    tokenIdentifier: `${payload.iss}|${payload.sub}`,
    subject: payload.sub,
    issuer: payload.iss,
  };
  for (const [claim, value] of Object.entries(payload)) {
    if (TOKEN_CLAIMS.has(claim) || !isJson(value)) continue;
    const name = STANDARD[claim] ?? claim;
    if (flatten) spread(identity, name, value);
    else if (!(name in identity)) identity[name] = value;
  }
  return identity;
}

function spread(identity: UserIdentity, name: string, value: Json): void {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    for (const [field, inner] of Object.entries(value)) spread(identity, `${name}.${field}`, inner);
  } else if (!(name in identity)) {
    identity[name] = value;
  }
}

const isJson = (value: unknown): value is Json => value !== undefined;
