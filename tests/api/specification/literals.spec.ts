import { randomUUID } from "node:crypto";
import { type Answer, signInAgain, type Member, member, Program, text, through } from "../support/program.ts";
import { withSettings } from "../support/switches.ts";
import { expect, test } from "../support/test.ts";
import { verification } from "../support/verification.ts";
import type { RunningApp } from "../../harness/app.ts";
import type { SocialServer } from "../../harness/services/oidc.ts";
import type { Store } from "../../harness/store.ts";

type Fixtures = { app: RunningApp; social: SocialServer; store: Store; nobody: Program; ada: Member; bob: Member };

type Row = {
  tag?: string;
  words: string;
  status: number;
  message?: string;
  send: (fixtures: Fixtures) => Promise<Answer>;
};

const link = async ({ ada, social }: Fixtures, claims: object, more: object = {}) =>
  ada.program.post("/link-social", {
    provider: "google",
    idToken: { token: await social.idToken(social.identity({ email: ada.email, ...claims })), ...more },
  });

const idToken = async ({ nobody, social }: Fixtures, claims: object) =>
  nobody.post("/sign-in/social", { provider: "google", idToken: { token: await social.idToken(social.identity({ ...claims })) } });

async function pageOf(program: Program, path: string): Promise<string> {
  const answer = await fetch(program.app.url + path, { headers: { Cookie: program.cookieHeader } });
  return answer.text();
}

async function signInByProvider({ app, social }: Fixtures, provider: "google" | "gitlab", seconds = 3600) {
  const [program, who] = [new Program(app), social.identity()];
  social.accessTokenSeconds = seconds;
  await through(program, social, who, { provider });
  social.accessTokenSeconds = 3600;
  return { program, who };
}

