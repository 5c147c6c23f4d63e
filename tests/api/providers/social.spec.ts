import { signInAgain, Program, text, through } from "../support/program.ts";
import { expect, test } from "../support/test.ts";

const GOOGLE = { provider: "google", callbackURL: "/projects", newUserCallbackURL: "/account", errorCallbackURL: "/sign-in" };
const GITLAB = { ...GOOGLE, provider: "gitlab" };

test(
  "redirects to the new-user URL at first and to the callback URL later",
  { tag: "@redirects-new-user-url-first-callback" },
  async ({ app, social }) => {
    const user = social.identity();
    expect(await through(new Program(app), social, user, { body: GOOGLE })).toBe("/account");
    expect(await through(new Program(app), social, user, { body: GOOGLE })).toBe("/projects");
  },
);

test(
  "redirects to the callback URL at first without a new-user URL",
  { tag: "@redirects-callback-url-first-without-new" },
  async ({ nobody, social }) => {
    expect(await through(nobody, social, social.identity(), { body: { callbackURL: "/projects" } })).toBe("/projects");
  },
);

test(
  "starts with PKCE and a state that is valid for ten minutes",
  { tag: "@starts-pkce-state-valid-ten-minutes" },
  async ({ nobody, store }) => {
    const start = await nobody.post("/sign-in/social", GOOGLE);
    const { searchParams } = new URL(text(start, "url"));
    expect(searchParams.get("code_challenge_method")).toBe("S256");
    const state = start.headers.getSetCookie().find((line) => line.startsWith("atelier.state="));
    expect(state).toMatch(/; Max-Age=600(;|$)/);
    const [row] = await store.find("verifications", { identifier: `auth-state:${searchParams.get("state")}` });
    expect(Math.abs(Number(row?.["expiresAt"]) - Date.now() - 600_000)).toBeLessThan(60_000);
  },
);

test("shortens a long name and drops a long picture address from a provider", async ({ nobody, social }) => {
  const user = social.identity({ name: "x".repeat(500), picture: `https://${"i".repeat(2000)}` });
  expect(await through(nobody, social, user)).toBe("/projects");
  expect((await nobody.get("/get-session")).body).toMatchObject({ user: { name: "x".repeat(200), image: null } });
});

test("stores a provider's tokens encrypted", { tag: "@stores-providers-tokens-encrypted" }, async ({ nobody, social, store }) => {
  const user = social.identity();
  await through(nobody, social, user);
  const [row] = await store.find("accounts", { accountId: user.sub, providerId: "google" });
  const { body } = await nobody.post("/get-access-token", { providerId: "google" });
  expect(body).toMatchObject({ accessToken: expect.any(String), idToken: expect.stringContaining(".") });
  const sealed = [row?.["accessToken"], row?.["refreshToken"], row?.["idToken"]].map(String);
  for (const value of sealed) expect(value).toMatch(/^(\$ba\$\d+\$)?[0-9a-f]{60,}$/);
});

test(
  "links a second login of an address only when the provider verified it",
  { tag: "@links-second-login-address-only-when" },
  async ({ app, ada, social, store }) => {
    const attempt = (email_verified: boolean) =>
      through(new Program(app), social, social.identity({ email: ada.email, email_verified }), { body: GOOGLE });
    expect(await attempt(false)).toBe("/sign-in?error=account_not_linked");
    await store.change("users", { id: ada.id }, { emailVerified: true });
    expect(await attempt(false)).toBe("/sign-in?error=account_not_linked");
    expect(await attempt(true)).toBe("/projects");
    expect(text(await ada.program.get("/list-accounts"), 1, "providerId")).toBe("google");
  },
);

