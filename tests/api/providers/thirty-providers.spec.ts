import { expect } from "@playwright/test";
import { providerIds } from "../../../server/config/providers.ts";
import { type RunningApp, startApp } from "../../harness/app.ts";
import { accountIdOf, type Person, type ProviderId, shapes } from "../../harness/providers/shapes.ts";
import { clientIdOf, KEY_ADDRESSES, LINE_VERIFY, type FakeProviders, startFakeProviders } from "../../harness/providers/fake-providers.ts";
import { type Store, storeOf } from "../../harness/store.ts";
import { member, Program, text } from "../support/program.ts";
import { test } from "../support/test.ts";

/** Complete sign-ins with the providers' documented responses (specification 3 to 8). `npm run test:providers` tests all thirty. */

const CHARACTERISTIC: ProviderId[] = ["apple", "facebook", "github", "google", "reddit", "tiktok", "twitter", "vk"];
const tested = process.env["TEST_PROVIDERS"] === "all" ? providerIds : CHARACTERISTIC;

const UNVERIFIED = providerIds.filter((id) => shapes[id].address === "unverified" || shapes[id].address === "none");

let fakeProviders: FakeProviders;
let app: RunningApp;
let store: Store;
test.beforeAll(async () => {
  fakeProviders = await startFakeProviders();
  app = await startApp({
    ...fakeProviders.settings,
    ACCOUNTS_TRUSTED_PROVIDERS: UNVERIFIED.join(","),
    ACCOUNTS_LINK_DIFFERENT_EMAILS: "true",
  });
  store = await storeOf(app);
});
test.afterAll(async () => {
  await app.dispose();
  await fakeProviders.close();
});

const TARGETS = { callbackURL: "/projects", newUserCallbackURL: "/account", errorCallbackURL: "/sign-in" };

type Options = { path?: "/sign-in/social" | "/link-social"; refuses?: boolean; on?: Program };

async function through(id: ProviderId, person: Person, { path = "/sign-in/social", refuses = false, on = new Program(app) }: Options = {}) {
  const { newUserCallbackURL, ...others } = TARGETS;
  const start = await on.post(path, { provider: id, ...others, ...(path === "/sign-in/social" && { newUserCallbackURL }) });
  const { url, form } = fakeProviders.authorize(id, text(start, "url"), person, { refuses });
  if (form === null) return (await on.get(url)).location;
  // The provider's page posts the form. The request is cross-site, so it has none of our cookies.
  const posted = await fetch(url, {
    method: "POST",
    body: form,
    redirect: "manual",
    headers: { Origin: new URL(shapes[id].authorization).origin },
  });
  return (await on.get(posted.headers.get("Location") ?? "")).location;
}

const accountsOf = async (program: Program) => {
  const { body } = await program.get("/list-accounts");
  return (Array.isArray(body) ? body : [])
    .map(({ providerId, accountId }) => ({ providerId, accountId }))
    .toSorted((a, b) => (a.providerId < b.providerId ? -1 : 1));
};

const session = async (program: Program) => (await program.get("/get-session")).body;

async function expectPicture(program: Program, { picture }: Person) {
  if (picture === null) return expect(await session(program)).toMatchObject({ user: { image: null } });
  await expect.poll(async () => Object(await session(program)).user?.image, { intervals: [20] }).toMatch(/^\/people\/\w+\/picture\?v=/);
  expect(fakeProviders.requestCount(picture)).toBe(1);
}

