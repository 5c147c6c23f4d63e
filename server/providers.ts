/** The social providers of the specification (section 3), in its order. */
const providerIds = [
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

/** What a provider wants, by the end of the variable's name: the option of Better Auth it becomes. */
type Wants = { needs: Record<string, string>; may?: Record<string, string> };

const usual: Wants = { needs: { CLIENT_ID: "clientId", CLIENT_SECRET: "clientSecret" } };

const special: Partial<Record<(typeof providerIds)[number], Wants>> = {
  cognito: { needs: { ...usual.needs, DOMAIN: "domain", REGION: "region", USER_POOL_ID: "userPoolId" } },
  gitlab: { needs: usual.needs, may: { ISSUER: "issuer" } },
  microsoft: { needs: usual.needs, may: { TENANT_ID: "tenantId" } },
  paypal: { needs: usual.needs, may: { ENVIRONMENT: "environment" } },
  tiktok: { needs: { CLIENT_KEY: "clientKey", CLIENT_SECRET: "clientSecret" } },
};

/** Options that a provider has unless its variable says otherwise. */
const defaults: Partial<Record<(typeof providerIds)[number], Record<string, string>>> = { paypal: { environment: "sandbox" } };

/**
 * The providers that are switched on: those of which any variable is given (`GITHUB_CLIENT_ID`, `GITHUB_CLIENT_SECRET`, …).
 * @returns their options as Better Auth takes them, and a sentence for each variable that one of them lacks
 */
export function socialProviders(env: Record<string, string | undefined>): {
  configured: Record<string, Record<string, string>>;
  problems: string[];
} {
  const configured: Record<string, Record<string, string>> = {};
  const problems: string[] = [];
  for (const id of providerIds) {
    const { needs, may = {} } = special[id] ?? usual;
    const name = (end: string) => `${id.toUpperCase()}_${end}`;
    const given = Object.entries({ ...needs, ...may }).flatMap(([end, option]) => {
      const value = env[name(end)];
      return value ? [[option, value] as const] : [];
    });
    if (given.length === 0) continue;
    const missing = Object.keys(needs).filter((end) => !env[name(end)]);
    problems.push(...missing.map((end) => `${name(end)} is missing: sign-in with ${id} needs it`));
    configured[id] = { ...defaults[id], ...Object.fromEntries(given) };
  }
  return { configured, problems };
}