const rows: Row[] = [
  {
    tag: "@reset-password-isnt-enabled",
    words: "Reset password isn't enabled",
    status: 400,
    send: ({ nobody, ada }) => nobody.post("/request-password-reset", { email: ada.email }),
  },
  {
    tag: "@words-reset-password-isnt-enabled",
    words: "Reset password isn't enabled",
    status: 400,
    send: ({ nobody, ada }) => nobody.post("/forget-password", { email: ada.email }),
  },
  {
    tag: "@verification-email-isnt-enabled",
    words: "Verification email isn't enabled",
    status: 400,
    send: ({ nobody, ada }) => nobody.post("/send-verification-email", { email: ada.email }),
  },
  {
    tag: "@words-verification-email-isnt-enabled",
    words: "Verification email isn't enabled",
    status: 400,
    send: async ({ ada, store }) => {
      await store.change("users", { id: ada.id }, { emailVerified: true });
      return ada.program.post("/change-email", { newEmail: `${randomUUID()}@example.com` });
    },
  },
  {
    tag: "@email-same",
    words: "Email is the same",
    status: 400,
    send: ({ ada }) => ada.program.post("/change-email", { newEmail: ada.email.toUpperCase() }),
  },
  {
    tag: "@couldnt-update-your-email",
    words: "Couldn't update your email",
    status: 422,
    send: ({ ada, bob }) => ada.program.post("/change-email", { newEmail: bob.email.toUpperCase() }),
  },
  {
    tag: "@account-not-linked-linking-not-allowed",
    words: "Account not linked - linking not allowed",
    status: 401,
    send: (fixtures) => link(fixtures, { email_verified: false }),
  },
  {
    tag: "@account-not-linked-different-emails-not",
    words: "Account not linked - different emails not allowed",
    status: 401,
    send: (fixtures) => link(fixtures, { email: `${randomUUID()}@example.com` }),
  },
  {
    tag: "@account-not-linked-unable-create-account",
    words: "Account not linked - unable to create account",
    status: 417,
    send: (fixtures) => link(fixtures, {}, { accessToken: "x".repeat(600_000) }),
  },
  {
    tag: "@provider-github-not-supported",
    words: "Provider github is not supported.",
    status: 400,
    send: ({ ada }) => ada.program.post("/get-access-token", { providerId: "github" }),
  },
  {
    tag: "@provider-nowhere-not-supported",
    words: "Provider nowhere is not supported.",
    status: 400,
    send: ({ ada }) => ada.program.post("/refresh-token", { providerId: "nowhere" }),
  },
  {
    tag: "@account-not-found",
    words: "Account not found",
    status: 400,
    send: ({ ada }) => ada.program.post("/get-access-token", { providerId: "google" }),
  },
  {
    tag: "@words-account-not-found",
    words: "Account not found",
    status: 400,
    send: ({ ada }) => ada.program.post("/refresh-token", { providerId: "google" }),
  },
  {
    tag: "@account-not-found-2",
    words: "Account not found",
    status: 400,
    send: ({ ada }) => ada.program.post("/account-info", { accountId: "nobody" }),
  },
  {
    tag: "@account-not-found-3",
    words: "Account not found",
    status: 400,
    send: async (fixtures) => {
      await link(fixtures, {});
      return fixtures.ada.program.post("/unlink-account", { providerId: "google", accountId: "nobody" });
    },
  },
  {
    tag: "@failed-get-valid-access-token",
    words: "Failed to get a valid access token",
    status: 400,
    send: async (fixtures) => {
      const { program, who } = await signInByProvider(fixtures, "google", 1);
      fixtures.social.forget(who);
      return program.post("/get-access-token", { providerId: "google" });
    },
  },
  {
    tag: "@failed-refresh-access-token",
    words: "Failed to refresh access token",
    status: 400,
    send: async (fixtures) => {
      const { program, who } = await signInByProvider(fixtures, "google");
      fixtures.social.forget(who);
      return program.post("/refresh-token", { providerId: "google" });
    },
  },
  {
    tag: "@access-token-not-found",
    words: "Access token not found",
    status: 400,
    send: async (fixtures) => {
      await link(fixtures, {});
      const [, account] = [0, text(await fixtures.ada.program.get("/list-accounts"), 1, "accountId")];
      return fixtures.ada.program.post("/account-info", { accountId: account });
    },
  },
  {
    tag: "@invalid-input",
    words: "Invalid input",
    status: 400,
    send: ({ ada }) => ada.program.post("/update-user", { name: "x".repeat(201) }),
  },
  {
    tag: "@invalid-email",
    words: "Invalid email",
    status: 400,
    send: ({ nobody }) => nobody.post("/sign-in/email", { email: "nobody", password: "a password" }),
  },
  {
    tag: "@words-invalid-email",
    words: "Invalid email",
    status: 400,
    send: ({ nobody }) => nobody.post("/sign-up/email", { name: "A", email: "nobody", password: "a password" }),
  },
  {
    tag: "@invalid-body-parameters",
    words: "Invalid body parameters",
    status: 400,
    send: ({ nobody }) => nobody.post("/sign-in/email", { email: 1 }),
  },
  {
    tag: "@words-invalid-body-parameters",
    words: "Invalid body parameters",
    status: 400,
    send: ({ ada }) => ada.program.post("/change-password", { newPassword: "a new password" }),
  },
  {
    tag: "@invalid-query-parameters",
    words: "Invalid query parameters",
    status: 400,
    send: ({ ada }) => ada.program.get("/delete-user/callback"),
  },

  {
    tag: "@provider-not-found",
    words: "provider not found",
    status: 404,
    message: "Provider not found",
    send: ({ nobody }) => nobody.post("/sign-in/social", { provider: "nowhere" }),
  },
  {
    tag: "@words-provider-not-found",
    words: "provider not found",
    status: 404,
    message: "Provider not found",
    send: ({ ada }) => ada.program.post("/link-social", { provider: "github" }),
  },
  {
    tag: "@id-token-not-supported",
    words: "ID token not supported",
    status: 404,
    message: "id_token not supported",
    send: ({ nobody }) => nobody.post("/sign-in/social", { provider: "gitlab", idToken: { token: "a.b.c" } }),
  },
  {
    tag: "@invalid-token",
    words: "invalid token",
    status: 401,
    message: "Invalid token",
    send: ({ nobody }) => nobody.post("/sign-in/social", { provider: "google", idToken: { token: "a.b.c" } }),
  },
  {
    tag: "@words-invalid-token",
    words: "invalid token",
    status: 401,
    message: "Invalid token",
    send: ({ nobody }) => nobody.post("/reset-password", { newPassword: "a new password" }),
  },
  {
    tag: "@invalid-delete-token",
    words: "invalid delete token",
    status: 404,
    message: "Invalid token",
    send: ({ ada }) => ada.program.post("/delete-user", { token: "nothing" }),
  },
  {
    tag: "@words-invalid-delete-token",
    words: "invalid delete token",
    status: 404,
    message: "Invalid token",
    send: ({ ada }) => ada.program.get("/delete-user/callback?token=nothing"),
  },
  {
    tag: "@failed-get-user-info",
    words: "failed to get user info",
    status: 401,
    message: "Failed to get user info",
    send: async (fixtures) => {
      const { program, who } = await signInByProvider(fixtures, "gitlab");
      who.claims["state"] = "blocked";
      return program.post("/account-info", { accountId: who.sub });
    },
  },
  {
    tag: "@user-email-not-found",
    words: "user email not found",
    status: 401,
    message: "User email not found",
    send: (fixtures) => idToken(fixtures, { email: undefined }),
  },
  {
    tag: "@invalid-email-password",
    words: "invalid email or password",
    status: 401,
    message: "Invalid email or password",
    send: ({ nobody, ada }) => nobody.post("/sign-in/email", { email: ada.email, password: "not this one" }),
  },
  {
    words: "invalid email or password: of nobody",
    status: 401,
    message: "Invalid email or password",
    send: ({ nobody }) => nobody.post("/sign-in/email", { email: `${randomUUID()}@example.com`, password: "not this one" }),
  },
  { tag: "@no-session", words: "no session", status: 401, message: "Unauthorized", send: ({ nobody }) => nobody.get("/list-accounts") },
  {
    tag: "@password-too-short",
    words: "password too short",
    status: 400,
    message: "Password too short",
    send: ({ nobody }) => nobody.post("/sign-up/email", { name: "A", email: `${randomUUID()}@example.com`, password: "1234567" }),
  },
  {
    tag: "@password-too-long",
    words: "password too long",
    status: 400,
    message: "Password too long",
    send: ({ ada }) => ada.program.post("/change-password", { currentPassword: ada.password, newPassword: "x".repeat(129) }),
  },
  {
    tag: "@credential-account-not-found",
    words: "credential account not found",
    status: 400,
    message: "Credential account not found",
    send: async (fixtures) =>
      (await signInByProvider(fixtures, "google")).program.post("/change-password", {
        currentPassword: "a password",
        newPassword: "a new password",
      }),
  },
  {
    tag: "@invalid-password",
    words: "invalid password",
    status: 400,
    message: "Invalid password",
    send: ({ ada }) => ada.program.post("/change-password", { currentPassword: "not this one", newPassword: "a new password" }),
  },
  {
    tag: "@words-invalid-password",
    words: "invalid password",
    status: 400,
    message: "Invalid password",
    send: ({ ada }) => ada.program.post("/delete-user", { password: "not this one" }),
  },
  {
    tag: "@session-expired",
    words: "session expired",
    status: 400,
    message: "Session expired. Re-authenticate to perform this action.",
    send: async ({ ada, store }) => {
      await store.change("sessions", { userId: ada.id }, { createdAt: Date.now() - 25 * 3_600_000 });
      return ada.program.post("/delete-user");
    },
  },
  {
    tag: "@user-already-exists",
    words: "user already exists",
    status: 422,
    message: "User already exists. Use another email.",
    send: ({ nobody, ada }) => nobody.post("/sign-up/email", { name: "A", email: ada.email.toUpperCase(), password: "a password" }),
  },
  {
    tag: "@failed-unlink-last-account",
    words: "failed to unlink last account",
    status: 400,
    message: "You can't unlink your last account",
    send: ({ ada }) => ada.program.post("/unlink-account", { providerId: "credential" }),
  },
  {
    tag: "@unconfigured-provider",
    words: "unconfigured provider",
    status: 500,
    message: "Provider github is not configured.",
    send: async ({ ada, store }) => {
      const now = Date.now();
      await store.create("accounts", {
        id: randomUUID(),
        userId: ada.id,
        providerId: "github",
        accountId: ada.id,
        createdAt: now,
        updatedAt: now,
      });
      const accounts = await ada.program.get("/list-accounts");
      return ada.program.post("/account-info", { accountId: text(accounts, 1, "id") });
    },
  },
];