async function expectRefresh(id: ProviderId, program: Program, person: Person) {
  const { refreshToken, expiresIn } = shapes[id];
  const before = await program.post("/get-access-token", { providerId: id });
  expect(before.body).toMatchObject({ accessToken: expect.stringMatching(/^access-/) });
  const answer = await program.post("/refresh-token", { providerId: id });
  if (refreshToken === "none") return expect([answer.status, text(answer, "code")]).toEqual([400, "REFRESH_TOKEN_NOT_FOUND"]);
  expect([answer.status, answer.body]).toEqual([
    200,
    expect.objectContaining({ accountId: accountIdOf(id, person), refreshToken: expect.stringMatching(/^refresh-/) }),
  ]);
  expect(text(answer, "accessToken")).not.toBe(text(before, "accessToken"));
  if (expiresIn !== null) {
    const seconds = (Date.parse(text(answer, "accessTokenExpiresAt")) - Date.now()) / 1000;
    expect(Math.abs(seconds - Number(expiresIn))).toBeLessThan(60);
  }
  expect((await program.post("/get-access-token", { providerId: id })).body).toMatchObject({ accessToken: text(answer, "accessToken") });
  expect((await program.post("/refresh-token", { providerId: id })).status).toBe(200);
}

for (const id of tested) {
  const shape = shapes[id];
  const hasAddress = shape.address !== "none";
  const isVerified = shape.address === "flag" || shape.address === "always";

  test.describe(id, () => {
    if (hasAddress)
      test(
        `${id}: signs up with the documented profile, signs in again and refreshes`,
        { tag: "@signs-up-documented-profile-signs-again" },
        async () => {
          const person = fakeProviders.newPerson(id);
          const program = new Program(app);
          expect(await through(id, person, { on: program })).toBe("/account");
          const name = shape.storedName?.(person) ?? person.name;
          const before = await session(program);
          expect(before).toMatchObject({ user: { name, email: person.email, emailVerified: isVerified } });
          const [row, ...others] = await store.find("accounts", { providerId: id, accountId: accountIdOf(id, person) });
          expect([row?.["userId"], others]).toEqual([Object(before).user.id, []]);
          await expectPicture(program, person);

          const again = new Program(app);
          expect(await through(id, person, { on: again })).toBe("/projects");
          expect(await session(again)).toMatchObject({ user: { id: Object(before).user.id, name } });
          await expectRefresh(id, again, person);
          const info = await again.post("/account-info", { providerId: id, accountId: accountIdOf(id, person) });
          expect(info.body).toMatchObject({ user: { email: person.email, emailVerified: isVerified }, data: expect.anything() });
          expect((await again.post("/unlink-account", { providerId: id })).status).toBe(400);
        },
      );

    test(`${id}: is linked by a signed-in user, signs in and is unlinked`, async () => {
      const user = await member(app);
      const person = fakeProviders.newPerson(id, hasAddress ? { email: user.email } : {});
      expect(await through(id, person, { path: "/link-social", on: user.program })).toBe("/projects");
      const linked = { providerId: id, accountId: accountIdOf(id, person) };
      expect(await accountsOf(user.program)).toEqual(
        [linked, { providerId: "credential", accountId: user.id }].toSorted((a, b) => (a.providerId < b.providerId ? -1 : 1)),
      );
      const other = new Program(app);
      expect(await through(id, person, { on: other })).toBe("/projects");
      expect(await session(other)).toMatchObject({ user: { id: user.id, name: user.name } });
      if (!hasAddress) {
        await expectPicture(other, { ...person, picture: null });
        await expectRefresh(id, other, person);
      }
      expect((await user.program.post("/unlink-account", { providerId: id })).body).toEqual({ status: true });
      expect(await accountsOf(user.program)).toEqual([{ providerId: "credential", accountId: user.id }]);
    });

    test(`${id}: ends a sign-up without an address with email_not_found`, { tag: "@ends-sign-up-without-address-email" }, async () => {
      const person = fakeProviders.newPerson(id, { email: null });
      const program = new Program(app);
      expect(await through(id, person, { on: program })).toBe("/sign-in?error=email_not_found");
      expect(await program.signedIn()).toBe(false);
      expect(await store.find("accounts", { providerId: id, accountId: accountIdOf(id, person) })).toEqual([]);
    });

    test(`${id}: shows the provider's own code after a refusal`, async () => {
      const program = new Program(app);
      const location = new URL((await through(id, fakeProviders.newPerson(id), { refuses: true, on: program })) ?? "", app.url);
      expect([location.pathname, location.searchParams.get("error")]).toEqual(["/sign-in", shape.refusal["error"]]);
      expect(await program.signedIn()).toBe(false);
    });

    test(`${id}: follows no redirect of the token address`, { tag: "@follows-no-redirect-token-address" }, async () => {
      const followed = fakeProviders.followed();
      fakeProviders.redirected.add(shape.token);
      expect(await through(id, fakeProviders.newPerson(id))).toBe("/sign-in?error=invalid_code");
      fakeProviders.redirected.delete(shape.token);
      expect(fakeProviders.followed()).toBe(followed);
    });

    const profileAddress = Object.keys(shape.profile)[0]?.split(" ")[1];
    if (profileAddress !== undefined)
      test(
        `${id}: ends with unable_to_get_user_info when the profile cannot be fetched`,
        { tag: "@ends-unable-get-user-info-when" },
        async () => {
          fakeProviders.broken.add(profileAddress);
          expect(await through(id, fakeProviders.newPerson(id))).toBe("/sign-in?error=unable_to_get_user_info");
          fakeProviders.broken.delete(profileAddress);
        },
      );

    if (shape.address === "flag")
      for (const verified of [false, "false"] as const)
        test(
          `${id}: stores an address as unverified for the ${typeof verified} ${verified}`,
          { tag: "@stores-address-unverified" },
          async () => {
            const person = fakeProviders.newPerson(id, { verified });
            const program = new Program(app);
            expect(await through(id, person, { on: program })).toBe("/account");
            expect(await session(program)).toMatchObject({ user: { email: person.email, emailVerified: false } });
            const info = await program.post("/account-info", { providerId: id, accountId: accountIdOf(id, person) });
            expect(info.body).toMatchObject({ user: { emailVerified: false } });
          },
        );
  });
}

