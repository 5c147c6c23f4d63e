import { randomUUID } from "node:crypto";
import { type Answer, type Member, Program, text, through } from "../support/program.ts";
import { expect, test } from "../support/test.ts";
import { verification } from "../support/verification.ts";
import type { RunningApp } from "../../harness/app.ts";
import type { SocialServer } from "../../harness/services/oidc.ts";
import type { Store } from "../../harness/store.ts";

type Fixtures = { app: RunningApp; social: SocialServer; store: Store; nobody: Program; ada: Member; google: () => Promise<Program> };

type Row = {
  tag?: string;
  call: string;
  send: (fixtures: Fixtures) => Promise<Answer>;
  status: number;
  body?: unknown;
  location?: RegExp;
};

const ID = expect.stringMatching(/^[\w-]{10,}$/);
const DATE = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
const TOKEN = expect.stringMatching(/^[\w-]{20,}$/);
const JWT = expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/);
const SESSION = {
  id: ID,
  token: TOKEN,
  userId: ID,
  createdAt: DATE,
  updatedAt: DATE,
  expiresAt: DATE,
  ipAddress: "127.0.0.1",
  userAgent: "node",
};
const USER = {
  id: ID,
  name: "Ada Lovelace",
  email: expect.stringContaining("@example.com"),
  emailVerified: false,
  image: null,
  twoFactorEnabled: false,
  createdAt: DATE,
  updatedAt: DATE,
};
const SOCIAL_USER = { ...USER, name: "Grace Hopper", emailVerified: true };
const ACCOUNT = { id: ID, accountId: ID, createdAt: DATE, updatedAt: DATE };
const AUTHORIZATION = expect.stringMatching(/^https:\/\/accounts\.google\.com\/o\/oauth2\/v2\/auth\?/);

async function callback({ social }: Fixtures, program: Program, body: object, { post = false } = {}): Promise<Answer> {
  const start = await program.post("/sign-in/social", { provider: "google", ...body });
  const back = new URL(await social.consent(text(start, "url"), social.identity()));
  if (!post) return program.get(back.href);
  const form = {
    "Content-Type": "application/x-www-form-urlencoded",
    Origin: "https://accounts.google.com",
    Cookie: "",
    "Sec-Fetch-Site": "cross-site",
  };
  return program.send("POST", "/callback/google", back.searchParams.toString(), form);
}

