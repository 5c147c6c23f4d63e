import { once } from "node:events";
import { createServer } from "node:http";
import type { JWTPayload } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { AppConfig, IssuerSettings } from "~/config";
import { testConfig } from "~/lib/http/testing";
import { startTestDeployment, type TestDeployment } from "../../../../../tests/convex/deployment.ts";
import type { Identity } from "../../../../../tests/harness/services/oidc.ts";
import { CLIENT_SECRET, startIssuer, type TestIssuer } from "../../../../../tests/harness/services/issuer.ts";
import { totp } from "../../../../../tests/e2e/support/totp.ts";
import { administration } from "../administration.server";
import { authFor } from "../auth.server";
import { deleteUser } from "../delete-account.server";
import { callbackAtItsOrigin } from "../plugins/providers/provider-callbacks.server";
import { fetchFromIssuer } from "./issuer-fetch.server";
import { openIssuer, PAUSE_MS } from "./issuer.server";

const ORIGIN = "http://localhost:3000";
const ACME = "oidc-acme";

let deployment: TestDeployment;
let acme: TestIssuer;
let beta: TestIssuer;
beforeAll(async () => {
  [deployment, acme, beta] = await Promise.all([startTestDeployment(), startIssuer(), startIssuer({ id: "oidc-beta" })]);
});
afterAll(() => Promise.all([deployment.close(), acme.close(), beta.close()]));
afterEach(() => {
  vi.useRealTimers();
  for (const issuer of [acme, beta]) {
    issuer.alter(null);
    for (const path of [DISCOVERY, "/token", "/jwks"]) issuer.answer(path, null);
  }
});

const DISCOVERY = "/.well-known/openid-configuration";

const settingsOf = (issuer: TestIssuer, others: Partial<IssuerSettings> = {}): IssuerSettings => ({
  id: ACME,
  issuer: issuer.url,
  clientId: issuer.clientId,
  clientSecret: CLIENT_SECRET,
  label: "Acme",
  scopes: ["openid", "email", "profile"],
  domains: [],
  adminGroup: null,
  groups: [],
  endSession: false,
  ...others,
});

const configWith = (issuers: IssuerSettings[] = [settingsOf(acme)], accounts: Partial<AppConfig["accounts"]> = {}): AppConfig => ({
  ...testConfig,
  origins: [],
  strictTransportSecurity: {},
  publicUrl: ORIGIN,
  convexUrl: deployment.url,
  signingKey: deployment.signingKey,
  accounts: { ...testConfig.accounts, rateLimit: false, ...accounts },
  issuers,
});

type Sent = { method?: string; body?: object | URLSearchParams };

class Browser {
  readonly cookies = new Map<string, string>();
  readonly config: AppConfig;
  constructor(config: AppConfig) {
    this.config = config;
  }

  async send(path: string, { body, method = body ? "POST" : "GET" }: Sent = {}) {
    const url = path.startsWith("http") ? path : `${ORIGIN}/api/auth${path}`;
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const isForm = body instanceof URLSearchParams;
    const headers = {
      "x-atelier-client-address": "192.0.2.1",
      ...(!isForm && { Origin: ORIGIN, Cookie: cookie, "Content-Type": "application/json" }),
    };
    const request = new Request(url, { method, headers, ...(body && { body: isForm ? body : JSON.stringify(body) }) });
    const answer = await authFor(this.config, request).handler(request);
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ""] = line.split(";", 1);
      const [name = "", value = ""] = pair.split(/=(.*)/s);
      if (/max-age=0(;|$)/i.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    const body_: unknown = await answer.json().catch(() => null);
    return { status: answer.status, location: answer.headers.get("Location"), body: body_ };
  }

  async start(provider = ACME, path = "/sign-in/social"): Promise<string> {
    const body = { provider, callbackURL: "/projects", errorCallbackURL: "/error", disableRedirect: true };
    const answer = await this.send(path, { body });
    const url: unknown = Object(answer.body).url;
    if (typeof url !== "string") throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
    return url;
  }

  async signIn(user: Identity, issuer = acme, path?: string): Promise<string | null> {
    const back = await issuer.consent(await this.start(ACME, path), user);
    return withoutDescription((await this.send(back)).location);
  }

