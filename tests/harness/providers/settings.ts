import { generateKeyPairSync } from "node:crypto";
import { providerIds, variablesOf } from "../../../server/config/providers.ts";

export const appleKey = generateKeyPairSync("ec", { namedCurve: "P-256" });

export const COGNITO = { domain: "atelier.auth.eu-central-1.amazoncognito.com", region: "eu-central-1", pool: "eu-central-1_Ab12Cd34E" };

const VALUES: Record<string, string> = {
  APPLE_PRIVATE_KEY: appleKey.privateKey.export({ type: "pkcs8", format: "pem" }).toString().replaceAll("\n", "\\n"),
  COGNITO_DOMAIN: COGNITO.domain,
  COGNITO_REGION: COGNITO.region,
  COGNITO_USER_POOL_ID: COGNITO.pool,
};

export const allProviders: Record<string, string> = Object.fromEntries(
  providerIds.flatMap((id) => variablesOf(id).needs).map((name) => [name, VALUES[name] ?? `a-${name.toLowerCase()}`]),
);
