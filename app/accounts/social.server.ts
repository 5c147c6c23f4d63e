import { createPrivateKey, sign } from "node:crypto";
import type { BetterAuthOptions } from "better-auth";
import type { AppConfig } from "~/config";
import { providerName } from "./providers";

/** How long a client secret for Apple is good, and when the next is made. Apple allows six months; a key that is withdrawn should count sooner. */
const SECRET_SECONDS = 3600;
const RENEW_SECONDS = SECRET_SECONDS / 2;

/** The providers that are switched on, by the names that people know them by: for pages whose scripts need not know all of them. */
export const socialChoicesOf = ({ socialProviders }: AppConfig) =>
  Object.keys(socialProviders).map((id) => ({ id, name: providerName(id) }));

/**
 * The providers that are switched on, as Better Auth takes them. Where an address must be verified, that holds for whoever comes by a provider
 * too (specification 4); Better Auth wants it said of each.
 */
export function socialProvidersOf({ socialProviders, accounts }: AppConfig): NonNullable<BetterAuthOptions["socialProviders"]> {
  const { apple, ...others } = socialProviders;
  const requireEmailVerification = accounts.requireEmailVerification;
  const given = Object.fromEntries(Object.entries(others).map(([id, options]) => [id, { ...options, requireEmailVerification }]));
  // A function: Better Auth copies options that are objects, and with them the secret of the moment.
  return apple ? { ...given, apple: () => ({ ...appleOptions(apple), requireEmailVerification }) } : given;
}

/**
 * Apple's options. Its client secret is a token that we sign with a key of ours and that ends, so it is made when it is wanted.
 * https://developer.apple.com/documentation/accountorganizationaldatasharing/creating-a-client-secret
 */
export function appleOptions({ clientId = "", teamId = "", keyId = "", privateKey = "", ...others }: Record<string, string>) {
  const key = createPrivateKey(privateKey);
  let secret = "";
  let renewAt = 0;
  return {
    ...others,
    clientId,
    get clientSecret(): string {
      const now = Math.floor(Date.now() / 1000);
      if (now >= renewAt) {
        renewAt = now + RENEW_SECONDS;
        const claims = { iss: teamId, iat: now, exp: now + SECRET_SECONDS, aud: "https://appleid.apple.com", sub: clientId };
        const signed = [{ alg: "ES256", kid: keyId }, claims]
          .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
          .join(".");
        secret = `${signed}.${sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
      }
      return secret;
    },
  };
}