  async session(): Promise<{ user: { id: string; email: string; name: string; emailVerified: boolean }; session: { id: string } } | null> {
    const { body } = await this.send("/get-session");
    return body as never;
  }
}

const withoutDescription = (location: string | null) => location?.replace(/&error_description=.*$/, "") ?? null;

const adapterOf = async (config: AppConfig) => (await authFor(config, new Request(ORIGIN)).$context).adapter;
const find = async (model: "user" | "session" | "account", field: string, value: string) =>
  (await adapterOf(configWith())).findMany<Record<string, unknown>>({ model, where: [{ field, value }] });
const usersOf = ({ email }: Identity) => find("user", "email", email);

const password = "correct horse battery";

async function signUp(email: string, config = configWith()): Promise<Browser> {
  const browser = new Browser(config);
  const answer = await browser.send("/sign-up/email", { body: { name: "Ada", email, password } });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return browser;
}

async function verifyAddress(email: string): Promise<void> {
  await (
    await adapterOf(configWith())
  ).update({ model: "user", where: [{ field: "email", value: email }], update: { emailVerified: true } });
}

describe("sign-in with an issuer", () => {
  it("creates an account, and signs in to it later", { tags: "@issuer-sign-in" }, async () => {
    const grace = acme.person();
    const config = configWith();
    const first = new Browser(config);
    expect(await first.signIn(grace)).toBe("/projects");
    const created = await first.session();
    expect(created?.user).toMatchObject({ email: grace.email, name: "Grace Hopper", emailVerified: true });
    const later = new Browser(config);
    expect(await later.signIn(grace)).toBe("/projects");
    expect((await later.session())?.user.id).toBe(created?.user.id);
    expect(acme.requestCount(DISCOVERY)).toBeGreaterThan(0);
  });

  it("sends state, nonce and a PKCE challenge", { tags: "@issuer-request" }, async () => {
    const url = new URL(await new Browser(configWith()).start());
    expect(url.origin).toBe(acme.url);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: "code",
      scope: "openid email profile",
      code_challenge_method: "S256",
      code_challenge: expect.stringMatching(/^.{43}$/),
      nonce: expect.stringMatching(/^.{32}$/),
      state: expect.stringMatching(/^.{32}$/),
      redirect_uri: `${ORIGIN}/api/auth/callback/${ACME}`,
    });
  });

  it("fetches metadata and keys once for several sign-ins", async () => {
    const config = configWith();
    const before = [DISCOVERY, "/jwks"].map((path) => acme.requestCount(path));
    await Promise.all([1, 2, 3].map(() => new Browser(config).signIn(acme.person())));
    expect([DISCOVERY, "/jwks"].map((path) => acme.requestCount(path))).toEqual(before.map((count) => count + 1));
  });

  const seconds = (offset: number) => Math.floor(Date.now() / 1000) + offset;
  const invalid: [reason: string, change: (claims: JWTPayload) => JWTPayload, key?: "foreign"][] = [
    ["another issuer", (claims) => ({ ...claims, iss: beta.url })],
    ["another audience", (claims) => ({ ...claims, aud: "another client" })],
    ["another authorized party", (claims) => ({ ...claims, azp: "another client" })],
    ["several audiences without an authorized party", (claims) => ({ ...claims, aud: [acme.clientId, "another client"] })],
    ["a signature by another key", (claims) => claims, "foreign"],
    ["another nonce", (claims) => ({ ...claims, nonce: "x".repeat(32) })],
    ["no nonce", (claims) => ({ ...claims, nonce: undefined })],
    ["no subject", (claims) => ({ ...claims, sub: undefined })],
    ["an expiry in the past", (claims) => ({ ...claims, iat: seconds(-600), exp: seconds(-70) })],
    ["a start in the future", (claims) => ({ ...claims, nbf: seconds(70) })],
  ];

  it.each(invalid)("rejects an ID token with %s, and creates no account", { tags: "@rejects-id-token" }, async (_, change, key) => {
    const grace = acme.person();
    acme.alter(change, key);
    const browser = new Browser(configWith());
    expect(await browser.signIn(grace)).toBe("/error?error=unable_to_get_user_info");
    expect([await browser.session(), await usersOf(grace)]).toEqual([null, []]);
  });

  it.each([
    ["behind", (claims: JWTPayload) => ({ ...claims, iat: seconds(-600), exp: seconds(-50) })],
    ["ahead", (claims: JWTPayload) => ({ ...claims, iat: seconds(50), nbf: seconds(50), exp: seconds(650) })],
  ])("accepts an ID token of an issuer whose clock is 50 s %s", async (_, change) => {
    acme.alter(change);
    expect(await new Browser(configWith()).signIn(acme.person())).toBe("/projects");
  });

  it("fetches the keys again after the issuer has rotated them", async () => {
    const config = configWith();
    expect(await new Browser(config).signIn(acme.person())).toBe("/projects");
    await acme.rotateKeys();
    expect(await new Browser(config).signIn(acme.person())).toBe("/projects");
    acme.alter((claims) => claims, "foreign");
    expect(await new Browser(config).signIn(acme.person())).toBe("/error?error=unable_to_get_user_info");
  });

  it("rejects user info about another user", async () => {
    const [grace, other] = [acme.person(), acme.person()];
    acme.alter((claims) => ({ ...claims, sub: other.sub }));
    expect(await new Browser(configWith()).signIn(grace)).toBe("/error?error=unable_to_get_user_info");
  });

  it("rejects an ID token that a program sends", async () => {
    const idToken = { token: await acme.logoutToken({ sub: "x", nonce: "n" }, { event: false }), nonce: "n" };
    expect((await new Browser(configWith()).send("/sign-in/social", { body: { provider: ACME, idToken } })).status).toBe(404);
  });
});

