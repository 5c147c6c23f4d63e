import { generateKeyPairSync } from "node:crypto";
import { readFile } from "node:fs/promises";
import { providerIds, variablesOf } from "../../server/providers.ts";
import { type RunningApp, startApp } from "../harness/app.ts";
import { Program, text } from "./program.ts";
import { expect, test } from "./test.ts";

/** The document's table: what of it can be wrong is compared with the product, row by row. */
type Row = { id: string; needs: string[]; may: string[]; authorization: string; scopes: string[] };

const DOCUMENT = new URL("../../docs/social-providers.md", import.meta.url);

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

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });

/** A value for each variable that a provider needs. */
const VALUES: Record<string, string> = {
  // As it looks where a variable can have no line ends.
  APPLE_PRIVATE_KEY: privateKey.export({ type: "pkcs8", format: "pem" }).toString().replaceAll("\n", "\\n"),
  COGNITO_DOMAIN: "atelier.auth.eu-central-1.amazoncognito.com",
  COGNITO_REGION: "eu-central-1",
};
const settings = Object.fromEntries(
  providerIds.flatMap((id) => variablesOf(id).needs).map((name) => [name, VALUES[name] ?? `a-${name.toLowerCase()}`]),
);

let app: RunningApp;
test.beforeAll(async () => {
  app = await startApp(settings);
});
test.afterAll(() => app.dispose());

test("the document has a row for each provider of the specification, with its variables", async () => {
  const rows = await documented();
  expect(rows.map(({ id, needs, may }) => ({ id, needs, may }))).toEqual(providerIds.map((id) => ({ id, ...variablesOf(id) })));
});

for (const id of providerIds) {
  test(`${id} starts at the documented address, with the documented scopes`, async () => {
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
  });
}

test("the specification's own scopes are asked for, and the payment provider is its sandbox", async () => {
  const rows = await documented();
  const scopes = (id: string) => rows.find((row) => row.id === id)?.scopes;
  expect(scopes("kakao")).toEqual(["account_email", "profile_image", "profile_nickname"]);
  expect(scopes("naver")).toEqual(["profile", "email"]);
  expect(scopes("line")).toEqual(["openid", "profile", "email"]);
  const { authorization } = rows.find(({ id }) => id === "paypal") ?? {};
  expect(authorization).toMatch(/^https:\/\/www\.sandbox\.paypal\.com\//);
});

test("what may be given as well is taken", async () => {
  const further = {
    ...settings,
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

test("nothing of a provider's secrets is in the addresses, or in what the app prints", async () => {
  for (const id of providerIds) {
    const { body } = await new Program(app).post("/sign-in/social", { provider: id });
    expect(JSON.stringify(body)).not.toContain("client_secret");
  }
  for (const [name, value] of Object.entries(settings)) if (/SECRET|PRIVATE_KEY/.test(name)) expect(app.output()).not.toContain(value);
});