test.describe("the messages of section 8", () => {
  for (const [index, { tag, words, status, message = words, send }] of rows.entries()) {
    test(
      `${index + 1}. ${words}`,
      { tag: ["@words-section-8", ...(tag ? [tag] : [])] },
      async ({ app, social, store, nobody, ada, bob }) => {
        const answer = await send({ app, social, store, nobody, ada, bob });
        expect({ status: answer.status, message: text(answer, "message") }).toEqual({ status, message });
        expect(text(answer, "code")).toMatch(/^[A-Z][A-Z_]+$/);
      },
    );
  }

  test("Page not found", { tag: "@page-not-found" }, async ({ app }) => {
    const answer = await fetch(`${app.url}/no/such/page`);
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain("Page not found");
  });

  test("an error's page shows its code, or 'Unknown'", { tag: "@errors-page-shows-code-unknown" }, async ({ app }) => {
    const shown = async (path: string) => (await fetch(app.url + path)).text();
    expect(await shown("/api/auth/error?error=no_code")).toMatch(/Authentication Error[\s\S]*no_code/);
    expect(await shown("/api/auth/error")).toMatch(/Authentication Error[\s\S]*Unknown/);
  });
});

withSettings({ ACCOUNTS_EMAIL_AND_PASSWORD: "false" }, (fixtures) => {
  test("Email and password is not enabled", { tag: "@email-password-not-enabled" }, async () => {
    const answer = await new Program(fixtures().app).post("/sign-in/email", { email: "ada@example.com", password: "a password" });
    expect({ status: answer.status, message: text(answer, "message") }).toEqual({
      status: 400,
      message: "Email and password is not enabled",
    });
  });

  test("sign-up is disabled, too", async () => {
    const answer = await new Program(fixtures().app).post("/sign-up/email", {
      name: "A",
      email: "ada@example.com",
      password: "a password",
    });
    expect({ status: answer.status, message: text(answer, "message") }).toEqual({
      status: 400,
      message: "Email and password sign up is not enabled",
    });
  });
});