describe("two issuers", () => {
  const both = () => configWith([settingsOf(acme), settingsOf(beta, { id: "oidc-beta", label: "Beta" })]);

  it("rejects a response of another issuer than the one at which the sign-in began", { tags: "@issuer-mix-up" }, async () => {
    const browser = new Browser(both());
    const begun = new URL(await browser.start());
    const atBeta = new URL(await new Browser(both()).start("oidc-beta"));
    for (const name of ["state", "nonce", "code_challenge"]) atBeta.searchParams.set(name, begun.searchParams.get(name) ?? "");
    const back = await beta.consent(atBeta.href, beta.person());
    const sent = beta.requestCount("/token");
    expect(withoutDescription((await browser.send(back)).location)).toBe("/error?error=invalid_code");
    expect(beta.requestCount("/token")).toBe(sent);
  });

  it.each([
    ["names another issuer", (url: URL) => url.searchParams.set("iss", beta.url), "invalid_callback_request"],
    ["names no issuer, although its issuer always does", (url: URL) => url.searchParams.delete("iss"), "invalid_code"],
  ])("sends no code of a response that %s", async (_, change, code) => {
    const browser = new Browser(both());
    const back = new URL(await acme.consent(await browser.start(), acme.person()));
    change(back);
    const sent = acme.requestCount("/token");
    expect(withoutDescription((await browser.send(back.href)).location)).toBe(`/error?error=${code}`);
    expect(acme.requestCount("/token")).toBe(sent);
  });

  it("keeps the same subject of two issuers apart", async () => {
    const [grace, ada] = [acme.person(), beta.person()];
    beta.alter((claims) => ({ ...claims, sub: grace.sub, email: ada.email, email_verified: true, name: "Ada" }));
    const config = both();
    const first = new Browser(config);
    await first.signIn(grace);
    const second = new Browser(config);
    await second.send(await beta.consent(await second.start("oidc-beta"), ada));
    const users = [await first.session(), await second.session()].map((each) => each?.user.email);
    expect(users).toEqual([grace.email, ada.email]);
  });
});

it("redirects to the origin of the sign-in, through the first origin's callback", async () => {
  const first = "http://localhost:4000";
  const config = { ...configWith(), origins: [first, ORIGIN] };
  const browser = new Browser(config);
  const begun = await browser.start();
  expect(new URL(begun).searchParams.get("redirect_uri")).toBe(`${first}/api/auth/callback/${ACME}`);
  const back = callbackAtItsOrigin(config, new URL(await acme.consent(begun, acme.person())));
  expect((await browser.send(back ?? "")).location).toBe("/projects");
});

