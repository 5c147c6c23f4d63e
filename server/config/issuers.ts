import type { IssuerSettings } from "../../app/config.ts";

const SUFFIXES = ["ISSUER", "CLIENT_ID", "CLIENT_SECRET", "LABEL", "SCOPES", "DOMAINS", "GROUPS", "ADMIN_GROUP", "END_SESSION"] as const;
type Suffix = (typeof SUFFIXES)[number];

const REQUIRED: readonly Suffix[] = ["ISSUER", "CLIENT_ID", "CLIENT_SECRET"];

const NAME = "[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*?";
const SETTING = new RegExp(`^OIDC_(${NAME})_(${SUFFIXES.join("|")})$`);
const SECRET_FILE = new RegExp(`^OIDC_${NAME}_CLIENT_SECRET_FILE$`);

/** Kubernetes sets these variables for a service whose name begins with "oidc". */
const OF_SERVICE = /_SERVICE_(?:HOST|PORT)(?:_|$)|_PORT(?:_|$)/;

const LABEL_LENGTH = 50;
const DEFAULT_SCOPES = ["openid", "email", "profile"];

const DOMAIN = /^(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z][a-z\d-]*[a-z\d]$/i;
const SCOPE = /^[\u0021\u0023-\u005b\u005d-\u007e]+$/;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

export const issuerSecrets = (env: Record<string, string | undefined>): string[] =>
  Object.keys(env).flatMap((name) => (SECRET_FILE.test(name) ? [name.replace(/_FILE$/, "")] : []));

/** Reads the OpenID Connect issuers (`OIDC_<NAME>_…`, docs/single-sign-on.md), and returns a sentence for each problem. */
export function issuers(env: Record<string, string | undefined>): { configured: IssuerSettings[]; problems: string[] } {
  const names = namesIn(env);
  const read = names.map((name) => issuerOf(name, env));
  const configured = read.map(({ issuer }) => issuer);
  return {
    configured,
    problems: [...unknownSettings(env, names), ...read.flatMap(({ problems }) => problems), ...duplicates(names, configured)],
  };
}

function namesIn(env: Record<string, string | undefined>): string[] {
  const found = Object.entries(env).flatMap(([variable, value]) => (value ? (SETTING.exec(variable)?.[1] ?? []) : []));
  return [...new Set(found)].toSorted();
}

/** A misspelled `_GROUPS` would admit everyone, so unknown settings of a configured issuer prevent the start. */
function unknownSettings(env: Record<string, string | undefined>, names: readonly string[]): string[] {
  return Object.keys(env)
    .filter((variable) => env[variable] && !SETTING.test(variable) && !OF_SERVICE.test(variable))
    .flatMap((variable) => {
      const suffix = SUFFIXES.find((each) => variable === `OIDC_${each}`);
      if (suffix) return [`${variable} names no issuer; expected OIDC_<NAME>_${suffix}, like OIDC_ACME_${suffix}`];
      const name = names.find((each) => variable.startsWith(`OIDC_${each}_`));
      return name === undefined ? [] : [`${variable} is not a setting; expected OIDC_${name}_ with ${SUFFIXES.join(", ")}`];
    });
}

function issuerOf(name: string, env: Record<string, string | undefined>): { issuer: IssuerSettings; problems: string[] } {
  const variable = (suffix: Suffix) => `OIDC_${name}_${suffix}`;
  const value = (suffix: Suffix) => env[variable(suffix)]?.trim() ?? "";
  const problems = REQUIRED.filter((suffix) => value(suffix) === "").map(
    (suffix) => `${variable(suffix)} is missing: sign-in with the issuer ${name} needs it`,
  );
  const check = (suffix: Suffix, isValid: boolean, expected: string) => {
    if (!isValid) problems.push(`${variable(suffix)} is ${JSON.stringify(value(suffix))}; expected ${expected}`);
  };
  const scopes = listIn(value("SCOPES"), /[\s,]+/);
  const domains = listIn(value("DOMAINS").toLowerCase(), ",");
  const label = value("LABEL") || labelOf(name);
  if (value("ISSUER") !== "")
    check(
      "ISSUER",
      isIssuer(value("ISSUER")),
      "an address that begins with https://, without query or fragment; http:// only for this machine, like http://localhost:8080",
    );
  check("LABEL", label.length <= LABEL_LENGTH && !/\p{Cc}/u.test(label), `a name of at most ${LABEL_LENGTH} characters, on one line`);
  check(
    "SCOPES",
    scopes.every((scope) => SCOPE.test(scope)),
    "scopes, separated by spaces, like openid email profile groups",
  );
  check(
    "DOMAINS",
    domains.every((domain) => DOMAIN.test(domain)),
    "domains of email addresses, separated by commas, like example.com",
  );
  check("ADMIN_GROUP", !value("ADMIN_GROUP").includes(","), "the name of one group, like administrators");
  check("END_SESSION", ["", "true", "false"].includes(value("END_SESSION")), "true or false");
  return {
    issuer: {
      id: `oidc-${name.toLowerCase().replaceAll("_", "-")}`,
      issuer: value("ISSUER"),
      clientId: value("CLIENT_ID"),
      clientSecret: value("CLIENT_SECRET"),
      label,
      scopes: scopes.length === 0 ? DEFAULT_SCOPES : [...new Set(["openid", ...scopes])],
      domains,
      groups: listIn(value("GROUPS"), ","),
      adminGroup: value("ADMIN_GROUP") || null,
      endSession: value("END_SESSION") === "true",
    },
    problems,
  };
}

function duplicates(names: readonly string[], configured: readonly IssuerSettings[]): string[] {
  return configured.flatMap((issuer, index) => {
    const others = configured.slice(0, index);
    const sameClient = others.findIndex((other) => other.issuer === issuer.issuer && other.clientId === issuer.clientId && issuer.clientId);
    const sameLabel = others.findIndex((other) => other.label === issuer.label);
    return [
      ...(sameClient === -1 ? [] : [`OIDC_${names[index]}_ISSUER and _CLIENT_ID are the same as those of OIDC_${names[sameClient]}`]),
      ...(sameLabel === -1
        ? []
        : [`OIDC_${names[index]}_LABEL is the same as that of OIDC_${names[sameLabel]}: their sign-in buttons would look the same`]),
    ];
  });
}

const listIn = (text: string, separator: string | RegExp): string[] =>
  text
    .split(separator)
    .map((item) => item.trim())
    .filter(Boolean);

/** The issuer must be an https address without query or fragment (OpenID Connect Core 1.0, 2). Loopback may lack TLS. */
function isIssuer(text: string): boolean {
  const url = URL.parse(text);
  if (!url || /[?#]/.test(text) || url.username !== "" || url.password !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.test(url.hostname));
}

const labelOf = (name: string): string =>
  name
    .toLowerCase()
    .split("_")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(" ");