withSettings({ ACCOUNTS_EMAIL_AND_PASSWORD: "false", SMTP_URL: "smtp://127.0.0.1:1" }, (fixtures) => {
  test("no page asks for a password", async ({ social }) => {
    const { app } = fixtures();
    const nobody = new Program(app);
    for (const path of ["/sign-in", "/sign-up", "/forgot-password", "/reset-password?token=x"])
      expect(await pageOf(nobody, path), path).not.toMatch(/type="password"|name="password"/);
    expect(await pageOf(nobody, "/sign-in")).toContain("Email me a sign-in link");
    expect(await pageOf(nobody, "/sign-up")).toContain('value="google"');

    const program = new Program(app);
    await through(program, social, social.identity());
    for (const path of ["/account/security", "/account/data", "/account/connections"])
      expect(await pageOf(program, path), path).not.toMatch(/type="password"|set (?:a password|one above)/i);
  });

  test("a sign-in link works without passwords", async () => {
    const form = { "Content-Type": "application/x-www-form-urlencoded" };
    const { app } = fixtures();
    const answer = await new Program(app).send("POST", `${app.url}/sign-in`, "with=link&email=ada%40example.com", form);
    expect(answer.status).toBe(200);
  });
});

withSettings({ ACCOUNTS_CHANGE_EMAIL: "false" }, (fixtures) => {
  test("Change email is disabled", { tag: "@change-email-disabled" }, async () => {
    const { program } = await member(fixtures().app);
    const answer = await program.post("/change-email", { newEmail: "ada@example.com" });
    expect({ status: answer.status, message: text(answer, "message") }).toEqual({ status: 400, message: "Change email is disabled" });
  });

  test("Change email is disabled, for any new address", async () => {
    const { program } = await member(fixtures().app);
    const bob = await member(fixtures().app);
    expect(text(await program.post("/change-email", { newEmail: bob.email }), "message")).toBe("Change email is disabled");
  });
});

