import { z } from "zod";

const text = z.string().optional().catch(undefined);
/** Limits an address as sign-up does. Lowercasing in Better Auth could turn letters outside ASCII into those of another address. */
const address = z.email().max(254).optional().catch(undefined);
const flag = z
  .unknown()
  .optional()
  .transform((value) => value === true || value === "true" || value === 1 || value === "1");

/** Claims of an ID token or of the user info (OpenID Connect Core 1.0, 5.1). */
const claims = z.looseObject({
  sub: z.string().min(1),
  sid: text,
  email: address,
  email_verified: flag,
  /** Entra: the domain's owner is verified. Entra has no `email_verified`. */
  xms_edov: flag,
  name: text,
  preferred_username: text,
  picture: text,
  groups: z
    .union([z.array(z.string()), z.string().transform((group) => [group])])
    .optional()
    .catch(undefined),
});

export const issuerProfile = z.object({
  sub: z.string(),
  sid: text,
  email: text,
  emailVerified: z.boolean(),
  name: text,
  picture: text,
  groups: z.array(z.string()),
});

export type IssuerProfile = z.infer<typeof issuerProfile>;

export function lacksClaims(idToken: unknown, { groups }: { groups: boolean }): boolean {
  const { email, email_verified, xms_edov, name, groups: own } = claims.parse(idToken);
  return !email || !(email_verified || xms_edov) || !name || (groups && !own);
}

/** Merges claims, those of the ID token first. Throws for different users. An address is verified only if its own source reports it so. */
export function profileFrom(idToken: unknown, userInfo: unknown = null): IssuerProfile {
  const first = claims.parse(idToken);
  const second = userInfo === null ? null : claims.parse(userInfo);
  if (second && second.sub !== first.sub) throw new Error("The user info and the ID token are about different users.");
  const email = first.email ?? second?.email;
  const sources = second ? [first, second] : [first];
  return {
    sub: first.sub,
    sid: first.sid,
    email,
    emailVerified: email !== undefined && sources.some((source) => source.email === email && (source.email_verified || source.xms_edov)),
    name: first.name ?? second?.name ?? first.preferred_username ?? second?.preferred_username,
    picture: first.picture ?? second?.picture,
    groups: [...new Set([...(first.groups ?? []), ...(second?.groups ?? [])])],
  };
}
