import { again, Program, text, through } from "./program.ts";
import { expect, test } from "./test.ts";
import { verification } from "./verification.ts";

/** A test for each sentence of sections 4, 5 and 6 of the specification that speaks of accounts; what a switch decides is in `words.spec.ts`. */

const DAY = 24 * 3_600_000;

test.describe("4. Session", () => {
  test("is created on email sign-in, and ended on sign-out", async ({ ada }) => {
    const program = await again(ada);
    expect(await program.signedIn()).toBe(true);
    const copy = new Map(program.cookies);
    await program.post("/sign-out");
    expect([...program.cookies.keys()].filter((name) => /session/.test(name))).toEqual([]);
    const thief = new Program(program.app);
    for (const [name, value] of copy) thief.cookies.set(name, value);
    expect(await thief.signedIn()).toBe(false);
    expect(await ada.program.signedIn()).toBe(true);
  });

  test("is created on social sign-in", async ({ nobody, social }) => {
    await through(nobody, social, social.identity());
    expect(await nobody.signedIn()).toBe(true);
  });

  test("is ended on account deletion, everywhere", async ({ ada }) => {
    const other = await again(ada);
    await ada.program.post("/delete-user", { password: ada.password });
    expect([await ada.program.signedIn(), await other.signedIn()]).toEqual([false, false]);
  });

  test("is ended on password reset, everywhere", async ({ ada, nobody, store }) => {
    await verification(store, `reset-password:${ada.id}`, ada.id);
    await nobody.post("/reset-password", { newPassword: "a new password", token: ada.id });
    expect(await ada.program.signedIn()).toBe(false);
  });

  for (const [rememberMe, kept] of [
    [undefined, true],
    [true, true],
    [false, false],
  ] as const) {
    test(`with rememberMe ${rememberMe ?? "left out"} is ${kept ? "" : "not "}remembered`, async ({ nobody, ada, store }) => {
      const { email, password } = ada;
      await store.change("sessions", { userId: ada.id }, { expiresAt: 0 });
      const { headers } = await nobody.post("/sign-in/email", { email, password, rememberMe });
      const cookie = headers.getSetCookie().find((line) => line.startsWith("atelier.session_token=")) ?? "";
      expect(/max-age=[1-9]|expires=/i.test(cookie)).toBe(kept);
      // It ends by itself, on the server: after seven days without use, or after one.
      const ends = (await store.find("sessions", { userId: ada.id })).map(({ expiresAt }) => (Number(expiresAt) - Date.now()) / 86_400_000);
      expect(Math.round(Math.max(...ends))).toBe(kept ? 7 : 1);
      expect(await nobody.signedIn()).toBe(true);
      await store.change("sessions", { userId: ada.id }, { expiresAt: Date.now() - 1 });
      expect(await nobody.signedIn()).toBe(false);
    });
  }

  test("cookies are for this host, for no script, and not for other sites' requests", async ({ nobody, ada: { email, password } }) => {
    const { headers } = await nobody.post("/sign-in/email", { email, password });
    // Random, and signed: what was altered is nobody's.
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
  });

  test("is revoked one by one, and of nobody else", async ({ ada, bob }) => {
    const other = await again(ada);
    const token = text(await other.get("/get-session"), "session", "token");
    await bob.program.post("/revoke-session", { token });
    expect(await other.signedIn()).toBe(true);
    await ada.program.post("/revoke-session", { token });
    expect([await ada.program.signedIn(), await other.signedIn()]).toEqual([true, false]);
  });

  test("is revoked with all others, and with all", async ({ ada }) => {
    const [first, second] = [await again(ada), await again(ada)];
    await first.post("/revoke-other-sessions");
    expect([await first.signedIn(), await second.signedIn(), await ada.program.signedIn()]).toEqual([true, false, false]);
    await first.post("/revoke-sessions");
    expect(await first.signedIn()).toBe(false);
  });
});