describe("a faulty issuer", () => {
  const unavailable = { status: 502, body: { code: "ISSUER_UNAVAILABLE" } };
  const start = (config: AppConfig) =>
    new Browser(config).send("/sign-in/social", { body: { provider: ACME, callbackURL: "/projects", disableRedirect: true } });

  it("affects no other sign-in method while it is down, and is used once it is back", async () => {
    acme.answer(DISCOVERY, (_, response) => response.writeHead(503).end());
    const config = configWith();
    expect(await start(config)).toMatchObject(unavailable);
    expect(await (await signUp(acme.person().email, config)).session()).not.toBeNull();
    acme.answer(DISCOVERY, null);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + PAUSE_MS });
    expect((await start(config)).status).toBe(200);
  });

  it("receives one request for several sign-ins while it is unavailable", { tags: "@issuer-pause" }, async () => {
    acme.answer(DISCOVERY, (_, response) => response.writeHead(503).end());
    const config = configWith();
    const requests = acme.requestCount(DISCOVERY);
    for (let sent = 0; sent < 3; sent++) expect(await start(config)).toMatchObject(unavailable);
    expect(acme.requestCount(DISCOVERY)).toBe(requests + 1);
  });

  it("receives one request for several logout tokens while its keys are unavailable", { tags: "@issuer-keys-pause" }, async () => {
    acme.answer("/jwks", (_, response) => response.writeHead(503).end());
    const client = openIssuer(settingsOf(acme));
    const token = await acme.logoutToken({ sub: "x" });
    const requests = acme.requestCount("/jwks");
    for (let sent = 0; sent < 3; sent++) await expect(client.verifyLogout(token)).rejects.toThrow("503");
    expect(acme.requestCount("/jwks")).toBe(requests + 1);
  });

  it("keeps its cached metadata when it is down later", async () => {
    const client = openIssuer(settingsOf(acme));
    const before = await client.metadata();
    acme.answer(DISCOVERY, (_, response) => response.writeHead(503).end());
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2 * 60 * 60 * 1000 });
    const requests = acme.requestCount(DISCOVERY);
    for (let sent = 0; sent < 3; sent++) expect(await client.metadata()).toEqual(before);
    expect(acme.requestCount(DISCOVERY)).toBe(requests + 1);
  });

  it("is rejected if its name differs from the settings", { tags: "@issuer-name" }, async () => {
    expect(await start(configWith([settingsOf(acme, { issuer: `${acme.url}/` })]))).toMatchObject(unavailable);
  });

  it("times out when it is slow", async () => {
    acme.answer(DISCOVERY, () => {});
    await expect(fetchFromIssuer(acme.url, acme.url + DISCOVERY, { timeoutMs: 50 })).rejects.toThrow("aborted");
  });

  it("is refused when its response is too large", async () => {
    acme.answer(DISCOVERY, (_, response) => response.end("x".repeat(600_000)));
    await expect(fetchFromIssuer(acme.url, acme.url + DISCOVERY)).rejects.toThrow("too large");
  });

  it("cannot send the app to a private address", { tags: "@issuer-private-address" }, async () => {
    let reached = 0;
    const inside = createServer((_, response) => {
      reached++;
      response.end("{}");
    }).listen(0, "127.0.0.1");
    await once(inside, "listening");
    const address = inside.address();
    const port = address && typeof address === "object" ? address.port : 0;
    try {
      for (const target of [`http://127.0.0.1:${port}/`, `http://localhost:${port}/`]) {
        acme.answer(DISCOVERY, (_, response) => response.writeHead(302, { Location: target }).end());
        expect(await start(configWith())).toMatchObject(unavailable);
      }
      acme.answer(DISCOVERY, null);
      acme.answer("/token", (_, response) => response.writeHead(307, { Location: `http://127.0.0.1:${port}/token` }).end());
      expect(await new Browser(configWith()).signIn(acme.person())).toBe("/error?error=invalid_code");
      acme.answer("/token", null);

      const document: unknown = await (await fetch(acme.url + DISCOVERY)).json();
      const named = (endpoints: object) => (_: unknown, response: { end(text: string): void }) =>
        response.end(JSON.stringify({ ...Object(document), ...endpoints }));
      for (const host of ["localhost", "127.0.0.2", "[::1]"]) {
        acme.answer(DISCOVERY, named({ token_endpoint: `http://${host}:${port}/token` }));
        expect(await new Browser(configWith()).signIn(acme.person())).toBe("/error?error=invalid_code");
        acme.answer(DISCOVERY, named({ jwks_uri: `http://${host}:${port}/jwks` }));
        expect(await new Browser(configWith()).signIn(acme.person())).toBe("/error?error=unable_to_get_user_info");
      }
      acme.answer(DISCOVERY, named({ authorization_endpoint: "http://login.example/auth" }));
      expect(await start(configWith())).toMatchObject(unavailable);
    } finally {
      inside.close();
    }
    expect(reached).toBe(0);
  });
});