test("links and unlinks a login", { tag: "@links-unlinks-login" }, async ({ ada, social }) => {
  const user = social.identity({ email: ada.email });
  expect(await through(ada.program, social, user, { path: "/link-social", body: { callbackURL: "/account" } })).toBe("/account");
  expect((await ada.program.get("/list-accounts")).body).toMatchObject([
    { providerId: "credential" },
    { providerId: "google", accountId: user.sub },
  ]);
  expect((await ada.program.post("/unlink-account", { providerId: "google" })).body).toEqual({ status: true });
  expect((await ada.program.get("/list-accounts")).body).toMatchObject([{ providerId: "credential" }]);
});

test("signs in with a valid ID token, at first and later", { tag: "@signs-valid-id-token-first-later" }, async ({ app, social }) => {
  const user = social.identity();
  const enter = async (token: string, nonce?: string) =>
    (await new Program(app).post("/sign-in/social", { provider: "google", idToken: { token, nonce } })).status;
  const token = await social.idToken(user, "a nonce");
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
    test(
      `that expires in ${seconds} s is ${refreshed ? "refreshed" : "unchanged"}`,
      { tag: "@ends-seconds" },
      async ({ nobody, social }) => {
        social.accessTokenSeconds = seconds;
        await through(nobody, social, social.identity());
        social.accessTokenSeconds = 3600;
        const requested = social.requestCount("/token");
        const first = await nobody.post("/get-access-token", { providerId: "google" });
        expect(social.requestCount("/token") - requested).toBe(refreshed ? 1 : 0);
        const lasts = (Date.parse(text(first, "accessTokenExpiresAt")) - Date.now()) / 1000;
        expect(lasts).toBeGreaterThan(refreshed ? 3000 : 10);
        expect((await nobody.post("/get-access-token", { providerId: "google" })).body).toEqual(first.body);
      },
    );
  }

  test("is refreshed for account-info too", { tag: "@refreshed-account-info-too" }, async ({ nobody, social }) => {
    const user = social.identity();
    social.accessTokenSeconds = 1;
    await through(nobody, social, user, { provider: "gitlab" });
    social.accessTokenSeconds = 3600;
    expect((await nobody.post("/account-info", { accountId: user.sub })).body).toMatchObject({
      user: { email: user.email },
      data: { username: "grace" },
    });
  });
});

