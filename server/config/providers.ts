import { createPrivateKey } from "node:crypto";

export const providerIds = [
  "apple",
  "atlassian",
  "cognito",
  "discord",
  "facebook",
  "figma",
  "github",
  "microsoft",
  "google",
  "huggingface",
  "slack",
  "spotify",
  "twitch",
  "twitter",
  "dropbox",
  "kick",
  "linear",
  "linkedin",
  "gitlab",
  "tiktok",
  "reddit",
  "roblox",
  "salesforce",
  "vk",
  "zoom",
  "notion",
  "kakao",
  "naver",
  "line",
  "paypal",
] as const;

type ProviderId = (typeof providerIds)[number];

/** These providers never report an address, so they cannot be used to sign up (`docs/social-providers.md`). */
export const providersWithoutAddress: ReadonlySet<string> = new Set<ProviderId>(["reddit", "roblox", "tiktok"]);

/** Variable suffixes and the Better Auth options that they set. Apple's key is an option of our own (`social-providers.server.ts`). */
type ProviderSettings = { needs: Record<string, string>; may?: Record<string, string> };

const clientSettings: ProviderSettings = { needs: { CLIENT_ID: "clientId", CLIENT_SECRET: "clientSecret" } };

const special: Partial<Record<ProviderId, ProviderSettings>> = {
  apple: {
    needs: { CLIENT_ID: "clientId", TEAM_ID: "teamId", KEY_ID: "keyId", PRIVATE_KEY: "privateKey" },
    may: { APP_BUNDLE_IDENTIFIER: "appBundleIdentifier" },
  },
  cognito: { needs: { ...clientSettings.needs, DOMAIN: "domain", REGION: "region", USER_POOL_ID: "userPoolId" } },
  facebook: { needs: clientSettings.needs, may: { CONFIG_ID: "configId" } },
  gitlab: { needs: clientSettings.needs, may: { ISSUER: "issuer" } },
  google: { needs: clientSettings.needs, may: { HD: "hd" } },
  microsoft: { needs: clientSettings.needs, may: { TENANT_ID: "tenantId" } },
  paypal: { needs: clientSettings.needs, may: { ENVIRONMENT: "environment" } },
  salesforce: { needs: clientSettings.needs, may: { ENVIRONMENT: "environment", LOGIN_URL: "loginUrl" } },
  tiktok: { needs: { CLIENT_KEY: "clientKey", CLIENT_SECRET: "clientSecret" } },
};

/** PayPal uses its sandbox by default (specification 9). */
const defaults: Partial<Record<ProviderId, Record<string, string>>> = {
  microsoft: { tenantId: "common" },
  paypal: { environment: "sandbox" },
};

const checks: Record<string, (value: string) => string | null> = {
  APPLE_PRIVATE_KEY: (value) => (isP256Key(pem(value)) ? null : "the text of the .p8 file of Sign in with Apple"),
  GITLAB_ISSUER: (value) => (/^https?:$/.test(URL.parse(value)?.protocol ?? "") ? null : "an address that begins with https:// or http://"),
  PAYPAL_ENVIRONMENT: oneOf("sandbox", "live"),
  SALESFORCE_ENVIRONMENT: oneOf("production", "sandbox"),
};

export function variablesOf(id: ProviderId): { needs: string[]; may: string[] } {
  const { needs, may = {} } = special[id] ?? clientSettings;
  const names = (ends: Record<string, string>) => Object.keys(ends).map((end) => `${id.toUpperCase()}_${end}`);
  return { needs: names(needs), may: names(may) };
}

export function socialProviders(env: Record<string, string | undefined>): {
  configured: Record<string, Record<string, string>>;
  problems: string[];
} {
  const configured: Record<string, Record<string, string>> = {};
  const problems: string[] = [];
  for (const id of providerIds) {
    const { needs, may = {} } = special[id] ?? clientSettings;
    const name = (end: string) => `${id.toUpperCase()}_${end}`;
    const options = Object.entries({ ...needs, ...may }).flatMap(([end, option]) => {
      const value = env[name(end)];
      return value ? [{ name: name(end), option, value }] : [];
    });
    if (options.length === 0) continue;
    const missing = Object.keys(needs).filter((end) => !env[name(end)]);
    problems.push(...missing.map((end) => `${name(end)} is missing: sign-in with ${id} needs it`));
    for (const { name, value } of options) {
      const expected = checks[name]?.(value) ?? null;
      if (expected !== null) problems.push(`${name} is invalid; expected ${expected}`);
    }
    configured[id] = {
      ...defaults[id],
      ...Object.fromEntries(options.map(({ option, value }) => [option, option === "privateKey" ? pem(value) : value])),
    };
  }
  return { configured, problems };
}

function oneOf(...values: string[]) {
  return (value: string) => (values.includes(value) ? null : values.join(" or "));
}

/** Restores line ends, which many systems store in variables as \n. */
const pem = (value: string): string => value.replaceAll("\\n", "\n");

function isP256Key(text: string): boolean {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(text);
    return asymmetricKeyType === "ec" && asymmetricKeyDetails?.namedCurve === "prime256v1";
  } catch {
    return false;
  }
}