test.describe("4. Password reset", () => {
  test("a new password consumes the token", async ({ ada, nobody, store }) => {
    await verification(store, `reset-password:${ada.id}`, ada.id);
    expect((await nobody.post("/reset-password", { newPassword: "a new password", token: ada.id })).status).toBe(200);
    expect((await nobody.post("/reset-password", { newPassword: "another password", token: ada.id })).status).toBe(401);
    expect((await nobody.post("/sign-in/email", { email: ada.email, password: ada.password })).status).toBe(401);
    expect((await nobody.post("/sign-in/email", { email: ada.email, password: "a new password" })).status).toBe(200);
  });

  test("of two who post a token at once, one sets the password", async ({ ada, nobody, store }) => {
    await verification(store, `reset-password:${ada.id}`, ada.id);
    const posted = ["one password", "two passwords"].map((newPassword) => nobody.post("/reset-password", { newPassword, token: ada.id }));
    expect((await Promise.all(posted)).map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
  });

  test("an expired token leads back with INVALID_TOKEN, and sets nothing", async ({ ada, nobody, store }) => {
    await verification(store, `reset-password:${ada.id}`, ada.id, -1000);
    expect((await nobody.get(`/reset-password/${ada.id}?callbackURL=%2Freset-password`)).location).toMatch(
      /\/reset-password\?error=INVALID_TOKEN$/,
    );
    expect((await nobody.post("/reset-password", { newPassword: "a new password", token: ada.id })).status).toBe(401);
    expect((await nobody.post("/sign-in/email", { email: ada.email, password: ada.password })).status).toBe(200);
  });

  test("a link leads only to our own pages", async ({ ada, nobody, store }) => {
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
  test("removes user, sessions, accounts and second factor, and clears the cookies", async ({ ada, store }) => {
    await ada.program.post("/two-factor/enable", { password: ada.password });
    const { headers } = await ada.program.post("/delete-user", { password: ada.password });
    const cleared = headers.getSetCookie().filter((line) => /max-age=0/i.test(line));
    expect(cleared.map((line) => line.split("=", 1)[0])).toEqual(expect.arrayContaining(["atelier.session_token", "atelier.convex_token"]));
    expect(await store.find("users", { id: ada.id })).toEqual([]);
    for (const table of ["sessions", "accounts", "twoFactors"]) await expect.poll(() => store.find(table, { userId: ada.id })).toEqual([]);
  });

  test("with a token in the body clears the cookies too, and consumes the token", async ({ ada, bob, store }) => {
    await verification(store, `delete-account-${ada.id}`, ada.id);
    expect((await bob.program.post("/delete-user", { token: ada.id })).status).toBe(404);
    await ada.program.post("/delete-user", { token: ada.id });
    expect([...ada.program.cookies.keys()].filter((name) => /session/.test(name))).toEqual([]);
    expect(await store.find("users", { id: ada.id })).toEqual([]);
    expect(await store.find("verifications", { identifier: `delete-account-${ada.id}` })).toEqual([]);
  });

  test("with a stale session needs the password", async ({ ada, store }) => {
    await store.change("sessions", { userId: ada.id }, { createdAt: Date.now() - DAY - 1000 });
    expect((await ada.program.post("/delete-user")).status).toBe(400);
    expect((await ada.program.post("/delete-user", { password: "not this one" })).status).toBe(400);
    expect((await ada.program.post("/delete-user", { password: ada.password })).status).toBe(200);
  });

  test("with an expired token deletes nothing", async ({ ada, store }) => {
    await verification(store, `delete-account-${ada.id}`, ada.id, -1000);
    expect((await ada.program.post("/delete-user", { token: ada.id })).status).toBe(404);
    expect(await ada.program.signedIn()).toBe(true);
  });
});

test.describe("4. Email change", () => {
  test("of an unverified user is done at once", async ({ ada, freshEmail }) => {
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
    test(`a new password of ${length} characters is ${status === 200 ? "taken" : "refused"}, wherever it is set`, async ({
      ada,
      bob,
      nobody,
      store,
      freshEmail,
    }) => {
      const password = "Zq7-".repeat(33).slice(0, length);
      expect((await nobody.post("/sign-up/email", { name: "A", email: freshEmail, password })).status).toBe(status);
      await verification(store, `reset-password:${bob.id}`, bob.id);
      const other = await again(ada);
      expect((await other.post("/change-password", { currentPassword: ada.password, newPassword: password })).status).toBe(status);
      expect((await nobody.post("/reset-password", { newPassword: password, token: bob.id })).status).toBe(status);
    });
  }

  test("change-password needs currentPassword and newPassword; revokeOtherSessions is an optional boolean", async ({ ada }) => {
    const attempt = async (body: object) => (await ada.program.post("/change-password", body)).status;
    const [currentPassword, newPassword] = [ada.password, "a new password"];
    expect(await attempt({ newPassword })).toBe(400);
    expect(await attempt({ currentPassword })).toBe(400);
    expect(await attempt({ currentPassword, newPassword, revokeOtherSessions: "yes" })).toBe(400);
    expect(await attempt({ currentPassword, newPassword })).toBe(200);
  });

  test("change-password ends other sessions where that is asked for, and only there", async ({ ada }) => {
    const other = await again(ada);
    await ada.program.post("/change-password", { currentPassword: ada.password, newPassword: "a new password" });
    expect(await other.signedIn()).toBe(true);
    await ada.program.post("/change-password", {
      currentPassword: "a new password",
      newPassword: "a newer password",
      revokeOtherSessions: true,
    });
    expect([await other.signedIn(), await ada.program.signedIn()]).toEqual([false, true]);
  });

  test("a new email must be valid, and is lowercased", async ({ ada, freshEmail }) => {
    expect((await ada.program.post("/change-email", { newEmail: "nobody" })).status).toBe(400);
    await ada.program.post("/change-email", { newEmail: freshEmail.toUpperCase() });
    expect((await ada.program.get("/get-session")).body).toMatchObject({ user: { email: freshEmail } });
  });

  test("an account's address is taken whatever its letters' case", async ({ nobody, ada }) => {
    expect((await nobody.post("/sign-in/email", { email: ada.email.toUpperCase(), password: ada.password })).status).toBe(200);
  });

  test("an untrusted provider's login with an unverified email is not linked", async ({ ada, social }) => {
    const token = await social.idToken(social.identity({ email: ada.email, email_verified: false }));
    expect((await ada.program.post("/link-social", { provider: "google", idToken: { token } })).status).toBe(401);
  });

  test("unlinking the last account is refused, whichever it is", async ({ nobody, social }) => {
    await through(nobody, social, social.identity());
    expect((await nobody.post("/unlink-account", { providerId: "google" })).status).toBe(400);
    expect((await nobody.get("/list-accounts")).body).toHaveLength(1);
  });
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
    test(`${method} ${path} needs a session`, async ({ nobody }) => {
      expect((await nobody.send(method, path, body)).status).toBe(401);
    });
  }

  test("unlink-account refuses a stale session, as the endpoint did that it replaces", async ({ ada, social, store }) => {
    await through(ada.program, social, social.identity({ email: ada.email }), { path: "/link-social" });
    await store.change("sessions", { userId: ada.id }, { createdAt: Date.now() - DAY - 1000 });
    const answer = await ada.program.post("/unlink-account", { providerId: "google" });
    expect([answer.status, text(answer, "message")]).toEqual([403, "Session is not fresh"]);
    expect((await ada.program.get("/list-accounts")).body).toHaveLength(2);
  });

  test("tokens over HTTP are for the session's user alone, whatever userId says", async ({ nobody, ada, app, social }) => {
    const [grace, who] = [new Program(app), social.identity()];
    await through(grace, social, who);
    const userId = text(await grace.get("/get-session"), "user", "id");
    const asked = { providerId: "google", userId };
    for (const path of ["/get-access-token", "/refresh-token"]) {
      expect((await nobody.post(path, asked)).status).toBe(401);
      expect((await ada.program.post(path, asked)).body).toMatchObject({ message: "Account not found" });
      expect((await ada.program.post(path, { ...asked, accountId: who.sub })).body).toMatchObject({ message: "Account not found" });
      expect((await grace.post(path, { ...asked, userId: ada.id })).body).toMatchObject({ accessToken: expect.any(String) });
    }
    expect((await ada.program.post("/account-info", { accountId: who.sub })).status).toBe(400);
  });

  test("an ended session gets no token and changes nothing", async ({ ada, store }) => {
    await store.change("sessions", { userId: ada.id }, { expiresAt: Date.now() - 1000 });
    expect((await ada.program.get("/list-accounts")).status).toBe(401);
    expect((await ada.program.post("/change-password", { currentPassword: ada.password, newPassword: "a new password" })).status).toBe(401);
  });
});

test.describe("7. One-time tokens in a page's address", () => {
  const visit = (program: Program, path: string) => program.get(program.app.url + path);

  test("load the session, once, and are removed", async ({ ada, nobody, app }) => {
    const token = text(await ada.program.get("/one-time-token/generate"), "token");
    const answer = await visit(nobody, `/projects?tab=1&ott=${token}&ott=again`);
    expect([answer.status, answer.location]).toEqual([302, `${app.url}/projects?tab=1`]);
    expect((await nobody.get("/get-session")).body).toMatchObject({ user: { id: ada.id } });
    expect((await visit(nobody, "/projects")).status).toBe(200);

    const second = new Program(app);
    expect((await visit(second, `/projects?ott=${token}`)).location).toBe(`${app.url}/projects`);
    expect(await second.signedIn()).toBe(false);
  });

  test("are kept as a hash", async ({ ada, store }) => {
    const token = text(await ada.program.get("/one-time-token/generate"), "token");
    expect(await store.find("verifications", { identifier: `one-time-token:${token}` })).toEqual([]);
  });

  test("are removed when they are nothing, or nothing any more", async ({ nobody, app }) => {
    expect((await visit(nobody, "/sign-in?ott=nonsense")).location).toBe(`${app.url}/sign-in`);
    expect(await nobody.signedIn()).toBe(false);
  });

  test("put nobody who is signed in into another's account", async ({ ada, bob, app }) => {
    const token = text(await bob.program.get("/one-time-token/generate"), "token");
    expect((await visit(ada.program, `/projects?ott=${token}`)).location).toBe(`${app.url}/projects`);
    expect((await ada.program.get("/get-session")).body).toMatchObject({ user: { id: ada.id } });
  });

  test("lead nowhere else, whatever the path looks like", async ({ nobody, app }) => {
    for (const path of ["//evil.example/?ott=1", "/\\evil.example?ott=1", "///evil.example?ott=1"]) {
      const location = (await visit(nobody, path)).location;
      if (location !== null) expect(new URL(location, app.url).origin).toBe(app.url);
    }
  });

  test("work where a script asks for a page's data", async ({ ada, nobody }) => {
    const token = text(await ada.program.get("/one-time-token/generate"), "token");
    const answer = await visit(nobody, `/projects.data?ott=${token}`);
    expect(answer.headers.getSetCookie().join()).toContain("session_token=");
  });
});