test.describe("a failed callback redirects to the error page with the code", () => {
  const at = (code: string) => `/sign-in?error=${code}`;

  test("invalid_callback_request", { tag: "@invalid-callback-request" }, async ({ nobody }) => {
    expect((await nobody.get("/callback/google?code=a&code=b&state=c")).location).toBe("/error?error=invalid_callback_request");
  });

  test("state_not_found", { tag: "@state-not-found" }, async ({ nobody }) => {
    expect((await nobody.get("/callback/google?code=a")).location).toBe("/error?error=state_not_found");
  });

  test(
    "an unknown state, and a state of another browser",
    { tag: "@unknown-state-state-another-browser" },
    async ({ app, nobody, social }) => {
      expect((await nobody.get("/callback/google?code=a&state=b")).location).toBe("/error?error=state_not_found");
      const start = await nobody.post("/sign-in/social", GOOGLE);
      const back = await social.consent(text(start, "url"), social.identity());
      const other = new Program(app);
      expect((await other.get(back)).location).toBe(at("state_not_found"));
      expect(await other.signedIn()).toBe(false);
    },
  );

  test("a state that is used a second time", { tag: "@state-used-second-time" }, async ({ nobody, social }) => {
    const start = await nobody.post("/sign-in/social", GOOGLE);
    const back = await social.consent(text(start, "url"), social.identity());
    expect((await nobody.get(back)).location).toBe("/account");
    expect((await nobody.get(back)).location).toBe("/error?error=state_not_found");
  });

  test("no_code", { tag: "@no-code" }, async ({ nobody }) => {
    const { searchParams } = new URL(text(await nobody.post("/sign-in/social", GOOGLE), "url"));
    expect((await nobody.get(`/callback/google?state=${searchParams.get("state")}`)).location).toBe(at("no_code"));
  });

  test("one provider's code at another's callback", { tag: "@providers-code-anothers-callback" }, async ({ nobody, social }) => {
    const start = await nobody.post("/sign-in/social", GOOGLE);
    const back = await social.consent(text(start, "url"), social.identity());
    expect((await nobody.get(back.replace("/callback/google", "/callback/gitlab"))).location).toMatch(/[?&]error=/);
    expect(await nobody.signedIn()).toBe(false);
  });

  test("oauth_provider_not_found", { tag: "@oauth-provider-not-found" }, async ({ nobody }) => {
    const { searchParams } = new URL(text(await nobody.post("/sign-in/social", GOOGLE), "url"));
    expect((await nobody.get(`/callback/nowhere?code=a&state=${searchParams.get("state")}`)).location).toBe(at("oauth_provider_not_found"));
  });

  test("invalid_code", { tag: "@invalid-code" }, async ({ nobody }) => {
    const { searchParams } = new URL(text(await nobody.post("/sign-in/social", GOOGLE), "url"));
    expect((await nobody.get(`/callback/google?code=a&state=${searchParams.get("state")}`)).location).toBe(at("invalid_code"));
  });

  test("unable_to_get_user_info", { tag: "@unable-get-user-info" }, async ({ nobody, social }) => {
    const user = social.identity({ state: "blocked" });
    expect(await through(nobody, social, user, { provider: "gitlab", body: GITLAB })).toBe(at("unable_to_get_user_info"));
  });

  test("no_callback_url", { tag: "@no-callback-url" }, async ({ nobody, social, store }) => {
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

  test("unable_to_link_account", { tag: "@unable-link-account" }, async ({ ada, social }) => {
    const user = social.identity({ email: ada.email, email_verified: false });
    expect(await through(ada.program, social, user, { path: "/link-social", body: GOOGLE })).toBe(at("unable_to_link_account"));
  });

  test(
    "unable_to_link_account for an account with another address",
    { tag: "@unable-link-account-account-another-address" },
    async ({ ada, social }) => {
      expect(await through(ada.program, social, social.identity(), { path: "/link-social", body: GOOGLE })).toBe(
        at("unable_to_link_account"),
      );
    },
  );

  test(
    "account_already_linked_to_different_user",
    { tag: "@account-already-linked-different-user" },
    async ({ ada, bob, social, store }) => {
      const user = social.identity({ email: ada.email });
      await through(ada.program, social, user, { path: "/link-social", body: GOOGLE });
      await store.change("users", { id: ada.id }, { email: `was-${ada.email}` });
      await store.change("users", { id: bob.id }, { email: ada.email });
      const other = await signInAgain({ ...bob, email: ada.email });
      expect(await through(other, social, user, { path: "/link-social", body: GOOGLE })).toBe(
        at("account_already_linked_to_different_user"),
      );
    },
  );

  test("email_not_found", { tag: "@email-not-found" }, async ({ nobody, social }) => {
    expect(await through(nobody, social, social.identity({ email: undefined }), { body: GOOGLE })).toBe(at("email_not_found"));
  });

  test("the provider's own", { tag: "@providers-own" }, async ({ nobody, social }) => {
    const location = await through(nobody, social, social.identity(), { body: GOOGLE, deny: true });
    expect(location).toBe(`${at("access_denied")}&error_description=The+person+said+no`);
  });

  test(
    "a callback error is shown on the app's error page without an error URL",
    { tag: "@our-own-page-without-error-url" },
    async ({ nobody, social }) => {
      expect(await through(nobody, social, social.identity(), { deny: true })).toBe(
        "/error?error=access_denied&error_description=The+person+said+no",
      );
    },
  );
});

test(
  "keeps the session when a provider returns an error",
  { tag: "@keeps-session-when-provider-returns-error" },
  async ({ ada, social }) => {
    await through(ada.program, social, social.identity(), { body: GOOGLE, deny: true });
    expect(await ada.program.signedIn()).toBe(true);
  },
);
