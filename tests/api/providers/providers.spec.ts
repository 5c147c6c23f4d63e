import { readFile } from "node:fs/promises";
import { providerIds, variablesOf } from "../../../server/config/providers.ts";
import { type RunningApp, startApp } from "../../harness/app.ts";
import { allProviders } from "../../harness/providers/settings.ts";
import { Program, text } from "../support/program.ts";
import { expect, test } from "../support/test.ts";

type Row = { id: string; needs: string[]; may: string[]; authorization: string; scopes: string[] };

const DOCUMENT = new URL("../../../docs/social-providers.md", import.meta.url);

async function documented(): Promise<Row[]> {
  const lines = (await readFile(DOCUMENT, "utf8")).split("\n").filter((line) => /^\| `[a-z]+`\s*\|/.test(line));
  return lines.map((line) => {
    const [id = "", needs = "", may = "", authorization = "", scopes = ""] = line
      .split("|")
      .slice(1)
      .map((cell) => cell.trim());
    const words = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word);
    return {
      id: words(id)[0] ?? "",
      needs: words(needs),
      may: words(may),
      authorization: words(authorization)[0] ?? "",
      scopes: words(scopes),
    };
  });
}

let app: RunningApp;
test.beforeAll(async () => {
  app = await startApp(allProviders);
});
test.afterAll(() => app.dispose());

test("docs/social-providers.md lists each provider and its variables", async () => {
  const rows = await documented();
  expect(rows.map(({ id, needs, may }) => ({ id, needs, may }))).toEqual(providerIds.map((id) => ({ id, ...variablesOf(id) })));
});

for (const id of providerIds) {
  test(
    `${id} starts at the documented address with the documented scopes`,
    { tag: "@starts-documented-address-documented-scopes" },
    async () => {
      const row = (await documented()).find((candidate) => candidate.id === id);
      const answer = await new Program(app).post("/sign-in/social", { provider: id });
      const url = new URL(text(answer, "url"));
      expect(url.origin + url.pathname).toBe(row?.authorization);
      const scopes = (url.searchParams.get("scope") ?? url.searchParams.get("user_scope") ?? "").split(/[\s,]+/).filter(Boolean);
      expect(scopes).toEqual(row?.scopes);
      const callback = url.searchParams.get("redirect_uri");
      expect(callback).toBe(`${app.url}/api/auth/callback/${id}`);
      expect(url.searchParams.get("state")).toMatch(/^[\w-]{32}$/);
      expect(url.searchParams.get(id === "tiktok" ? "client_key" : "client_id")).toMatch(/^a-/);
    },
  );
}

test("uses PKCE, except with the providers that docs/security.md names", { tag: "@pkce-except-named-providers" }, async () => {
  const security = (await readFile(new URL("../../../docs/security.md", import.meta.url), "utf8")).replaceAll(/\s+/g, " ");
  const [, named = ""] = / - 10\.5\.1 .*?, but not for (.*?)\./.exec(security) ?? [];
  const uses = async (id: string) => {
    const answer = await new Program(app).post("/sign-in/social", { provider: id });
    return new URL(text(answer, "url")).searchParams.get("code_challenge_method") === "S256";
  };
  const without: string[] = [];
  for (const id of providerIds) if (!(await uses(id))) without.push(id);
  expect(without.toSorted()).toEqual(
    named
      .toLowerCase()
      .split(/, | and /)
      .toSorted(),
  );
});

test(
  "requests the specified scopes and uses the payment provider's sandbox",
  { tag: "@requests-specified-scopes-uses-payment-providers" },
  async () => {
    const rows = await documented();
    const scopes = (id: string) => rows.find((row) => row.id === id)?.scopes;
    expect(scopes("kakao")).toEqual(["account_email", "profile_image", "profile_nickname"]);
    expect(scopes("naver")).toEqual(["profile", "email"]);
    expect(scopes("line")).toEqual(["openid", "profile", "email"]);
    const { authorization } = rows.find(({ id }) => id === "paypal") ?? {};
    expect(authorization).toMatch(/^https:\/\/www\.sandbox\.paypal\.com\//);
  },
);

test("uses optional settings", { tag: ["@uses-optional-settings", "@slow"] }, async () => {
  const further = {
    ...allProviders,
    MICROSOFT_TENANT_ID: "a-tenant",
    PAYPAL_ENVIRONMENT: "live",
    GITLAB_ISSUER: "https://gitlab.example",
    GOOGLE_HD: "example.com",
  };
  const other = await startApp({ ...further, SALESFORCE_LOGIN_URL: "example.my.salesforce.com", FACEBOOK_CONFIG_ID: "a-config" });
  try {
    const start = async (provider: string) => text(await new Program(other).post("/sign-in/social", { provider }), "url");
    expect(await start("microsoft")).toMatch(/^https:\/\/login\.microsoftonline\.com\/a-tenant\//);
    expect(await start("paypal")).toMatch(/^https:\/\/www\.paypal\.com\//);
    expect(await start("gitlab")).toMatch(/^https:\/\/gitlab\.example\//);
    expect(await start("google")).toContain("hd=example.com");
    expect(await start("salesforce")).toMatch(/^https:\/\/example\.my\.salesforce\.com\//);
    expect(await start("facebook")).toContain("config_id=a-config");
  } finally {
    await other.dispose();
  }
});

test("exposes no provider secret in addresses or in the log", async () => {
  for (const id of providerIds) {
    const { body } = await new Program(app).post("/sign-in/social", { provider: id });
    expect(JSON.stringify(body)).not.toContain("client_secret");
  }
  for (const [name, value] of Object.entries(allProviders)) if (/SECRET|PRIVATE_KEY/.test(name)) expect(app.output()).not.toContain(value);
});
