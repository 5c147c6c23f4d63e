import { randomUUID } from "node:crypto";
import { type Answer, again, type Member, member, Program, text, through } from "./program.ts";
import { withSettings } from "./switches.ts";
import { expect, test } from "./test.ts";
import { verification } from "./verification.ts";
import type { RunningApp } from "../harness/app.ts";
import type { SocialServer } from "../harness/oidc.ts";
import type { Store } from "../harness/store.ts";

type World = { app: RunningApp; social: SocialServer; store: Store; nobody: Program; ada: Member; bob: Member };

type Row = {
  /** The words of the specification (section 8), or, where it has none, the condition. */
  words: string;
  status: number;
  /** The words that are answered, where the specification leaves them open. */
  message?: string;
  send: (world: World) => Promise<Answer>;
};

/** A second login by google, with what the token tells of somebody. */
const link = async ({ ada, social }: World, claims: object, more: object = {}) =>
  ada.program.post("/link-social", {
    provider: "google",
    idToken: { token: await social.idToken(social.identity({ email: ada.email, ...claims })), ...more },
  });

const idToken = async ({ nobody, social }: World, claims: object) =>
  nobody.post("/sign-in/social", { provider: "google", idToken: { token: await social.idToken(social.identity({ ...claims })) } });

/** Somebody who came by a provider, whose access token ends in `seconds`. */
async function comeBy({ app, social }: World, provider: "google" | "gitlab", seconds = 3600) {
  const [program, who] = [new Program(app), social.identity()];
  social.accessTokenSeconds = seconds;
  await through(program, social, who, { provider });
  social.accessTokenSeconds = 3600;
  return { program, who };
}