const now = () => Math.floor(Date.now() / 1000);
const signInByToken = (id: ProviderId, idToken: Record<string, unknown>, on = new Program(app)) =>
  on.post("/sign-in/social", { provider: id, idToken });

const claimsOf = (id: ProviderId, person: Person) => ({ ...tokenClaims(id, person), iat: now(), exp: now() + 600 });
const tokenClaims = (id: ProviderId, person: Person) =>
  // https://developers.facebook.com/docs/facebook-login/limited-login/token
  id === "facebook"
    ? {
        iss: "https://www.facebook.com",
        aud: clientIdOf(id),
        sub: person.id,
        name: person.name,
        email: person.email ?? undefined,
        picture: person.picture,
      }
    : shapes[id].idToken?.(person, clientIdOf(id));

for (const id of ["apple", "cognito", "facebook", "google", "microsoft"] as const) {
  test.describe(`an ID token of ${id}`, () => {
    test(`${id}: is rejected when a redirect leads to the keys`, { tag: "@rejected-when-redirect-leads-keys" }, async () => {
      const token = await fakeProviders.sign(claimsOf(id, fakeProviders.newPerson(id)));
      const followed = fakeProviders.followed();
      fakeProviders.redirected.add(KEY_ADDRESSES[id]);
      expect((await signInByToken(id, { token })).status).toBe(401);
      fakeProviders.redirected.delete(KEY_ADDRESSES[id]);
      expect(fakeProviders.followed()).toBe(followed);
    });

    test(`${id}: signs in the person with the documented profile`, async () => {
      const person = fakeProviders.newPerson(id);
      const program = new Program(app);
      expect((await signInByToken(id, { token: await fakeProviders.sign(claimsOf(id, person)) }, program)).status).toBe(200);
      const name = id === "apple" ? "" : person.name;
      const emailVerified = id !== "facebook";
      expect(await session(program)).toMatchObject({ user: { name, email: person.email, emailVerified } });
      expect(await accountsOf(program)).toEqual([{ providerId: id, accountId: person.id }]);
    });

    test(
      `${id}: rejects a token with a missing claim, wrong audience, issuer or expiry`,
      { tag: "@rejects-token-missing-claim-wrong-audience" },
      async () => {
        const claims = claimsOf(id, fakeProviders.newPerson(id));
        const status = async (changes: Record<string, unknown>, how?: Parameters<FakeProviders["sign"]>[1]) =>
          (await signInByToken(id, { token: await fakeProviders.sign({ ...claims, ...changes }, how) })).status;
        for (const missing of ["iss", "sub", "aud", "exp", "iat"])
          expect(await status({ [missing]: undefined }), `without ${missing}`).toBe(401);
        expect(await status({ aud: "another app" })).toBe(401);
        expect(await status({ iss: "https://evil.example" })).toBe(401);
        expect(await status({ exp: now() - 60 })).toBe(401);
        expect(await status({}, { kid: "unknown" })).toBe(401);
        expect(await status({}, { alg: "PS256" })).toBe(401);
        expect(await status({}, { alg: "HS256", secret: new TextEncoder().encode("a secret") })).toBe(401);
        const unsigned = [{ alg: "none", kid: "fake" }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
        expect((await signInByToken(id, { token: `${unsigned.join(".")}.` })).status).toBe(401);
        expect(await status({ exp: now() - 10 })).toBe(200);
      },
    );

    test(`${id}: is rejected without an address`, async () => {
      const token = await fakeProviders.sign(claimsOf(id, fakeProviders.newPerson(id, { email: null })));
      const answer = await signInByToken(id, { token });
      expect([answer.status, text(answer, "code")]).toEqual([401, "USER_EMAIL_NOT_FOUND"]);
    });

    test(`${id}: does not verify an address by the text "false"`, async () => {
      const person = fakeProviders.newPerson(id);
      const program = new Program(app);
      const claims = { ...claimsOf(id, person), email_verified: "false", verified_primary_email: undefined };
      expect((await signInByToken(id, { token: await fakeProviders.sign(claims) }, program)).status).toBe(200);
      expect(await session(program)).toMatchObject({ user: { email: person.email, emailVerified: false } });
    });
  });
}

test("an ID token of microsoft names its own tenant as issuer", async () => {
  const claims = claimsOf("microsoft", fakeProviders.newPerson("microsoft"));
  const status = async (changes: Record<string, unknown>) =>
    (await signInByToken("microsoft", { token: await fakeProviders.sign({ ...claims, ...changes }) })).status;
  expect(await status({ tid: "00000000-0000-0000-0000-000000000000" })).toBe(401);
  expect(await status({ tid: undefined })).toBe(401);
});

test("an ID token of line is verified by LINE, without following a redirect", async () => {
  const person = fakeProviders.newPerson("line");
  const secret = new TextEncoder().encode(fakeProviders.settings["LINE_CLIENT_SECRET"]);
  const status = async (changes: Record<string, unknown>, key = secret) =>
    (
      await signInByToken("line", {
        token: await fakeProviders.sign({ ...claimsOf("line", person), ...changes }, { alg: "HS256", secret: key }),
      })
    ).status;
  const followed = fakeProviders.followed();
  fakeProviders.redirected.add(LINE_VERIFY);
  expect(await status({})).toBe(401);
  fakeProviders.redirected.delete(LINE_VERIFY);
  expect(fakeProviders.followed()).toBe(followed);
  expect(await status({ aud: "another channel" })).toBe(401);
  expect(await status({ iss: "https://evil.example" })).toBe(401);
  expect(await status({ exp: now() - 60 })).toBe(401);
  expect(await status({}, new TextEncoder().encode("another secret"))).toBe(401);
  expect(await status({})).toBe(200);
});

test("a Facebook access token signs in only if it was issued to our app", async () => {
  const person = fakeProviders.newPerson("facebook");
  const status = async (token: string) => (await signInByToken("facebook", { token, accessToken: token })).status;
  const debugAddress = "https://graph.facebook.com/debug_token";
  expect(await status("unknown")).toBe(401);
  expect(await status(fakeProviders.issue("facebook", person, "another app"))).toBe(401);
  const followed = fakeProviders.followed();
  fakeProviders.redirected.add(debugAddress);
  expect(await status(fakeProviders.issue("facebook", person))).toBe(401);
  fakeProviders.redirected.delete(debugAddress);
  expect(fakeProviders.followed()).toBe(followed);
  expect(await status(fakeProviders.issue("facebook", person))).toBe(200);
});

for (const id of ["discord", "github"] as const)
  test(`an ID token of ${id} is not supported`, async () => {
    expect((await signInByToken(id, { token: await fakeProviders.sign({ sub: "1" }) })).status).toBe(404);
  });

test.describe("with other settings", () => {
  let other: RunningApp;
  test.beforeAll(async () => {
    const further = {
      MICROSOFT_TENANT_ID: "organizations",
      PAYPAL_ENVIRONMENT: "live",
      SALESFORCE_ENVIRONMENT: "sandbox",
      GOOGLE_HD: "atelier.example",
    };
    other = await startApp({ ...fakeProviders.settings, ...further });
  });
  test.afterAll(() => other.dispose());

  test("uses PayPal live, a Salesforce sandbox and Microsoft organisations", async () => {
    for (const [id, address] of [
      ["paypal", "https://api-m.paypal.com/v1/oauth2/token"],
      ["salesforce", "https://test.salesforce.com/services/oauth2/token"],
      ["microsoft", "https://login.microsoftonline.com/organizations/oauth2/v2.0/token"],
    ] as const) {
      expect(await through(id, fakeProviders.newPerson(id), { on: new Program(other) }), id).toBe("/account");
      expect(fakeProviders.requestCount(address), address).toBe(1);
    }
  });

  test("rejects personal Microsoft accounts and other Google domains where excluded", async () => {
    const status = async (id: ProviderId, changes: Record<string, unknown>) => {
      const claims = { ...claimsOf(id, fakeProviders.newPerson(id)), ...changes };
      return (await signInByToken(id, { token: await fakeProviders.sign(claims) }, new Program(other))).status;
    };
    const personal = "9188040d-6c67-4c5b-b112-36a304b66dad";
    expect(await status("microsoft", { tid: personal, iss: `https://login.microsoftonline.com/${personal}/v2.0` })).toBe(401);
    expect(await status("microsoft", {})).toBe(200);
    expect(await status("google", {})).toBe(401);
    expect(await status("google", { hd: "atelier.example" })).toBe(200);
    expect(await through("google", fakeProviders.newPerson("google"), { on: new Program(other) })).toBe(
      "/sign-in?error=unable_to_get_user_info",
    );
  });

  test("an unverified address of an untrusted provider is not linked", async () => {
    const user = await member(other);
    for (const id of providerIds) {
      const person = fakeProviders.newPerson(id, { email: user.email, verified: false });
      if (shapes[id].address === "always") continue;
      const location = id === "google" ? null : await through(id, person, { path: "/link-social", on: user.program });
      if (location !== null) expect(location, id).toBe("/sign-in?error=unable_to_link_account");
    }
    expect(await accountsOf(user.program)).toEqual([{ providerId: "credential", accountId: user.id }]);
  });
});

test("Apple's page posts its form to the callback, and the browser is signed in", async ({ page }) => {
  const person = fakeProviders.newPerson("apple");
  const start = await page.request.post(`${app.url}/api/auth/sign-in/social`, {
    data: { provider: "apple", ...TARGETS },
    headers: { Origin: app.url },
  });
  const { url, form } = fakeProviders.authorize("apple", (await start.json()).url, person);
  const fields = [...(form ?? [])].map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${value.replaceAll('"', "&quot;")}">`,
  );
  const body = `<form method="post" action="${url}">${fields.join("")}</form><script>document.forms[0].submit()</script>`;
  await page.route("http://appleid.apple.test/**", (route) => route.fulfill({ contentType: "text/html", body }));
  await page.goto("http://appleid.apple.test/auth/authorize");
  await expect(page).toHaveURL(`${app.url}/account`);
  expect(await (await page.request.get(`${app.url}/api/auth/get-session`)).json()).toMatchObject({
    user: { name: "Grace Hopper", email: person.email },
  });
});