describe("allowed domains", () => {
  const config = () => configWith([settingsOf(acme, { domains: ["acme.example"] })]);
  const id = () => crypto.randomUUID();

  it.each([
    ["in the domain", "@ACME.example", true, "/projects", 1],
    ["in another domain", "@other.example", true, "/error?error=domain_not_allowed", 0],
    ["in a subdomain", "@sub.acme.example", true, "/error?error=domain_not_allowed", 0],
    ["in a domain with the same end", "@notacme.example", true, "/error?error=domain_not_allowed", 0],
    ["in the domain, but not verified", "@acme.example", false, "/error?error=provider_email_not_verified", 0],
  ])("checks an address %s", async (_, domain, email_verified, location, accounts) => {
    const grace = acme.person({ email: id() + domain, email_verified });
    const browser = new Browser(config());
    expect(await browser.signIn(grace)).toBe(location);
    expect((await browser.session()) === null).toBe(accounts === 0);
    expect(await find("user", "email", grace.email.toLowerCase())).toHaveLength(accounts);
  });

  it("accepts Entra's claim for a verified domain", async () => {
    const grace = acme.person({ email: `${id()}@acme.example`, email_verified: undefined, xms_edov: true });
    expect(await new Browser(config()).signIn(grace)).toBe("/projects");
  });
});

describe("allowed groups", () => {
  const config = () => configWith([settingsOf(acme, { groups: ["designers", "/staff"] })]);

  it("checks the allowed groups at each sign-in", { tags: "@issuer-groups" }, async () => {
    const grace = acme.person({ groups: ["sales"] });
    const browser = new Browser(config());
    expect(await browser.signIn(grace)).toBe("/error?error=group_not_allowed");
    expect([await browser.session(), await usersOf(grace)]).toEqual([null, []]);
    grace.claims["groups"] = ["sales", "/staff"];
    expect(await browser.signIn(grace)).toBe("/projects");
    for (const removed of [["sales"], [], undefined]) {
      grace.claims["groups"] = removed;
      const later = new Browser(config());
      expect(await later.signIn(grace)).toBe("/error?error=group_not_allowed");
      expect(await later.session()).toBeNull();
    }
  });

  it("checks groups before a link, and before an unverified account loses its password", async () => {
    const grace = acme.person({ groups: ["sales"] });
    const own = await signUp(grace.email, config());
    expect(await new Browser(config()).signIn(grace)).toBe("/error?error=group_not_allowed");
    expect(await own.signIn(grace, acme, "/link-social")).toBe("/error?error=group_not_allowed");
    expect(await own.send("/list-accounts")).toMatchObject({ body: [{ providerId: "credential" }] });
  });
});