withSettings({ ACCOUNTS_DELETE_USER: "false" }, (fixtures) => {
  test("delete disabled", { tag: "@delete-disabled" }, async () => {
    const { program, password } = await member(fixtures().app);
    expect((await program.post("/delete-user", { password })).status).toBe(404);
    expect((await program.get("/delete-user/callback?token=nothing")).status).toBe(404);
    expect(await program.signedIn()).toBe(true);
  });
});

withSettings({ ACCOUNTS_LINKING: "false" }, (fixtures) => {
  test("Account not linked - linking not allowed", { tag: "@words-account-not-linked-linking-not-allowed" }, async ({ social }) => {
    const ada = await member(fixtures().app);
    const token = await social.idToken(social.identity({ email: ada.email }));
    const answer = await ada.program.post("/link-social", { provider: "google", idToken: { token } });
    expect({ status: answer.status, message: text(answer, "message") }).toEqual({
      status: 401,
      message: "Account not linked - linking not allowed",
    });
    const trip = await ada.program.post("/link-social", { provider: "google", callbackURL: "/account" });
    expect([trip.status, trip.body]).toEqual([401, { code: "LINKING_NOT_ALLOWED", message: "Account not linked - linking not allowed" }]);
    expect(trip.headers.getSetCookie()).toEqual([]);
  });

  test("the account's page shows that linking is not allowed", async ({ social }) => {
    const ada = await member(fixtures().app);
    const page = await pageOf(ada.program, "/account/connections");
    expect(page).toContain("does not allow linking");
    expect(page).not.toContain('value="google"');
    const program = new Program(fixtures().app);
    const user = social.identity();
    await through(program, social, user);
    expect((await program.post("/link-social", { provider: "google" })).status).toBe(200);
  });

  test("a sign-in by a provider links no account by its address", async ({ social }) => {
    const { app, store } = fixtures();
    const ada = await member(app);
    await store.change("users", { id: ada.id }, { emailVerified: true });
    const location = await through(new Program(app), social, social.identity({ email: ada.email }));
    expect(location).toMatch(/error=account_not_linked/);
    const page = await pageOf(new Program(app), location ?? "");
    expect(page).toContain("does not allow linking accounts");
    expect(page).not.toContain("under Account, Connections");
  });
});

withSettings({ ACCOUNTS_LINK_DIFFERENT_EMAILS: "true" }, (fixtures) => {
  test("a login with another address is linked", { tag: "@login-another-address-linked" }, async ({ social }) => {
    const ada = await member(fixtures().app);
    expect(await through(ada.program, social, social.identity(), { path: "/link-social", body: { callbackURL: "/account" } })).toBe(
      "/account",
    );
    expect((await ada.program.get("/list-accounts")).body).toHaveLength(2);
  });

  test("account_already_linked_to_different_user", async ({ social }) => {
    const { app } = fixtures();
    const user = social.identity();
    const [ada, bob] = [await member(app), await member(app)];
    await through(ada.program, social, user, { path: "/link-social" });
    expect(await through(bob.program, social, user, { path: "/link-social" })).toMatch(/error=account_already_linked_to_different_user/);
    const token = await social.idToken(user);
    expect((await bob.program.post("/link-social", { provider: "google", idToken: { token } })).status).toBe(409);
  });
});

withSettings({ ACCOUNTS_UNLINK_LAST: "true" }, (fixtures) => {
  test("the last account can be unlinked", { tag: "@last-account-can-unlinked" }, async ({ social }) => {
    const program = new Program(fixtures().app);
    await through(program, social, social.identity());
    expect((await program.post("/unlink-account", { providerId: "google" })).body).toEqual({ status: true });
    expect((await program.get("/list-accounts")).body).toEqual([]);
  });
});