const rows: Row[] = [
  {
    words: "Reset password isn't enabled",
    status: 400,
    send: ({ nobody, ada }) => nobody.post("/request-password-reset", { email: ada.email }),
  },
  { words: "Reset password isn't enabled", status: 400, send: ({ nobody, ada }) => nobody.post("/forget-password", { email: ada.email }) },
  {
    words: "Verification email isn't enabled",
    status: 400,
    send: ({ nobody, ada }) => nobody.post("/send-verification-email", { email: ada.email }),
  },
  {
    words: "Verification email isn't enabled",
    status: 400,
    // Whose address is verified gets a mail first, and there is none.
    send: async ({ ada, store }) => {
      await store.change("users", { id: ada.id }, { emailVerified: true });
      return ada.program.post("/change-email", { newEmail: `${randomUUID()}@example.com` });
    },
  },
  { words: "Email is the same", status: 400, send: ({ ada }) => ada.program.post("/change-email", { newEmail: ada.email.toUpperCase() }) },
  {
    words: "Couldn't update your email",
    status: 422,
    send: ({ ada, bob }) => ada.program.post("/change-email", { newEmail: bob.email.toUpperCase() }),
  },
  { words: "Account not linked - linking not allowed", status: 401, send: (world) => link(world, { email_verified: false }) },
  {
    words: "Account not linked - different emails not allowed",
    status: 401,
    send: (world) => link(world, { email: `${randomUUID()}@example.com` }),
  },
  {
    words: "Account not linked - unable to create account",
    status: 417,
    // More than a document of the deployment holds.
    send: (world) => link(world, {}, { accessToken: "x".repeat(600_000) }),
  },
  {
    words: "Provider github is not supported.",
    status: 400,
    send: ({ ada }) => ada.program.post("/get-access-token", { providerId: "github" }),
  },
  {
    words: "Provider nowhere is not supported.",
    status: 400,
    send: ({ ada }) => ada.program.post("/refresh-token", { providerId: "nowhere" }),
  },
  { words: "Account not found", status: 400, send: ({ ada }) => ada.program.post("/get-access-token", { providerId: "google" }) },
  { words: "Account not found", status: 400, send: ({ ada }) => ada.program.post("/refresh-token", { providerId: "google" }) },
  { words: "Account not found", status: 400, send: ({ ada }) => ada.program.post("/account-info", { accountId: "nobody" }) },
  {
    words: "Account not found",
    status: 400,
    send: async (world) => {
      await link(world, {});
      return world.ada.program.post("/unlink-account", { providerId: "google", accountId: "nobody" });
    },
  },
  {
    words: "Failed to get a valid access token",
    status: 400,
    send: async (world) => {
      const { program, who } = await comeBy(world, "google", 1);
      world.social.forget(who);
      return program.post("/get-access-token", { providerId: "google" });
    },
  },
  {
    words: "Failed to refresh access token",
    status: 400,
    send: async (world) => {
      const { program, who } = await comeBy(world, "google");
      world.social.forget(who);
      return program.post("/refresh-token", { providerId: "google" });
    },
  },
  {
    words: "Access token not found",
    status: 400,
    send: async (world) => {
      await link(world, {});
      const [, account] = [0, text(await world.ada.program.get("/list-accounts"), 1, "accountId")];
      return world.ada.program.post("/account-info", { accountId: account });
    },
  },
  { words: "Invalid input", status: 400, send: ({ ada }) => ada.program.post("/update-user", { name: "x".repeat(201) }) },
  { words: "Invalid email", status: 400, send: ({ nobody }) => nobody.post("/sign-in/email", { email: "nobody", password: "a password" }) },
  {
    words: "Invalid email",
    status: 400,
    send: ({ nobody }) => nobody.post("/sign-up/email", { name: "A", email: "nobody", password: "a password" }),
  },
  { words: "Invalid body parameters", status: 400, send: ({ nobody }) => nobody.post("/sign-in/email", { email: 1 }) },
  {
    words: "Invalid body parameters",
    status: 400,
    send: ({ ada }) => ada.program.post("/change-password", { newPassword: "a new password" }),
  },
  { words: "Invalid query parameters", status: 400, send: ({ ada }) => ada.program.get("/delete-user/callback") },

  {
    words: "provider not found",
    status: 404,
    message: "Provider not found",
    send: ({ nobody }) => nobody.post("/sign-in/social", { provider: "nowhere" }),
  },
  {
    words: "provider not found",
    status: 404,
    message: "Provider not found",
    send: ({ ada }) => ada.program.post("/link-social", { provider: "github" }),
  },
  {
    words: "ID token not supported",
    status: 404,
    message: "id_token not supported",
    send: ({ nobody }) => nobody.post("/sign-in/social", { provider: "gitlab", idToken: { token: "a.b.c" } }),
  },
  {
    words: "invalid token",
    status: 401,
    message: "Invalid token",
    send: ({ nobody }) => nobody.post("/sign-in/social", { provider: "google", idToken: { token: "a.b.c" } }),
  },
  {
    words: "invalid token",
    status: 401,
    message: "Invalid token",
    send: ({ nobody }) => nobody.post("/reset-password", { newPassword: "a new password" }),
  },
  {
    words: "invalid delete token",
    status: 404,
    message: "Invalid token",
    send: ({ ada }) => ada.program.post("/delete-user", { token: "nothing" }),
  },
  {
    words: "invalid delete token",
    status: 404,
    message: "Invalid token",
    send: ({ ada }) => ada.program.get("/delete-user/callback?token=nothing"),
  },
  {
    words: "failed to get user info",
    status: 401,
    message: "Failed to get user info",
    send: async (world) => {
      const { program, who } = await comeBy(world, "gitlab");
      who.claims["state"] = "blocked";
      return program.post("/account-info", { accountId: who.sub });
    },
  },
  { words: "user email not found", status: 401, message: "User email not found", send: (world) => idToken(world, { email: undefined }) },
  {
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
  { words: "no session", status: 401, message: "Unauthorized", send: ({ nobody }) => nobody.get("/list-accounts") },
  {
    words: "password too short",
    status: 400,
    message: "Password too short",
    send: ({ nobody }) => nobody.post("/sign-up/email", { name: "A", email: `${randomUUID()}@example.com`, password: "1234567" }),
  },
  {
    words: "password too long",
    status: 400,
    message: "Password too long",
    send: ({ ada }) => ada.program.post("/change-password", { currentPassword: ada.password, newPassword: "x".repeat(129) }),
  },
  {
    words: "credential account not found",
    status: 400,
    message: "Credential account not found",
    send: async (world) =>
      (await comeBy(world, "google")).program.post("/change-password", { currentPassword: "a password", newPassword: "a new password" }),
  },
  {
    words: "invalid password",
    status: 400,
    message: "Invalid password",
    send: ({ ada }) => ada.program.post("/change-password", { currentPassword: "not this one", newPassword: "a new password" }),
  },
  {
    words: "invalid password",
    status: 400,
    message: "Invalid password",
    send: ({ ada }) => ada.program.post("/delete-user", { password: "not this one" }),
  },
  {
    words: "session expired",
    status: 400,
    message: "Session expired. Re-authenticate to perform this action.",
    send: async ({ ada, store }) => {
      await store.change("sessions", { userId: ada.id }, { createdAt: Date.now() - 25 * 3_600_000 });
      return ada.program.post("/delete-user");
    },
  },
  {
    words: "user already exists",
    status: 422,
    message: "User already exists. Use another email.",
    send: ({ nobody, ada }) => nobody.post("/sign-up/email", { name: "A", email: ada.email.toUpperCase(), password: "a password" }),
  },
  {
    words: "failed to unlink last account",
    status: 400,
    message: "You can't unlink your last account",
    send: ({ ada }) => ada.program.post("/unlink-account", { providerId: "credential" }),
  },
  {
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

test.describe("the words of section 8", () => {
  for (const [index, { words, status, message = words, send }] of rows.entries()) {
    test(`${index + 1}. ${words}`, async ({ app, social, store, nobody, ada, bob }) => {
      const answer = await send({ app, social, store, nobody, ada, bob });
      expect({ status: answer.status, message: text(answer, "message") }).toEqual({ status, message });
    });
  }

  test("Page not found", async ({ app }) => {
    const answer = await fetch(`${app.url}/no/such/page`);
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain("Page not found");
  });

  test("an error's page shows its code, or 'Unknown'", async ({ app }) => {
    const shown = async (path: string) => (await fetch(app.url + path)).text();
    expect(await shown("/api/auth/error?error=no_code")).toMatch(/Authentication Error[\s\S]*no_code/);
    expect(await shown("/api/auth/error")).toMatch(/Authentication Error[\s\S]*Unknown/);
  });
});

withSettings({ ACCOUNTS_EMAIL_AND_PASSWORD: "false" }, (world) => {
  test("Email and password is not enabled", async () => {
    const answer = await new Program(world().app).post("/sign-in/email", { email: "ada@example.com", password: "a password" });
    expect({ status: answer.status, message: text(answer, "message") }).toEqual({
      status: 400,
      message: "Email and password is not enabled",
    });
  });

  test("nor sign-up", async () => {
    const answer = await new Program(world().app).post("/sign-up/email", { name: "A", email: "ada@example.com", password: "a password" });
    expect({ status: answer.status, message: text(answer, "message") }).toEqual({
      status: 400,
      message: "Email and password sign up is not enabled",
    });
  });
});

withSettings({ ACCOUNTS_CHANGE_EMAIL: "false" }, (world) => {
  test("Change email is disabled", async () => {
    const { program } = await member(world().app);
    const answer = await program.post("/change-email", { newEmail: "ada@example.com" });
    expect({ status: answer.status, message: text(answer, "message") }).toEqual({ status: 400, message: "Change email is disabled" });
  });

  test("Change email is disabled, whosever the address is", async () => {
    const { program } = await member(world().app);
    const bob = await member(world().app);
    expect(text(await program.post("/change-email", { newEmail: bob.email }), "message")).toBe("Change email is disabled");
  });
});

withSettings({ ACCOUNTS_DELETE_USER: "false" }, (world) => {
  test("delete disabled", async () => {
    const { program, password } = await member(world().app);
    expect((await program.post("/delete-user", { password })).status).toBe(404);
    expect((await program.get("/delete-user/callback?token=nothing")).status).toBe(404);
    expect(await program.signedIn()).toBe(true);
  });
});

withSettings({ ACCOUNTS_LINKING: "false" }, (world) => {
  test("Account not linked - linking not allowed", async ({ social }) => {
    const ada = await member(world().app);
    const token = await social.idToken(social.identity({ email: ada.email }));
    const answer = await ada.program.post("/link-social", { provider: "google", idToken: { token } });
    expect({ status: answer.status, message: text(answer, "message") }).toEqual({
      status: 401,
      message: "Account not linked - linking not allowed",
    });
    const location = await through(ada.program, social, social.identity({ email: ada.email }), { path: "/link-social" });
    expect(location).toMatch(/error=unable_to_link_account/);
  });

  test("nor does a sign-in by a provider link by the address", async ({ social }) => {
    const { app, store } = world();
    const ada = await member(app);
    await store.change("users", { id: ada.id }, { emailVerified: true });
    expect(await through(new Program(app), social, social.identity({ email: ada.email }))).toMatch(/error=account_not_linked/);
  });
});

withSettings({ ACCOUNTS_LINK_DIFFERENT_EMAILS: "true" }, (world) => {
  test("a login with another address is linked", async ({ social }) => {
    const ada = await member(world().app);
    expect(await through(ada.program, social, social.identity(), { path: "/link-social", body: { callbackURL: "/account" } })).toBe(
      "/account",
    );
    expect((await ada.program.get("/list-accounts")).body).toHaveLength(2);
  });

  test("account_already_linked_to_different_user", async ({ social }) => {
    const { app } = world();
    const who = social.identity();
    const [ada, bob] = [await member(app), await member(app)];
    await through(ada.program, social, who, { path: "/link-social" });
    expect(await through(bob.program, social, who, { path: "/link-social" })).toMatch(/error=account_already_linked_to_different_user/);
    const token = await social.idToken(who);
    expect((await bob.program.post("/link-social", { provider: "google", idToken: { token } })).status).toBe(409);
  });
});

withSettings({ ACCOUNTS_UNLINK_LAST: "true" }, (world) => {
  test("the last account can go", async ({ social }) => {
    const program = new Program(world().app);
    await through(program, social, social.identity());
    expect((await program.post("/unlink-account", { providerId: "google" })).body).toEqual({ status: true });
    expect((await program.get("/list-accounts")).body).toEqual([]);
  });
});

withSettings({ ACCOUNTS_REVOKE_SESSIONS_ON_PASSWORD_RESET: "false" }, (world) => {
  test("a reset leaves the sessions", async () => {
    const { app, store } = world();
    const ada = await member(app);
    const other = await again(ada);
    await verification(store, `reset-password:${ada.id}`, ada.id);
    expect((await new Program(app).post("/reset-password", { newPassword: "a new password", token: ada.id })).status).toBe(200);
    expect([await ada.program.signedIn(), await other.signedIn()]).toEqual([true, true]);
  });
});

withSettings({ ACCOUNTS_REQUIRE_EMAIL_VERIFICATION: "true" }, (world) => {
  test("email not verified", async () => {
    const { app } = world();
    const program = new Program(app);
    const email = `${randomUUID()}@example.com`;
    await program.post("/sign-up/email", { name: "Ada", email, password: "a password" });
    expect(await program.signedIn()).toBe(false);
    const answer = await program.post("/sign-in/email", { email, password: "a password" });
    expect({ status: answer.status, message: text(answer, "message") }).toEqual({ status: 403, message: "Email not verified" });
  });

  test("email not verified: nor by a provider that has not verified it either", async ({ social }) => {
    const { app, store } = world();
    const who = social.identity({ email_verified: false });
    const wanted = { callbackURL: "/projects", newUserCallbackURL: "/account", errorCallbackURL: "/sign-in" };
    for (const _ of ["first", "later"]) {
      const program = new Program(app);
      expect(await through(program, social, who, { body: wanted })).toBe("/sign-in?error=email_not_verified");
      expect(await program.signedIn()).toBe(false);
    }
    const byToken = new Program(app);
    const answer = await byToken.post("/sign-in/social", { provider: "google", idToken: { token: await social.idToken(who) } });
    expect({ status: answer.status, message: text(answer, "message") }).toEqual({ status: 403, message: "Email not verified" });
    expect(await byToken.signedIn()).toBe(false);

    // As the link does that was sent to them.
    await store.change("users", { email: who.email }, { emailVerified: true });
    const program = new Program(app);
    expect(await through(program, social, who, { body: wanted })).toBe("/projects");
    expect(await program.signedIn()).toBe(true);
  });

  test("a taken address is told by nothing in the answer to a sign-up", async () => {
    const { app } = world();
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