describe("an account with the same address", () => {
  it("is linked only if the issuer has verified the address", { tags: "@issuer-verified-link" }, async () => {
    const grace = acme.person({ email_verified: false });
    const own = await signUp(grace.email);
    await verifyAddress(grace.email);
    expect(await new Browser(configWith()).signIn(grace)).toBe("/error?error=account_not_linked");
    expect(await own.signIn(grace, acme, "/link-social")).toBe("/error?error=unable_to_link_account");
    grace.claims["email_verified"] = true;
    const browser = new Browser(configWith());
    expect(await browser.signIn(grace)).toBe("/projects");
    expect((await browser.session())?.user.id).toBe((await own.session())?.user.id);
  });

  it("is not linked by a verified flag for another address", async () => {
    const grace = acme.person();
    const victim = `${crypto.randomUUID()}@example.com`;
    await signUp(victim);
    await verifyAddress(victim);
    acme.alter((claims) => ({ ...claims, email: victim }));
    expect(await new Browser(configWith()).signIn(grace)).toBe("/error?error=account_not_linked");
  });

  it("can be linked and unlinked by its user", async () => {
    const grace = acme.person();
    const own = await signUp(grace.email);
    expect(await own.signIn(grace, acme, "/link-social")).toBe("/projects");
    expect(await own.send("/list-accounts")).toMatchObject({
      body: [{ providerId: "credential" }, { providerId: ACME, accountId: grace.sub }],
    });
    expect(await own.send("/unlink-account", { body: { providerId: ACME } })).toMatchObject({ status: 200 });
    expect(await own.send("/list-accounts")).toMatchObject({ body: [{ providerId: "credential" }] });
  });
});

it("starts a new account after the earlier one was deleted", async () => {
  const grace = acme.person();
  const config = configWith();
  const first = new Browser(config);
  await first.signIn(grace);
  const before = (await first.session())?.user.id ?? "";
  await deleteUser(config, before);
  expect(await find("account", "userId", before)).toEqual([]);
  const second = new Browser(config);
  expect(await second.signIn(grace)).toBe("/projects");
  expect((await second.session())?.user.id).not.toBe(before);
});

it("shows the profile and refreshes tokens for /account-info", async () => {
  const grace = acme.person();
  const browser = new Browser(configWith());
  await browser.signIn(grace);
  expect(await browser.send("/account-info", { body: { accountId: grace.sub } })).toMatchObject({
    status: 200,
    body: { user: { email: grace.email, emailVerified: true }, data: { sub: grace.sub } },
  });
});

