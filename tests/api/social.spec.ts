import { again, Program, text, through } from "./program.ts";
import { expect, test } from "./test.ts";

/** Signing in by a provider, against a real OpenID Connect server (specification 4, 5 and 8). */

const GOOGLE = { provider: "google", callbackURL: "/projects", newUserCallbackURL: "/account", errorCallbackURL: "/sign-in" };
const GITLAB = { ...GOOGLE, provider: "gitlab" };

test("leads to the new-user URL at first, and to the callback URL later", async ({ app, social }) => {
  const who = social.identity();
  expect(await through(new Program(app), social, who, { body: GOOGLE })).toBe("/account");
  expect(await through(new Program(app), social, who, { body: GOOGLE })).toBe("/projects");
});

test("leads to the callback URL at first where there is no new-user URL", async ({ nobody, social }) => {
  expect(await through(nobody, social, social.identity(), { body: { callbackURL: "/projects" } })).toBe("/projects");
});

test("asks for the provider's consent with PKCE and a state that is good for ten minutes", async ({ nobody, store }) => {
  const start = await nobody.post("/sign-in/social", GOOGLE);
  const { searchParams } = new URL(text(start, "url"));
  expect(searchParams.get("code_challenge_method")).toBe("S256");
  const state = start.headers.getSetCookie().find((line) => line.startsWith("atelier.state="));
  expect(state).toMatch(/; Max-Age=600(;|$)/);
  const [row] = await store.find("verifications", { identifier: `auth-state:${searchParams.get("state")}` });
  expect(Math.abs(Number(row?.["expiresAt"]) - Date.now() - 600_000)).toBeLessThan(60_000);
});

test("keeps a provider's tokens sealed", async ({ nobody, social, store }) => {
  const who = social.identity();
  await through(nobody, social, who);
  const [row] = await store.find("accounts", { accountId: who.sub, providerId: "google" });
  const { body } = await nobody.post("/get-access-token", { providerId: "google" });
  expect(body).toMatchObject({ accessToken: expect.any(String), idToken: expect.stringContaining(".") });
  const sealed = [row?.["accessToken"], row?.["refreshToken"], row?.["idToken"]].map(String);
  for (const value of sealed) expect(value).toMatch(/^(\$ba\$\d+\$)?[0-9a-f]{60,}$/);
});

test("takes a second login of one address for the same person when both sides have verified it, and not otherwise", async ({
  app,
  ada,
  social,
  store,
}) => {
  const attempt = (email_verified: boolean) =>
    through(new Program(app), social, social.identity({ email: ada.email, email_verified }), { body: GOOGLE });
  expect(await attempt(true)).toBe("/sign-in?error=account_not_linked");
  await store.change("users", { id: ada.id }, { emailVerified: true });
  expect(await attempt(false)).toBe("/sign-in?error=account_not_linked");
  expect(await attempt(true)).toBe("/projects");
  expect(text(await ada.program.get("/list-accounts"), 1, "providerId")).toBe("google");
});

test("links a login, and unlinks it", async ({ ada, social }) => {
  const who = social.identity({ email: ada.email });
  expect(await through(ada.program, social, who, { path: "/link-social", body: { callbackURL: "/account" } })).toBe("/account");
  expect((await ada.program.get("/list-accounts")).body).toMatchObject([
    { providerId: "credential" },
    { providerId: "google", accountId: who.sub },
  ]);
  expect((await ada.program.post("/unlink-account", { providerId: "google" })).body).toEqual({ status: true });
  expect((await ada.program.get("/list-accounts")).body).toMatchObject([{ providerId: "credential" }]);
});

test("signs in with an ID token, at first and later, and only with a good one", async ({ app, social }) => {
  const who = social.identity();
  const enter = async (token: string, nonce?: string) =>
    (await new Program(app).post("/sign-in/social", { provider: "google", idToken: { token, nonce } })).status;
  const token = await social.idToken(who, "a nonce");
  expect(await enter(token, "a nonce")).toBe(200);
  expect(await enter(token)).toBe(200);
  expect(await enter(token, "another nonce")).toBe(401);
  const [header, claims, signature = ""] = token.split(".");
  expect(await enter([header, claims, signature.replace(/^./, (c) => (c === "A" ? "B" : "A"))].join("."))).toBe(401);
  const other = Buffer.from(
    JSON.stringify({ ...JSON.parse(Buffer.from(claims ?? "", "base64url").toString()), sub: "somebody else" }),
  ).toString("base64url");
  expect(await enter([header, other, signature].join("."))).toBe(401);
  const none = Buffer.from(JSON.stringify({ alg: "none" })).toString("base64url");
  expect(await enter(`${none}.${claims}.`)).toBe(401);
});

test.describe("an access token", () => {
  for (const [seconds, refreshed] of [
    [4, true],
    [60, false],
  ] as const) {
    test(`that ends in ${seconds} seconds is ${refreshed ? "refreshed" : "given as it is"}`, async ({ nobody, social }) => {
      social.accessTokenSeconds = seconds;
      await through(nobody, social, social.identity());
      social.accessTokenSeconds = 3600;
      const asked = social.asked("/token");
      const first = await nobody.post("/get-access-token", { providerId: "google" });
      expect(social.asked("/token") - asked).toBe(refreshed ? 1 : 0);
      const lasts = (Date.parse(text(first, "accessTokenExpiresAt")) - Date.now()) / 1000;
      expect(lasts).toBeGreaterThan(refreshed ? 3000 : 10);
      // And what came is kept.
      expect((await nobody.post("/get-access-token", { providerId: "google" })).body).toEqual(first.body);
    });
  }

  test("is refreshed for account-info too", async ({ nobody, social }) => {
    const who = social.identity();
    social.accessTokenSeconds = 1;
    await through(nobody, social, who, { provider: "gitlab" });
    social.accessTokenSeconds = 3600;
    expect((await nobody.post("/account-info", { accountId: who.sub })).body).toMatchObject({
      user: { email: who.email },
      data: { username: "grace" },
    });
  });
});

