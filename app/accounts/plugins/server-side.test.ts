import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testConfig } from "~/http/testing";
import { startTestDeployment, type TestDeployment } from "../../../tests/convex/deployment.ts";
import { type Auth, authFor } from "../auth.server";

/** What only the server may do: it cannot be seen over HTTP (`tests/api`). */

const ORIGIN = "http://localhost:3000";

let deployment: TestDeployment;
let auth: Auth;
beforeAll(async () => {
  deployment = await startTestDeployment();
  const accounts = { ...testConfig.accounts, rateLimit: false };
  const google = { clientId: "id", clientSecret: "secret" };
  const config = {
    ...testConfig,
    appUrl: null,
    convexUrl: deployment.url,
    signingKey: deployment.signingKey,
    accounts,
    socialProviders: { google },
  };
  auth = authFor(config, new Request(ORIGIN));
});
afterAll(() => deployment.close());

let people = 0;

/** Somebody new: their id, and the headers of their browser. */
async function signUp() {
  const body = { name: "Ada", email: `ada${people++}@example.com`, password: "correct horse battery" };
  const { headers, response } = await auth.api.signUpEmail({ body, returnHeaders: true });
  const cookie = headers
    .getSetCookie()
    .map((line) => line.split(";", 1)[0])
    .join("; ");
  return { id: response.user.id, headers: new Headers({ Cookie: cookie }) };
}

const refusal = (message: string) => ({ body: expect.objectContaining({ message }), statusCode: 400 });

describe("set-password", () => {
  it("is refused to somebody who has a password, in the specification's words", async () => {
    const { headers } = await signUp();
    await expect(auth.api.setPassword({ headers, body: { newPassword: "another password" } })).rejects.toMatchObject(
      refusal("user already has a password"),
    );
  });

  it("gives a first one to somebody who has none, of the length that all have, and not a common one", async () => {
    const { id, headers } = await signUp();
    const { internalAdapter } = await auth.$context;
    for (const { id: account } of await internalAdapter.findAccounts(id)) await internalAdapter.deleteAccount(account);
    const set = (newPassword: string) => auth.api.setPassword({ headers, body: { newPassword } });
    await expect(set("1234567")).rejects.toMatchObject(refusal("Password too short"));
    await expect(set("x".repeat(129))).rejects.toMatchObject(refusal("Password too long"));
    await expect(set("password1")).rejects.toMatchObject({ body: expect.objectContaining({ code: "PASSWORD_COMMON" }) });
    expect(await set("another password")).toEqual({ status: true });
  });

  it("needs a session", async () => {
    await expect(auth.api.setPassword({ headers: new Headers(), body: { newPassword: "another password" } })).rejects.toMatchObject({
      statusCode: 401,
    });
  });
});

describe("tokens of a provider", () => {
  it("are given to the server for a user that it names", async () => {
    const { id } = await signUp();
    const { internalAdapter } = await auth.$context;
    const tokens = { accessToken: "an access token", scope: "email,profile", accessTokenExpiresAt: new Date(Date.now() + 3_600_000) };
    await internalAdapter.createAccount({ userId: id, providerId: "google", accountId: id, ...tokens });
    expect(await auth.api.getAccessToken({ body: { providerId: "google", userId: id } })).toMatchObject({
      accessToken: "an access token",
      scopes: ["email", "profile"],
    });
  });

  it.each(["getAccessToken", "refreshToken"] as const)("are not given to nobody (%s)", async (endpoint) => {
    await expect(auth.api[endpoint]({ body: { providerId: "google" } })).rejects.toMatchObject(
      refusal("Either userId or session is required"),
    );
  });

  it("of a session are the session's, whoever is named beside it", async () => {
    const [ada, bob] = [await signUp(), await signUp()];
    const { internalAdapter } = await auth.$context;
    await internalAdapter.createAccount({ userId: bob.id, providerId: "google", accountId: bob.id, accessToken: "bob's" });
    const body = { providerId: "google", userId: bob.id };
    await expect(auth.api.getAccessToken({ headers: ada.headers, body })).rejects.toMatchObject(refusal("Account not found"));
    await expect(auth.api.getAccessToken({ headers: new Headers(), body })).rejects.toMatchObject({ statusCode: 401 });
  });
});