describe("back-channel logout", () => {
  const post = (config: AppConfig, logout_token: string, id = ACME) =>
    new Browser(config).send(`/oidc/backchannel-logout/${id}`, { body: new URLSearchParams({ logout_token }) });

  const sidOf = async (browser: Browser) => {
    const [row] = await find("session", "id", (await browser.session())?.session.id ?? "");
    return String(row?.["issuerSession"]);
  };

  it("ends the session that the token names, and only that one", { tags: "@back-channel-logout" }, async () => {
    const grace = acme.person();
    const config = configWith();
    const [first, second] = [new Browser(config), new Browser(config)];
    await first.signIn(grace);
    await second.signIn(grace);
    const sid = await sidOf(first);
    expect(sid).not.toBe(await sidOf(second));
    expect((await post(config, await acme.logoutToken({ sub: grace.sub, sid }))).status).toBe(200);
    expect([await first.session(), (await second.session())?.user.email]).toEqual([null, grace.email]);
    expect((await post(config, await acme.logoutToken({ sid: await sidOf(second) }))).status).toBe(200);
    expect(await second.session()).toBeNull();
  });

  it("ends all sessions of a user at the issuer, but none of another method", async () => {
    const grace = acme.person();
    const config = configWith();
    const own = await signUp(grace.email, config);
    await verifyAddress(grace.email);
    const [first, second, other] = [new Browser(config), new Browser(config), new Browser(config)];
    for (const browser of [first, second]) await browser.signIn(grace);
    await other.signIn(acme.person());
    expect((await post(config, await acme.logoutToken({ sub: grace.sub }))).status).toBe(200);
    const ended = await Promise.all([first, second, own, other].map(async (browser) => (await browser.session()) === null));
    expect(ended).toEqual([true, true, false, false]);
  });

  it("rejects a token that was used before", { tags: "@logout-token-once" }, async () => {
    const grace = acme.person();
    const config = configWith();
    const token = await acme.logoutToken({ sub: grace.sub });
    expect((await post(config, token)).status).toBe(200);
    const browser = new Browser(config);
    await browser.signIn(grace);
    expect(await post(config, token)).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    expect(await browser.session()).not.toBeNull();
  });

  const seconds = (offset: number) => Math.floor(Date.now() / 1000) + offset;
  it.each<[string, (grace: Identity) => Promise<string>]>([
    ["that is no token", async () => "x"],
    ["of another issuer", (grace) => acme.logoutToken({ sub: grace.sub, iss: "https://other.example" })],
    ["for another client", (grace) => acme.logoutToken({ sub: grace.sub, aud: "another client" })],
    ["with another key's signature", (grace) => acme.logoutToken({ sub: grace.sub }, { key: "foreign" })],
    ["without the logout event", (grace) => acme.logoutToken({ sub: grace.sub }, { event: false })],
    ["with a nonce, like an ID token", (grace) => acme.logoutToken({ sub: grace.sub, nonce: "x" })],
    ["without user and session", () => acme.logoutToken({})],
    ["that has expired", (grace) => acme.logoutToken({ sub: grace.sub, exp: seconds(-70) })],
    ["that was issued long ago", (grace) => acme.logoutToken({ sub: grace.sub, iat: seconds(-1000) })],
    ["without an id", (grace) => acme.logoutToken({ sub: grace.sub, jti: undefined })],
  ])("rejects a token %s", { tags: "@rejects-logout-token" }, async (_, token) => {
    const grace = acme.person();
    const config = configWith();
    const browser = new Browser(config);
    await browser.signIn(grace);
    expect(await post(config, await token(grace))).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    expect(await browser.session()).not.toBeNull();
  });

  it("answers 404 for an unknown issuer", async () => {
    expect((await post(configWith(), await acme.logoutToken({ sub: "x" }), "oidc-other")).status).toBe(404);
  });

  it("ends a session that a second factor completed or replaced", { tags: "@back-channel-second-factor" }, async () => {
    const grace = acme.person();
    const config = configWith();
    await signUp(grace.email, config);
    await verifyAddress(grace.email);
    const first = new Browser(config);
    await first.signIn(grace);
    const before = await first.session();
    const sid = await sidOf(first);
    const { totpURI, backupCodes } = Object((await first.send("/two-factor/enable", { body: { password } })).body);
    const code = totp(new URL(totpURI).searchParams.get("secret") ?? "");
    expect((await first.send("/two-factor/verify-totp", { body: { code } })).status).toBe(200);
    expect((await first.session())?.session.id).not.toBe(before?.session.id);
    expect(await sidOf(first)).toBe(sid);

    const second = new Browser(config);
    expect(await second.signIn(grace)).toBe("/two-factor?redirectTo=%2Fprojects");
    expect(await second.session()).toBeNull();
    expect((await second.send("/two-factor/verify-backup-code", { body: { code: backupCodes[0] } })).status).toBe(200);
    expect((await post(config, await acme.logoutToken({ sid: await sidOf(second) }))).status).toBe(200);
    expect([(await first.session())?.user.email, await second.session()]).toEqual([grace.email, null]);
    expect((await post(config, await acme.logoutToken({ sid }))).status).toBe(200);
    expect(await first.session()).toBeNull();
  });
});

it("keeps the administrator role of a group across a second factor", { tags: "@group-role-second-factor" }, async () => {
  const grace = acme.person({ groups: ["admins"] });
  const config = configWith([settingsOf(acme, { adminGroup: "admins" })]);
  await signUp(grace.email, config);
  await verifyAddress(grace.email);
  const groupOf = async (browser: Browser) => {
    const [row] = await find("session", "id", (await browser.session())?.session.id ?? "");
    return row?.["adminGroup"] ?? null;
  };
  const first = new Browser(config);
  await first.signIn(grace);
  expect(await groupOf(first)).toBe("admins");
  const { totpURI, backupCodes } = Object((await first.send("/two-factor/enable", { body: { password } })).body);
  const code = totp(new URL(totpURI).searchParams.get("secret") ?? "");
  expect((await first.send("/two-factor/verify-totp", { body: { code } })).status).toBe(200);
  expect(await groupOf(first), "the session that replaces the first one").toBe("admins");

  const second = new Browser(config);
  expect(await second.signIn(grace)).toBe("/two-factor?redirectTo=%2Fprojects");
  expect((await second.send("/two-factor/verify-backup-code", { body: { code: backupCodes[0] } })).status).toBe(200);
  expect(await groupOf(second)).toBe("admins");

  grace.claims["groups"] = [];
  const third = new Browser(config);
  await third.signIn(grace);
  expect([await groupOf(first), await groupOf(second)], "the role ends in all sessions, before the second factor").toEqual([null, null]);
  expect((await third.send("/two-factor/verify-backup-code", { body: { code: backupCodes[1] } })).status).toBe(200);
  expect(await groupOf(third)).toBeNull();
});