withSettings({ ACCOUNTS_REVOKE_SESSIONS_ON_PASSWORD_RESET: "false" }, (fixtures) => {
  test("a reset keeps the sessions", { tag: "@reset-keeps-sessions" }, async () => {
    const { app, store } = fixtures();
    const ada = await member(app);
    const other = await signInAgain(ada);
    await verification(store, `reset-password:${ada.id}`, ada.id);
    expect((await new Program(app).post("/reset-password", { newPassword: "a new password", token: ada.id })).status).toBe(200);
    expect([await ada.program.signedIn(), await other.signedIn()]).toEqual([true, true]);
  });
});

withSettings({ ACCOUNTS_REQUIRE_EMAIL_VERIFICATION: "true", SMTP_URL: "smtp://127.0.0.1:1" }, (fixtures) => {
  test("email not verified", { tag: "@email-not-verified" }, async () => {
    const { app } = fixtures();
    const program = new Program(app);
    const email = `${randomUUID()}@example.com`;
    await program.post("/sign-up/email", { name: "Ada", email, password: "a password" });
    expect(await program.signedIn()).toBe(false);
    const answer = await program.post("/sign-in/email", { email, password: "a password" });
    expect({ status: answer.status, message: text(answer, "message") }).toEqual({ status: 403, message: "Email not verified" });
  });

  test("a provider that has verified the address signs in to an unverified account", async ({ social }) => {
    const program = new Program(fixtures().app);
    const email = `${randomUUID()}@example.com`;
    await program.post("/sign-up/email", { name: "Ada", email, password: "a password" });
    expect(await through(program, social, social.identity({ email }))).toBe("/projects");
    expect((await program.get("/get-session")).body).toMatchObject({ user: { email, emailVerified: true } });
  });

  test(
    "email not verified: also for a provider without a verified address",
    { tag: "@email-not-verified-provider-without-verified" },
    async ({ social }) => {
      const { app, store } = fixtures();
      const user = social.identity({ email_verified: false });
      const wanted = { callbackURL: "/projects", newUserCallbackURL: "/account", errorCallbackURL: "/sign-in" };
      for (const _ of ["first", "later"]) {
        const program = new Program(app);
        expect(await through(program, social, user, { body: wanted })).toBe("/sign-in?error=email_not_verified");
        expect(await program.signedIn()).toBe(false);
      }
      const byToken = new Program(app);
      const answer = await byToken.post("/sign-in/social", { provider: "google", idToken: { token: await social.idToken(user) } });
      expect({ status: answer.status, message: text(answer, "message") }).toEqual({ status: 403, message: "Email not verified" });
      expect(await byToken.signedIn()).toBe(false);

      await store.change("users", { email: user.email }, { emailVerified: true });
      const program = new Program(app);
      expect(await through(program, social, user, { body: wanted })).toBe("/projects");
      expect(await program.signedIn()).toBe(true);
    },
  );

  test("a sign-up does not reveal a taken address", { tag: "@sign-up-does-not-reveal-taken" }, async () => {
    const { app } = fixtures();
    const fields = { name: "Ada", password: "a password", image: "https://example.com/ada.png" };
    const email = `${randomUUID()}@example.com`;
    const first = await new Program(app).post("/sign-up/email", { ...fields, email });
    const second = await new Program(app).post("/sign-up/email", { ...fields, email: email.toUpperCase() });
    const shape = ({ status, body, headers }: Answer) => ({
      status,
      body: JSON.stringify(body).replaceAll(/"(id|createdAt|updatedAt)":"[^"]+"/g, '"$1":"…"'),
      headers: [...headers.keys()],
      idLength: JSON.stringify(body).match(/"id":"([^"]+)"/)?.[1]?.length,
    });
    expect(shape(second)).toEqual(shape(first));

    const bare = `${randomUUID()}@example.com`;
    const sent = { name: "Ada", email: bare, password: "a password" };
    expect(shape(await new Program(app).post("/sign-up/email", sent))).toEqual(shape(await new Program(app).post("/sign-up/email", sent)));
  });
});
