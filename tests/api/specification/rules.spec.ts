import { signInAgain, Program, text, through } from "../support/program.ts";
import { rawPath } from "../support/raw.ts";
import { expect, test } from "../support/test.ts";
import { verification } from "../support/verification.ts";

const DAY = 24 * 3_600_000;

const ODD_PATHS = [
  "//evil.example/",
  "/\\evil.example",
  "///evil.example",
  "/..//evil.example",
  "/.//evil.example",
  "/%2e//evil.example/%2e%2e",
  "/%2e%2e//evil.example",
  "/x/..//evil.example",
  "/x/%2e%2e///evil.example:80/x",
  "/.//",
  "/projects/..//evil.example/x",
];

test.describe("4. Session", () => {
  test("is created on email sign-in, and ended on sign-out", { tag: "@created-email-sign-ended-sign-out" }, async ({ ada }) => {
    const program = await signInAgain(ada);
    expect(await program.signedIn()).toBe(true);
    const copy = new Map(program.cookies);
    await program.post("/sign-out");
    expect([...program.cookies.keys()].filter((name) => /session/.test(name))).toEqual([]);
    const thief = new Program(program.app);
    for (const [name, value] of copy) thief.cookies.set(name, value);
    expect(await thief.signedIn()).toBe(false);
    expect(await ada.program.signedIn()).toBe(true);
  });

  test("is created on social sign-in", { tag: "@created-social-sign" }, async ({ nobody, social }) => {
    await through(nobody, social, social.identity());
    expect(await nobody.signedIn()).toBe(true);
  });

  test("is ended on account deletion, everywhere", { tag: "@ended-account-deletion-everywhere" }, async ({ ada }) => {
    const other = await signInAgain(ada);
    await ada.program.post("/delete-user", { password: ada.password });
    expect([await ada.program.signedIn(), await other.signedIn()]).toEqual([false, false]);
  });

  test("is ended on password reset, everywhere", { tag: "@ended-password-reset-everywhere" }, async ({ ada, nobody, store }) => {
    await verification(store, `reset-password:${ada.id}`, ada.id);
    await nobody.post("/reset-password", { newPassword: "a new password", token: ada.id });
    expect(await ada.program.signedIn()).toBe(false);
  });

  for (const [rememberMe, kept] of [
    [undefined, true],
    [true, true],
    [false, false],
  ] as const) {
    test(
      `with rememberMe ${rememberMe ?? "left out"} is ${kept ? "" : "not "}remembered`,
      { tag: "@remember-me-remembered" },
      async ({ nobody, ada, store }) => {
        const { email, password } = ada;
        await store.change("sessions", { userId: ada.id }, { expiresAt: 0 });
        const { headers } = await nobody.post("/sign-in/email", { email, password, rememberMe });
        const cookie = headers.getSetCookie().find((line) => line.startsWith("atelier.session_token=")) ?? "";
        expect(/max-age=[1-9]|expires=/i.test(cookie)).toBe(kept);
        const ends = (await store.find("sessions", { userId: ada.id })).map(
          ({ expiresAt }) => (Number(expiresAt) - Date.now()) / 86_400_000,
        );
        expect(Math.round(Math.max(...ends))).toBe(kept ? 7 : 1);
        expect(await nobody.signedIn()).toBe(true);
        await store.change("sessions", { userId: ada.id }, { expiresAt: Date.now() - 1 });
        expect(await nobody.signedIn()).toBe(false);
      },
    );
  }

  test(
    "cookies are host-only, HttpOnly and SameSite",
    { tag: "@cookies-host-only-http-only-same" },
    async ({ nobody, ada: { email, password } }) => {
      const { headers } = await nobody.post("/sign-in/email", { email, password });
      const token = /^([A-Za-z\d]{32})\.[\w%]{40,}$/.exec(nobody.cookies.get("atelier.session_token") ?? "")?.[1];
      expect(token).toBeDefined();
      const other = new Program(nobody.app);
      other.cookies.set("atelier.session_token", `${token}.${"A".repeat(43)}%3D`);
      expect([await nobody.signedIn(), await other.signedIn()]).toEqual([true, false]);
      expect(headers.getSetCookie().length).toBeGreaterThan(0);
      for (const cookie of headers.getSetCookie()) {
        expect(cookie).toMatch(/; Path=\//);
        expect(cookie).toMatch(/; HttpOnly/);
        expect(cookie).toMatch(/; SameSite=Lax/);
        expect(cookie).not.toMatch(/; Domain/);
      }
    },
  );

  test("is revoked individually, and only by its owner", { tag: "@revoked-individually-only-owner" }, async ({ ada, bob }) => {
    const other = await signInAgain(ada);
    const token = text(await other.get("/get-session"), "session", "token");
    await bob.program.post("/revoke-session", { token });
    expect(await other.signedIn()).toBe(true);
    await ada.program.post("/revoke-session", { token });
    expect([await ada.program.signedIn(), await other.signedIn()]).toEqual([true, false]);
  });

  test("ends when all or all other sessions are revoked", { tag: "@revoked-other-sessions" }, async ({ ada }) => {
    const [first, second] = [await signInAgain(ada), await signInAgain(ada)];
    await first.post("/revoke-other-sessions");
    expect([await first.signedIn(), await second.signedIn(), await ada.program.signedIn()]).toEqual([true, false, false]);
    await first.post("/revoke-sessions");
    expect(await first.signedIn()).toBe(false);
  });
});

test.describe("4. Password reset", () => {
  test("a new password consumes the token", { tag: "@new-password-consumes-token" }, async ({ ada, nobody, store }) => {
    await verification(store, `reset-password:${ada.id}`, ada.id);
    expect((await nobody.post("/reset-password", { newPassword: "a new password", token: ada.id })).status).toBe(200);
    expect((await nobody.post("/reset-password", { newPassword: "another password", token: ada.id })).status).toBe(401);
    expect((await nobody.post("/sign-in/email", { email: ada.email, password: ada.password })).status).toBe(401);
    expect((await nobody.post("/sign-in/email", { email: ada.email, password: "a new password" })).status).toBe(200);
  });

  test(
    "accepts one of two concurrent posts of a token",
    { tag: "@two-concurrent-posts-token-sets-password" },
    async ({ ada, nobody, store }) => {
      await verification(store, `reset-password:${ada.id}`, ada.id);
      const posted = ["one password", "two passwords"].map((newPassword) => nobody.post("/reset-password", { newPassword, token: ada.id }));
      expect((await Promise.all(posted)).map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
    },
  );

  test(
    "an expired token redirects with INVALID_TOKEN and sets nothing",
    { tag: "@expired-token-redirects-invalid-token-sets" },
    async ({ ada, nobody, store }) => {
      await verification(store, `reset-password:${ada.id}`, ada.id, -1000);
      expect((await nobody.get(`/reset-password/${ada.id}?callbackURL=%2Freset-password`)).location).toMatch(
        /\/reset-password\?error=INVALID_TOKEN$/,
      );
      expect((await nobody.post("/reset-password", { newPassword: "a new password", token: ada.id })).status).toBe(401);
      expect((await nobody.post("/sign-in/email", { email: ada.email, password: ada.password })).status).toBe(200);
    },
  );

  test("a link redirects only to our own pages", async ({ ada, nobody, store }) => {
    await verification(store, `reset-password:${ada.id}`, ada.id);
    const answer = await nobody.get(`/reset-password/${ada.id}?callbackURL=${encodeURIComponent("https://evil.example/")}`);
    expect([answer.status, answer.location]).toEqual([403, null]);
  });

  test("another kind of token resets no password (state, deletion, one-time)", async ({ ada, nobody, store }) => {
    await verification(store, `auth-state:${ada.id}`, ada.id);
    await verification(store, `delete-account-${ada.id}`, ada.id);
    for (const token of [ada.id, `../auth-state:${ada.id}`, `delete-account-${ada.id}`])
      expect((await nobody.post("/reset-password", { newPassword: "a new password", token })).status).toBe(401);
  });
});

test.describe("4. Account deletion", () => {
  test(
    "removes user, sessions, accounts and second factor, and clears the cookies",
    { tag: "@removes-user-sessions-accounts-second-factor" },
    async ({ ada, store }) => {
      await ada.program.post("/two-factor/enable", { password: ada.password });
      const { headers } = await ada.program.post("/delete-user", { password: ada.password });
      const cleared = headers.getSetCookie().filter((line) => /max-age=0/i.test(line));
      expect(cleared.map((line) => line.split("=", 1)[0])).toEqual(
        expect.arrayContaining(["atelier.session_token", "atelier.convex_token"]),
      );
      expect(await store.find("users", { id: ada.id })).toEqual([]);
      for (const table of ["sessions", "accounts", "twoFactors"])
        await expect.poll(() => store.find(table, { userId: ada.id })).toEqual([]);
    },
  );

  test(
    "clears the cookies and consumes the token in the body",
    { tag: "@token-body-clears-cookies-consumes-token" },
    async ({ ada, bob, store }) => {
      await verification(store, `delete-account-${ada.id}`, ada.id);
      expect((await bob.program.post("/delete-user", { token: ada.id })).status).toBe(404);
      await ada.program.post("/delete-user", { token: ada.id });
      expect([...ada.program.cookies.keys()].filter((name) => /session/.test(name))).toEqual([]);
      expect(await store.find("users", { id: ada.id })).toEqual([]);
      expect(await store.find("verifications", { identifier: `delete-account-${ada.id}` })).toEqual([]);
    },
  );

  test("needs the password when the session is stale", { tag: "@stale-session-needs-password" }, async ({ ada, store }) => {
    await store.change("sessions", { userId: ada.id }, { createdAt: Date.now() - DAY - 1000 });
    expect((await ada.program.post("/delete-user")).status).toBe(400);
    expect((await ada.program.post("/delete-user", { password: "not this one" })).status).toBe(400);
    expect((await ada.program.post("/delete-user", { password: ada.password })).status).toBe(200);
  });

  test("deletes nothing with an expired token", async ({ ada, store }) => {
    await verification(store, `delete-account-${ada.id}`, ada.id, -1000);
    expect((await ada.program.post("/delete-user", { token: ada.id })).status).toBe(404);
    expect(await ada.program.signedIn()).toBe(true);
  });
});

test.describe("4. Email change", () => {
  test("takes effect at once for an unverified user", { tag: "@unverified-user-takes-effect-once" }, async ({ ada, freshEmail }) => {
    expect((await ada.program.post("/change-email", { newEmail: freshEmail })).body).toEqual({ status: true });
    expect((await ada.program.get("/get-session")).body).toMatchObject({ user: { email: freshEmail, emailVerified: false } });
  });
});

test.describe("5. Rules", () => {
  for (const [length, status] of [
    [7, 400],
    [8, 200],
    [128, 200],
    [129, 400],
  ] as const) {
    test(
      `password of ${length} characters is ${status === 200 ? "accepted" : "rejected"}`,
      { tag: "@new-password-characters" },
      async ({ ada, bob, nobody, store, freshEmail }) => {
        const password = "Zq7-".repeat(33).slice(0, length);
        expect((await nobody.post("/sign-up/email", { name: "A", email: freshEmail, password })).status).toBe(status);
        await verification(store, `reset-password:${bob.id}`, bob.id);
        const other = await signInAgain(ada);
        expect((await other.post("/change-password", { currentPassword: ada.password, newPassword: password })).status).toBe(status);
        expect((await nobody.post("/reset-password", { newPassword: password, token: bob.id })).status).toBe(status);
      },
    );
  }

  test(
    "change-password validates its two passwords and revokeOtherSessions",
    { tag: "@change-password-validates-two-passwords-revoke" },
    async ({ ada }) => {
      const attempt = async (body: object) => (await ada.program.post("/change-password", body)).status;
      const [currentPassword, newPassword] = [ada.password, "a new password"];
      expect(await attempt({ newPassword })).toBe(400);
      expect(await attempt({ currentPassword })).toBe(400);
      expect(await attempt({ currentPassword, newPassword, revokeOtherSessions: "yes" })).toBe(400);
      expect(await attempt({ currentPassword, newPassword })).toBe(200);
    },
  );

  test("change-password ends other sessions only on request", { tag: "@change-password-ends-other-sessions-only" }, async ({ ada }) => {
    const other = await signInAgain(ada);
    await ada.program.post("/change-password", { currentPassword: ada.password, newPassword: "a new password" });
    expect(await other.signedIn()).toBe(true);
    await ada.program.post("/change-password", {
      currentPassword: "a new password",
      newPassword: "a newer password",
      revokeOtherSessions: true,
    });
    expect([await other.signedIn(), await ada.program.signedIn()]).toEqual([false, true]);
  });

  test("a new email must be valid, and is lowercased", { tag: "@new-email-must-valid-lowercased" }, async ({ ada, freshEmail }) => {
    expect((await ada.program.post("/change-email", { newEmail: "nobody" })).status).toBe(400);
    await ada.program.post("/change-email", { newEmail: freshEmail.toUpperCase() });
    expect((await ada.program.get("/get-session")).body).toMatchObject({ user: { email: freshEmail } });
  });

  test("an account's address is taken regardless of case", async ({ nobody, ada }) => {
    expect((await nobody.post("/sign-in/email", { email: ada.email.toUpperCase(), password: ada.password })).status).toBe(200);
  });

  test(
    "an untrusted provider's login with an unverified email is not linked",
    { tag: "@untrusted-providers-login-unverified-email-not" },
    async ({ ada, social }) => {
      const token = await social.idToken(social.identity({ email: ada.email, email_verified: false }));
      expect((await ada.program.post("/link-social", { provider: "google", idToken: { token } })).status).toBe(401);
    },
  );

  test(
    "unlinking the last account is rejected for every kind",
    { tag: "@unlinking-last-account-rejected-whichever" },
    async ({ nobody, social }) => {
      await through(nobody, social, social.identity());
      expect((await nobody.post("/unlink-account", { providerId: "google" })).status).toBe(400);
      expect((await nobody.get("/list-accounts")).body).toHaveLength(1);
    },
  );
});

test.describe("6. Permissions", () => {
  const NEED_A_SESSION: [string, string, object?][] = [
    ["POST", "/change-password", { currentPassword: "a password", newPassword: "a new password" }],
    ["POST", "/change-email", { newEmail: "ada@example.com" }],
    ["POST", "/delete-user", {}],
    ["GET", "/list-accounts"],
    ["POST", "/link-social", { provider: "google" }],
    ["POST", "/account-info", { accountId: "1" }],
    ["POST", "/unlink-account", { providerId: "google" }],
    ["POST", "/get-access-token", { providerId: "google" }],
    ["POST", "/refresh-token", { providerId: "google" }],
    ["POST", "/update-user", { name: "Eve" }],
    ["POST", "/revoke-session", { token: "1" }],
    ["POST", "/revoke-sessions", {}],
    ["POST", "/revoke-other-sessions", {}],
    ["GET", "/list-sessions"],
    ["GET", "/one-time-token/generate"],
    ["POST", "/two-factor/enable", { password: "a password" }],
    ["POST", "/two-factor/disable", { password: "a password" }],
    ["POST", "/two-factor/generate-backup-codes", { password: "a password" }],
  ];
  for (const [method, path, body] of NEED_A_SESSION) {
    test(`${method} ${path} needs a session`, { tag: "@needs-session" }, async ({ nobody }) => {
      expect((await nobody.send(method, path, body)).status).toBe(401);
    });
  }

  test(
    "unlink-account rejects a stale session, like the replaced endpoint",
    { tag: "@unlink-account-rejects-stale-session-like" },
    async ({ ada, social, store }) => {
      await through(ada.program, social, social.identity({ email: ada.email }), { path: "/link-social" });
      await store.change("sessions", { userId: ada.id }, { createdAt: Date.now() - DAY - 1000 });
      const answer = await ada.program.post("/unlink-account", { providerId: "google" });
      expect([answer.status, text(answer, "message")]).toEqual([403, "Session is not fresh"]);
      expect((await ada.program.get("/list-accounts")).body).toHaveLength(2);
    },
  );

  test(
    "tokens over HTTP belong to the session's user, for any userId",
    { tag: "@tokens-over-http-belong-sessions-user" },
    async ({ nobody, ada, app, social }) => {
      const [grace, identity] = [new Program(app), social.identity()];
      await through(grace, social, identity);
      const userId = text(await grace.get("/get-session"), "user", "id");
      const requested = { providerId: "google", userId };
      for (const path of ["/get-access-token", "/refresh-token"]) {
        expect((await nobody.post(path, requested)).status).toBe(401);
        expect((await ada.program.post(path, requested)).body).toMatchObject({ message: "Account not found" });
        expect((await ada.program.post(path, { ...requested, accountId: identity.sub })).body).toMatchObject({
          message: "Account not found",
        });
        expect((await grace.post(path, { ...requested, userId: ada.id })).body).toMatchObject({ accessToken: expect.any(String) });
      }
      expect((await ada.program.post("/account-info", { accountId: identity.sub })).status).toBe(400);
    },
  );

  test("an ended session gets no token and changes nothing", async ({ ada, store }) => {
    await store.change("sessions", { userId: ada.id }, { expiresAt: Date.now() - 1000 });
    expect((await ada.program.get("/list-accounts")).status).toBe(401);
    expect((await ada.program.post("/change-password", { currentPassword: ada.password, newPassword: "a new password" })).status).toBe(401);
  });
});

test.describe("7. One-time tokens in a page's address", () => {
  const visit = (program: Program, path: string) => program.get(program.app.url + path);

  test("load the session once and are removed", { tag: "@load-session-once-removed" }, async ({ ada, nobody, app }) => {
    const token = text(await ada.program.get("/one-time-token/generate"), "token");
    const answer = await visit(nobody, `/projects?tab=1&ott=${token}&ott=again`);
    expect([answer.status, answer.location]).toEqual([302, `${app.url}/projects?tab=1`]);
    expect((await nobody.get("/get-session")).body).toMatchObject({ user: { id: ada.id } });
    expect((await visit(nobody, "/projects")).status).toBe(200);

    const second = new Program(app);
    expect((await visit(second, `/projects?ott=${token}`)).location).toBe(`${app.url}/projects`);
    expect(await second.signedIn()).toBe(false);
  });

  test("are stored as a hash", async ({ ada, store }) => {
    const token = text(await ada.program.get("/one-time-token/generate"), "token");
    expect(await store.find("verifications", { identifier: `one-time-token:${token}` })).toEqual([]);
  });

  test("are removed when invalid or used", { tag: "@removed-when-invalid-used" }, async ({ nobody, app }) => {
    expect((await visit(nobody, "/sign-in?ott=nonsense")).location).toBe(`${app.url}/sign-in`);
    expect(await nobody.signedIn()).toBe(false);
  });

  test(
    "are not used before a user signed in as another has agreed",
    { tag: "@not-used-before-user-signed-another" },
    async ({ ada, bob, nobody }) => {
      const token = text(await bob.program.get("/one-time-token/generate"), "token");
      const question = await visit(ada.program, `/projects?tab=1&ott=${token}`);
      expect(question.location).toBe(`/switch-account?${new URLSearchParams({ token, redirectTo: "/projects?tab=1" })}`);
      expect((await ada.program.get("/get-session")).body).toMatchObject({ user: { id: ada.id } });
      expect((await visit(nobody, `/projects?ott=${token}`)).headers.getSetCookie().join()).toContain("session_token=");
    },
  );

  test("sign in the other user after consent and end the replaced session", async ({ ada, bob, app }) => {
    const other = await signInAgain(ada);
    const token = text(await bob.program.get("/one-time-token/generate"), "token");
    const { location } = await visit(other, `/projects?ott=${token}`);
    const replaced = other.cookieHeader;
    const form = { "Content-Type": "application/x-www-form-urlencoded" };
    const answer = await other.send("POST", app.url + location, "", form);
    expect([answer.status, answer.location]).toEqual([303, "/projects"]);
    expect((await other.get("/get-session")).body).toMatchObject({ user: { id: bob.id } });
    const before = new Program(app);
    expect((await before.get("/get-session", { Cookie: replaced })).body).toBeNull();
    expect(await ada.program.signedIn()).toBe(true);
  });

  test("load the session without a question for the same user", async ({ ada, app }) => {
    const token = text(await ada.program.get("/one-time-token/generate"), "token");
    expect((await visit(await signInAgain(ada), `/projects?ott=${token}`)).location).toBe(`${app.url}/projects`);
  });

  test("redirect to our own origin for every path", async ({ app }) => {
    for (const path of ODD_PATHS) {
      const { status, location } = await rawPath(app.url, `${path}?ott=x`);
      expect([302, 400], path).toContain(status);
      const target = new URL(location ?? "/", app.url);
      expect([target.origin, target.pathname.startsWith("//")], path).toEqual([app.url, false]);
    }
  });

  test("work for requests for a page's data", async ({ ada, nobody }) => {
    const token = text(await ada.program.get("/one-time-token/generate"), "token");
    const answer = await visit(nobody, `/projects.data?ott=${token}`);
    expect(answer.headers.getSetCookie().join()).toContain("session_token=");
  });
});