describe("sign-out", () => {
  const callbackURL = `${ORIGIN}/sign-in`;
  const signOut = async (browser: Browser) =>
    Object((await browser.send("/sign-out", { body: { callbackURL, disableRedirect: true } })).body) as { success: boolean; url?: string };

  it("redirects to the issuer at which the session began", { tags: "@issuer-end-session" }, async () => {
    const grace = acme.person();
    const browser = new Browser(configWith([settingsOf(acme, { endSession: true })]));
    await browser.signIn(grace);
    const { url = "" } = await signOut(browser);
    expect(new URL(url).pathname).toBe("/session/end");
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      client_id: acme.clientId,
      post_logout_redirect_uri: callbackURL,
      id_token_hint: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    });
    expect((await fetch(url)).status).toBe(200);
    expect(await browser.session()).toBeNull();
  });

  it("sends no ID token of another session", async () => {
    const grace = acme.person();
    const config = configWith([settingsOf(acme, { endSession: true })]);
    const [first, second] = [new Browser(config), new Browser(config)];
    await first.signIn(grace);
    await second.signIn(grace);
    const { url = "" } = await signOut(first);
    expect([...new URL(url).searchParams.keys()]).toEqual(["client_id", "post_logout_redirect_uri"]);
  });

  it("redirects to no issuer without the setting, or for a session by password", async () => {
    const grace = acme.person();
    const without = new Browser(configWith());
    await without.signIn(grace);
    expect(await signOut(without)).toEqual({ success: true });

    const config = configWith([settingsOf(acme, { endSession: true })]);
    const ada = acme.person();
    const own = await signUp(ada.email, config);
    await verifyAddress(ada.email);
    await new Browser(config).signIn(ada);
    expect(await signOut(own)).toEqual({ success: true });
  });

  it("ends the session in the app while the issuer does not answer", async () => {
    const config = configWith([settingsOf(acme, { endSession: true })]);
    const browser = new Browser(config);
    await browser.signIn(acme.person());
    const restarted = new Browser({ ...config });
    for (const [name, value] of browser.cookies) restarted.cookies.set(name, value);
    acme.answer(DISCOVERY, (_, response) => response.writeHead(503).end());
    expect(await signOut(restarted)).toEqual({ success: true });
    expect(await browser.session()).toBeNull();
  });
});

describe("issuers as the only way to sign in", () => {
  const only = () => ({ ...configWith(undefined, { emailAndPassword: false }), smtpUrl: null });

  it.each([
    ["/sign-in/magic-link", { email: "ada@example.com" }],
    ["/sign-in/email-otp", { email: "ada@example.com", otp: "123456" }],
    ["/passkey/verify-authentication", { response: {} }],
  ])("reject %s", { tags: "@only-issuers" }, async (path, body) => {
    expect(await new Browser(only()).send(path, { body })).toMatchObject({ status: 403, body: { code: "SINGLE_SIGN_ON_REQUIRED" } });
  });

  it("accept the sign-in link that the operator prints", { tags: "@operator-sign-in-link" }, async () => {
    const grace = acme.person();
    await new Browser(only()).signIn(grace);
    const accounts = await administration(only());
    const { link } = Object(await accounts.signIn(grace.email.toUpperCase(), false));
    const browser = new Browser(only());
    expect((await browser.send(link)).location).toBe(`${ORIGIN}/projects`);
    expect((await browser.session())?.user.email).toBe(grace.email);
    expect((await new Browser(only()).send(link)).location).toBe(`${ORIGIN}/sign-in?error=INVALID_TOKEN`);
    expect(await accounts.signIn("nobody@example.com", true)).toBeNull();
    const unverified = acme.person({ email_verified: false });
    await new Browser(only()).signIn(unverified);
    expect(await accounts.signIn(unverified.email, false)).toBe("not verified");
    expect(await accounts.signIn(unverified.email, true)).toMatchObject({ link: expect.any(String) });
  });
});
