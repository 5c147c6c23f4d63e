import { createLocalJWKSet, createRemoteJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import type { Json } from "../values/types.ts";

export type Provider = {
  type: "customJwt" | "oidc";
  issuer: string;
  applicationId: string | null;
  algorithms: string[];
  keys: JWTVerifyGetKey;
  hasRemoteKeys: boolean;
};

export type ProviderInfo =
  | { type: "customJwt"; applicationID: string | null; issuer: string; jwks: string; algorithm: string }
  | { applicationID: string; domain: string };

const ALGORITHMS = ["RS256", "ES256"];

export function readProvider(config: Json): ProviderInfo {
  if (typeof config !== "object" || config === null || Array.isArray(config))
    throw new Error("auth.config: each provider must be an object.");
  const text = (field: string): string => {
    const value = config[field];
    if (typeof value !== "string" || value === "") throw new Error(`auth.config: a provider's \`${field}\` must be a non-empty string.`);
    return value;
  };
  if (config.type === "customJwt") {
    const algorithm = text("algorithm");
    if (!ALGORITHMS.includes(algorithm))
      throw new Error(`auth.config: \`algorithm\` must be ${ALGORITHMS.join(" or ")}, not ${algorithm}.`);
    const applicationID = config.applicationID === undefined || config.applicationID === null ? null : text("applicationID");
    return { type: "customJwt", applicationID, issuer: text("issuer"), jwks: text("jwks"), algorithm };
  }
  return { applicationID: text("applicationID"), domain: text("domain") };
}

/** @throws {Error} naming the first unusable provider */
export function checkProviders(configs: Json[]): void {
  for (const config of configs) createProvider(readProvider(config));
}

/** @throws {Error} when `domain` or `jwks` is no URL, or `jwks` a data: URI without a key set */
export function createProvider(info: ProviderInfo): Provider {
  if ("domain" in info) {
    const issuer = /^https?:\/\//.test(info.domain) ? info.domain : `https://${info.domain}`;
    if (!isHttpUrl(issuer)) throw new Error("auth.config: `domain` must be an http(s) URL.");
    return {
      type: "oidc",
      issuer,
      applicationId: info.applicationID,
      algorithms: ALGORITHMS,
      keys: discoveredKeys(issuer),
      hasRemoteKeys: true,
    };
  }
  return {
    type: "customJwt",
    issuer: info.issuer,
    applicationId: info.applicationID,
    algorithms: [info.algorithm],
    keys: keysAt(info.jwks),
    hasRemoteKeys: !info.jwks.startsWith("data:"),
  };
}

const isHttpUrl = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? "");

function keysAt(jwks: string): JWTVerifyGetKey {
  if (!jwks.startsWith("data:")) {
    if (!isHttpUrl(jwks)) throw new Error("auth.config: `jwks` must be an http(s) URL or a data: URI.");
    return createRemoteJWKSet(new URL(jwks));
  }
  return createLocalJWKSet(keySetIn(jwks));
}

function keySetIn(uri: string): JSONWebKeySet {
  try {
    return parseKeySet(dataOf(uri));
  } catch (cause) {
    throw new Error("auth.config: `jwks` is a data: URI without a JSON Web Key Set ({ keys: […] }).", { cause });
  }
}

function dataOf(uri: string): string {
  const comma = uri.indexOf(",");
  if (comma < 0) throw new Error("A data: URI needs a comma.");
  const data = decodeURIComponent(uri.slice(comma + 1));
  return uri.slice(0, comma).endsWith(";base64") ? Buffer.from(data, "base64").toString("utf8") : data;
}

function parseKeySet(text: string): JSONWebKeySet {
  const parsed: unknown = JSON.parse(text);
  if (!isKeySet(parsed)) throw new Error("A key set needs an array `keys`.");
  return parsed;
}

const isKeySet = (value: unknown): value is JSONWebKeySet =>
  typeof value === "object" && value !== null && "keys" in value && Array.isArray(value.keys);

function discoveredKeys(issuer: string): JWTVerifyGetKey {
  let keys: Promise<JWTVerifyGetKey> | undefined;
  return async (header, token) => {
    keys ??= discover(issuer).catch((error: unknown) => {
      keys = undefined;
      throw error;
    });
    return (await keys)(header, token);
  };
}

async function discover(issuer: string): Promise<JWTVerifyGetKey> {
  const response = await fetch(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`, { signal: AbortSignal.timeout(10_000) });
  const document: unknown = response.ok ? await response.json() : null;
  if (typeof document !== "object" || document === null || !("jwks_uri" in document) || typeof document.jwks_uri !== "string") {
    throw new Error(`${issuer} has no OpenID configuration.`);
  }
  return createRemoteJWKSet(new URL(document.jwks_uri));
}