const rows: Row[] = [
  {
    tag: "@post-sign-social-provider-alone",
    call: "POST /sign-in/social: a provider alone",
    send: ({ nobody }) => nobody.post("/sign-in/social", { provider: "google" }),
    status: 200,
    body: { url: AUTHORIZATION, redirect: true },
  },
  {
    tag: "@post-sign-social-everything-redirect",
    call: "POST /sign-in/social: everything for a redirect",
    send: ({ nobody }) =>
      nobody.post("/sign-in/social", {
        provider: "google",
        callbackURL: "/projects",
        newUserCallbackURL: "/account",
        errorCallbackURL: "/error",
        disableRedirect: true,
        scopes: ["https://www.googleapis.com/auth/drive"],
        requestSignUp: true,
        loginHint: "grace@example.com",
      }),
    status: 200,
    body: { url: expect.stringMatching(/scope=email\+profile\+openid\+https.*drive.*login_hint=grace/), redirect: false },
  },
  {
    tag: "@post-sign-social-id-token",
    call: "POST /sign-in/social: an ID token",
    send: async ({ nobody, social }) => {
      const token = await social.idToken(social.identity());
      return nobody.post("/sign-in/social", { provider: "google", idToken: { token, accessToken: "a", refreshToken: "r", expiresAt: 1 } });
    },
    status: 200,
    body: { redirect: false, token: TOKEN, user: SOCIAL_USER },
  },
  {
    tag: "@post-sign-email",
    call: "POST /sign-in/email",
    send: ({ nobody, ada: { email, password } }) => nobody.post("/sign-in/email", { email, password }),
    status: 200,
    body: { redirect: false, token: TOKEN, user: USER },
  },
  {
    tag: "@post-sign-email-callback-url-remember",
    call: "POST /sign-in/email: with callbackURL and rememberMe",
    send: ({ nobody, ada: { email, password } }) =>
      nobody.post("/sign-in/email", { email, password, callbackURL: "/projects", rememberMe: false }),
    status: 200,
    body: { redirect: true, token: TOKEN, url: "/projects", user: USER },
  },
  {
    tag: "@get-callback-id",
    call: "GET /callback/{id}",
    send: (fixtures) => callback(fixtures, fixtures.nobody, { callbackURL: "/projects" }),
    status: 302,
    location: /^\/projects$/,
  },
  {
    tag: "@post-callback-id",
    // A provider's POST is redirected to a GET, as browsers withhold cookies from cross-site POSTs.
    call: "POST /callback/{id}",
    send: (fixtures) => callback(fixtures, fixtures.nobody, { callbackURL: "/projects" }, { post: true }),
    status: 302,
    location: /\/api\/auth\/callback\/google\?(?=.*code=)(?=.*state=)/,
  },
  {
    tag: "@post-sign-out-without-body",
    call: "POST /sign-out: without a body",
    send: ({ ada }) => ada.program.send("POST", "/sign-out", undefined),
    status: 200,
    body: { success: true },
  },
  {
    tag: "@post-delete-user-without-body",
    call: "POST /delete-user: without a body",
    send: ({ ada }) => ada.program.send("POST", "/delete-user", undefined),
    status: 200,
    body: { success: true, message: "User deleted" },
  },
  { tag: "@post-sign-out", call: "POST /sign-out", send: ({ ada }) => ada.program.post("/sign-out"), status: 200, body: { success: true } },
  {
    tag: "@get-reset-password-token-callback-url",
    call: "GET /reset-password/{token}?callbackURL=…",
    send: async (fixtures) => {
      await verification(fixtures.store, "reset-password:abcdefghijklmnopqrstuvwx", fixtures.ada.id);
      return fixtures.nobody.get("/reset-password/abcdefghijklmnopqrstuvwx?callbackURL=%2Freset-password");
    },
    status: 302,
    location: /\/reset-password\?token=abcdefghijklmnopqrstuvwx$/,
  },
  {
    tag: "@calls-get-reset-password-token-callback-url",
    call: "GET /reset-password/{token}?callbackURL=…: of no request",
    send: ({ nobody }) => nobody.get("/reset-password/aaaaaaaaaaaaaaaaaaaaaaaa?callbackURL=%2Freset-password"),
    status: 302,
    location: /\/reset-password\?error=INVALID_TOKEN$/,
  },
  {
    tag: "@post-reset-password-token-body",
    call: "POST /reset-password: the token in the body",
    send: async (fixtures) => {
      await verification(fixtures.store, `reset-password:${fixtures.ada.id}`, fixtures.ada.id);
      return fixtures.nobody.post("/reset-password", { newPassword: "a new password", token: fixtures.ada.id });
    },
    status: 200,
    body: { status: true },
  },
  {
    tag: "@post-reset-password-token-query",
    call: "POST /reset-password: the token in the query",
    send: async (fixtures) => {
      await verification(fixtures.store, `reset-password:${fixtures.ada.id}`, fixtures.ada.id);
      return fixtures.nobody.post(`/reset-password?token=${fixtures.ada.id}`, { newPassword: "a new password" });
    },
    status: 200,
    body: { status: true },
  },
  {
    tag: "@post-change-password",
    call: "POST /change-password",
    send: ({ ada }) => ada.program.post("/change-password", { currentPassword: ada.password, newPassword: "a new password" }),
    status: 200,
    body: { token: null, user: USER },
  },
  {
    tag: "@post-change-password-end-other-sessions",
    call: "POST /change-password: and the end of other sessions",
    send: ({ ada }) =>
      ada.program.post("/change-password", { currentPassword: ada.password, newPassword: "a new password", revokeOtherSessions: true }),
    status: 200,
    body: { token: TOKEN, user: USER },
  },
  {
    tag: "@post-set-password-server-only",
    call: "POST /set-password is for the server only",
    send: ({ ada }) => ada.program.post("/set-password", { newPassword: "a new password" }),
    status: 404,
    body: null,
  },
  {
    tag: "@post-delete-user-password",
    call: "POST /delete-user: a password",
    send: ({ ada }) => ada.program.post("/delete-user", { password: ada.password }),
    status: 200,
    body: { success: true, message: "User deleted" },
  },
  {
    tag: "@post-delete-user-fresh-session",
    call: "POST /delete-user: a fresh session",
    send: ({ ada }) => ada.program.post("/delete-user"),
    status: 200,
    body: { success: true, message: "User deleted" },
  },
  {
    tag: "@post-delete-user-token",
    call: "POST /delete-user: a token",
    send: async (fixtures) => {
      await verification(fixtures.store, `delete-account-${"0a".repeat(16)}`, fixtures.ada.id);
      return fixtures.ada.program.post("/delete-user", { token: "0a".repeat(16), callbackURL: "/" });
    },
    status: 200,
    body: { success: true, message: "User deleted" },
  },
  {
    tag: "@get-delete-user-callback",
    call: "GET /delete-user/callback",
    send: async (fixtures) => {
      await verification(fixtures.store, `delete-account-${"1b".repeat(16)}`, fixtures.ada.id);
      return fixtures.ada.program.get(`/delete-user/callback?token=${"1b".repeat(16)}`);
    },
    status: 200,
    body: { success: true, message: "User deleted" },
  },
  {
    tag: "@get-delete-user-callback-callback-url",
    call: "GET /delete-user/callback: with callbackURL",
    send: async (fixtures) => {
      await verification(fixtures.store, `delete-account-${"2c".repeat(16)}`, fixtures.ada.id);
      return fixtures.ada.program.get(`/delete-user/callback?token=${"2c".repeat(16)}&callbackURL=%2Fsign-up`);
    },
    status: 302,
    location: /^\/sign-up$/,
  },
  {
    tag: "@post-change-email",
    call: "POST /change-email",
    send: ({ ada }) => ada.program.post("/change-email", { newEmail: `${randomUUID()}@example.com`, callbackURL: "/account" }),
    status: 200,
    body: { status: true },
  },
  {
    tag: "@get-error",
    call: "GET /error",
    send: ({ nobody }) => nobody.get("/error?error=no_code"),
    status: 302,
    location: /^\/error\?error=no_code$/,
  },
  { tag: "@get-ok", call: "GET /ok", send: ({ nobody }) => nobody.get("/ok"), status: 200, body: { ok: true } },
  {
    tag: "@get-list-accounts-password",
    call: "GET /list-accounts: a password",
    send: ({ ada }) => ada.program.get("/list-accounts"),
    status: 200,
    body: [{ ...ACCOUNT, providerId: "credential", scopes: [] }],
  },
  {
    tag: "@get-list-accounts-provider",
    call: "GET /list-accounts: a provider",
    send: async ({ google }) => (await google()).get("/list-accounts"),
    status: 200,
    body: [{ ...ACCOUNT, providerId: "google", scopes: ["email", "profile", "openid"] }],
  },
  {
    tag: "@post-link-social",
    call: "POST /link-social",
    send: ({ ada }) =>
      ada.program.post("/link-social", {
        provider: "google",
        callbackURL: "/account",
        errorCallbackURL: "/error",
        scopes: ["a"],
        disableRedirect: true,
      }),
    status: 200,
    body: { url: AUTHORIZATION, redirect: false },
  },
  {
    tag: "@post-link-social-id-token",
    call: "POST /link-social: an ID token",
    send: async ({ ada, social }) => {
      const token = await social.idToken(social.identity({ email: ada.email }));
      return ada.program.post("/link-social", { provider: "google", idToken: { token } });
    },
    status: 200,
    body: { url: "", redirect: false, status: true },
  },
  {
    tag: "@post-unlink-account-provider",
    call: "POST /unlink-account: a provider",
    send: async ({ ada, social }) => {
      await through(ada.program, social, social.identity({ email: ada.email }), { path: "/link-social" });
      return ada.program.post("/unlink-account", { providerId: "google" });
    },
    status: 200,
    body: { status: true },
  },
  {
    tag: "@post-unlink-account-account-provider",
    call: "POST /unlink-account: one account of a provider",
    send: async ({ ada, social }) => {
      const user = social.identity({ email: ada.email });
      await through(ada.program, social, user, { path: "/link-social" });
      return ada.program.post("/unlink-account", { providerId: "google", accountId: user.sub });
    },
    status: 200,
    body: { status: true },
  },
  {
    tag: "@post-get-access-token",
    call: "POST /get-access-token",
    send: async ({ google }) => (await google()).post("/get-access-token", { providerId: "google" }),
    status: 200,
    body: { accessToken: TOKEN, accessTokenExpiresAt: DATE, scopes: ["email", "profile", "openid"], idToken: JWT },
  },
  {
    tag: "@post-refresh-token",
    call: "POST /refresh-token",
    send: async ({ google }) => (await google()).post("/refresh-token", { providerId: "google" }),
    status: 200,
    body: {
      accessToken: TOKEN,
      refreshToken: TOKEN,
      accessTokenExpiresAt: DATE,
      scope: "email,profile,openid",
      scopes: ["email", "profile", "openid"],
      idToken: JWT,
      providerId: "google",
      accountId: ID,
    },
  },
  {
    tag: "@post-account-info",
    call: "POST /account-info",
    send: async ({ google }) => {
      const program = await google();
      return program.post("/account-info", { accountId: text(await program.get("/list-accounts"), 0, "accountId") });
    },
    status: 200,
    body: {
      user: { name: "Grace Hopper", email: USER.email, emailVerified: true },
      data: expect.objectContaining({ sub: ID, iss: "https://accounts.google.com", name: "Grace Hopper" }),
    },
  },
  {
    tag: "@get-get-session",
    call: "GET /get-session",
    send: ({ ada }) => ada.program.get("/get-session"),
    status: 200,
    body: { session: SESSION, user: USER },
  },
  {
    tag: "@get-get-session-signed-out",
    call: "GET /get-session: signed out",
    send: ({ nobody }) => nobody.get("/get-session"),
    status: 200,
    body: null,
  },
  {
    tag: "@post-two-factor-enable",
    call: "POST /two-factor/enable",
    send: ({ ada }) => ada.program.post("/two-factor/enable", { password: ada.password }),
    status: 200,
    body: {
      method: "totp",
      // Base32 of at least 160 bits (RFC 4226, 4, R6).
      totpURI: expect.stringMatching(/^otpauth:\/\/totp\/Atelier.*[?&]secret=[A-Z2-7]{32,}(?:&|$)/),
      backupCodes: Array.from({ length: 10 }, () => expect.stringMatching(/^\w{5}-\w{5}$/)),
    },
  },
  {
    tag: "@post-two-factor-generate-backup-codes",
    call: "POST /two-factor/generate-backup-codes",
    send: async (fixtures) => {
      await secondFactor(fixtures);
      return fixtures.ada.program.post("/two-factor/generate-backup-codes", { password: fixtures.ada.password });
    },
    status: 200,
    body: { status: true, backupCodes: Array.from({ length: 10 }, () => expect.stringMatching(/^\w{5}-\w{5}$/)) },
  },
  {
    tag: "@post-two-factor-disable",
    call: "POST /two-factor/disable",
    send: async (fixtures) => {
      await secondFactor(fixtures);
      return fixtures.ada.program.post("/two-factor/disable", { password: fixtures.ada.password });
    },
    status: 200,
    body: { status: true },
  },
  {
    tag: "@post-revoke-session",
    call: "POST /revoke-session",
    send: async ({ ada }) =>
      ada.program.post("/revoke-session", { token: text(await ada.program.get("/get-session"), "session", "token") }),
    status: 200,
    body: { status: true },
  },
  {
    tag: "@post-revoke-sessions",
    call: "POST /revoke-sessions",
    send: ({ ada }) => ada.program.post("/revoke-sessions"),
    status: 200,
    body: { status: true },
  },
  {
    tag: "@post-revoke-other-sessions",
    call: "POST /revoke-other-sessions",
    send: ({ ada }) => ada.program.post("/revoke-other-sessions"),
    status: 200,
    body: { status: true },
  },
];

async function secondFactor({ ada, store }: Fixtures): Promise<void> {
  await ada.program.post("/two-factor/enable", { password: ada.password });
  await store.change("twoFactors", { userId: ada.id }, { verified: true });
  await store.change("users", { id: ada.id }, { twoFactorEnabled: true });
}

test.describe("the calls of section 7", () => {
  for (const { tag = [], call, send, status, body, location } of rows) {
    test(call, { tag }, async ({ app, social, store, nobody, ada }) => {
      const google = async () => {
        const program = new Program(app);
        await through(program, social, social.identity());
        return program;
      };
      const answer = await send({ app, social, store, nobody, ada, google });
      expect(answer.status, JSON.stringify(answer.body)).toBe(status);
      if (location) expect(answer.location).toMatch(location);
      else expect(answer.body).toEqual(body);
    });
  }
});
