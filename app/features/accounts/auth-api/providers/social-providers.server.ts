import { createPrivateKey, sign } from "node:crypto";
import type { BetterAuthOptions } from "better-auth";
import { type AppConfig, CLOCK_SKEW_SECONDS } from "~/config";
import { correctProvider } from "./provider-corrections.server";
import { issuerIcon, providerIcon } from "./provider-icons.server";
import { providerName } from "../../session/provider-names";

/** Apple allows six months. A short lifetime lets a revoked key stop working soon. */
const SECRET_SECONDS = 3600;
const RENEW_SECONDS = SECRET_SECONDS / 2;

/** Returns the configured issuers and providers; runs on the server so that no page's script contains all icons. */
export const socialChoicesOf = ({ issuers, socialProviders }: AppConfig) => [
  ...issuers.map(({ id, label }) => ({ id, name: label, icon: issuerIcon() })),
  ...Object.keys(socialProviders).map((id) => ({ id, name: providerName(id), icon: providerIcon(id) })),
];

export const configuredName = ({ issuers }: AppConfig, id: string): string =>
  issuers.find((issuer) => issuer.id === id)?.label ?? providerName(id);

/** Returns whether issuers are the only way to sign in: no other method checks an issuer's domains and groups. */
export const isSingleSignOnOnly = ({ accounts, issuers, socialProviders }: AppConfig): boolean =>
  !accounts.emailAndPassword && issuers.length > 0 && Object.keys(socialProviders).length === 0;

/** Returns the options for Better Auth. It requires `requireEmailVerification` per provider (specification 4). */
export function socialProvidersOf({ socialProviders, accounts }: AppConfig): NonNullable<BetterAuthOptions["socialProviders"]> {
  const { apple, ...others } = socialProviders;
  const requireEmailVerification = accounts.requireEmailVerification;
  const configuredOptions = Object.fromEntries(
    Object.entries(others).map(([id, options]) => [id, { ...correctProvider(id, options), requireEmailVerification }]),
  );
  // A function, because Better Auth copies option objects and with them the current secret.
  return apple ? { ...configuredOptions, apple: () => ({ ...appleOptions(apple), requireEmailVerification }) } : configuredOptions;
}

/** Signs a client secret: https://developer.apple.com/documentation/accountorganizationaldatasharing/creating-a-client-secret */
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
        const claims = {
          iss: teamId,
          iat: now - CLOCK_SKEW_SECONDS,
          exp: now + SECRET_SECONDS,
          aud: "https://appleid.apple.com",
          sub: clientId,
        };
        const signed = [{ alg: "ES256", kid: keyId }, claims]
          .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
          .join(".");
        secret = `${signed}.${sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
      }
      return secret;
    },
  };
}