test.describe("a callback that fails leads to the error's page with the code", () => {
  const at = (code: string) => `/sign-in?error=${code}`;

  test("invalid_callback_request", async ({ nobody }) => {
    expect((await nobody.get("/callback/google?code=a&code=b&state=c")).location).toBe("/error?error=invalid_callback_request");
  });

  test("state_not_found", async ({ nobody }) => {
    expect((await nobody.get("/callback/google?code=a")).location).toBe("/error?error=state_not_found");
  });

  test("a state that we did not give, and one that another browser was given", async ({ app, nobody, social }) => {
    expect((await nobody.get("/callback/google?code=a&state=b")).location).toBe("/error?error=state_not_found");
    const start = await nobody.post("/sign-in/social", GOOGLE);
    const back = await social.consent(text(start, "url"), social.identity());
    const other = new Program(app);
    expect((await other.get(back)).location).toBe(at("state_not_found"));
    expect(await other.signedIn()).toBe(false);
  });

  test("a state that is used a second time", async ({ nobody, social }) => {
    const start = await nobody.post("/sign-in/social", GOOGLE);
    const back = await social.consent(text(start, "url"), social.identity());
    expect((await nobody.get(back)).location).toBe("/account");
    expect((await nobody.get(back)).location).toBe("/error?error=state_not_found");
  });

  test("no_code", async ({ nobody }) => {
    const { searchParams } = new URL(text(await nobody.post("/sign-in/social", GOOGLE), "url"));
    expect((await nobody.get(`/callback/google?state=${searchParams.get("state")}`)).location).toBe(at("no_code"));
  });

  test("a code that one provider gave, at the callback of another", async ({ nobody, social }) => {
    const start = await nobody.post("/sign-in/social", GOOGLE);
    const back = await social.consent(text(start, "url"), social.identity());
    expect((await nobody.get(back.replace("/callback/google", "/callback/gitlab"))).location).toMatch(/[?&]error=/);
    expect(await nobody.signedIn()).toBe(false);
  });

  test("oauth_provider_not_found", async ({ nobody }) => {
    const { searchParams } = new URL(text(await nobody.post("/sign-in/social", GOOGLE), "url"));
    expect((await nobody.get(`/callback/nowhere?code=a&state=${searchParams.get("state")}`)).location).toBe(at("oauth_provider_not_found"));
  });

  test("invalid_code", async ({ nobody }) => {
    const { searchParams } = new URL(text(await nobody.post("/sign-in/social", GOOGLE), "url"));
    expect((await nobody.get(`/callback/google?code=a&state=${searchParams.get("state")}`)).location).toBe(at("invalid_code"));
  });

  test("unable_to_get_user_info", async ({ nobody, social }) => {
    const who = social.identity({ state: "blocked" });
    expect(await through(nobody, social, who, { provider: "gitlab", body: GITLAB })).toBe(at("unable_to_get_user_info"));
  });

  test("no_callback_url", async ({ nobody, social, store }) => {
    const start = await nobody.post("/sign-in/social", GOOGLE);
    const identifier = `auth-state:${new URL(text(start, "url")).searchParams.get("state")}`;
    const [row] = await store.find("verifications", { identifier });
    await store.change(
      "verifications",
      { identifier },
      { value: JSON.stringify({ ...JSON.parse(String(row?.["value"])), callbackURL: "" }) },
    );
    expect((await nobody.get(await social.consent(text(start, "url"), social.identity()))).location).toBe(at("no_callback_url"));
  });

  test("unable_to_link_account", async ({ ada, social }) => {
    const who = social.identity({ email: ada.email, email_verified: false });
    expect(await through(ada.program, social, who, { path: "/link-social", body: GOOGLE })).toBe(at("unable_to_link_account"));
  });

  test("account_already_linked_to_different_user", async ({ ada, bob, social, store }) => {
    const who = social.identity({ email: ada.email });
    await through(ada.program, social, who, { path: "/link-social", body: GOOGLE });
    // The one who had the address has changed it, and the other has it now.
    await store.change("users", { id: ada.id }, { email: `was-${ada.email}` });
    await store.change("users", { id: bob.id }, { email: ada.email });
    const other = await again({ ...bob, email: ada.email });
    expect(await through(other, social, who, { path: "/link-social", body: GOOGLE })).toBe(at("account_already_linked_to_different_user"));
  });

  test("email_not_found", async ({ nobody, social }) => {
    expect(await through(nobody, social, social.identity({ email: undefined }), { body: GOOGLE })).toBe(at("email_not_found"));
  });

  test("the provider's own", async ({ nobody, social }) => {
    const location = await through(nobody, social, social.identity(), { body: GOOGLE, deny: true });
    expect(location).toBe(`${at("access_denied")}&error_description=The+person+said+no`);
  });

  test("at our own page where no other was given", async ({ nobody, social }) => {
    expect(await through(nobody, social, social.identity(), { deny: true })).toBe(
      "/error?error=access_denied&error_description=The+person+said+no",
    );
  });
});

test("ends no session of somebody who comes back with an error", async ({ ada, social }) => {
  await through(ada.program, social, social.identity(), { body: GOOGLE, deny: true });
  expect(await ada.program.signedIn()).toBe(true);
});
