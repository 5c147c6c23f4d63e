import { runWithEndpointContext } from "@better-auth/core/context";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AppConfig } from "~/config";
import { testConfig } from "~/lib/http/testing";
import { startTestDeployment, type TestDeployment } from "../../../../../tests/convex/deployment.ts";
import { type Proxy, startProxy } from "../../../../../tests/convex/proxy.ts";
import { type Auth, authFor } from "../auth.server";

const ORIGIN = "http://localhost:3000";

let deployment: TestDeployment;
let config: AppConfig;
let auth: Auth;
beforeAll(async () => {
  deployment = await startTestDeployment();
  const accounts = { ...testConfig.accounts, rateLimit: false };
  const google = { clientId: "id", clientSecret: "secret" };
  config = {
    ...testConfig,
    origins: [],
    strictTransportSecurity: {},
    convexUrl: deployment.url,
    signingKey: deployment.signingKey,
    accounts,
    socialProviders: { google },
  };
  auth = authFor(config, new Request(ORIGIN));
});
afterAll(() => deployment.close());

let people = 0;

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
  it(
    "rejects a user who has a password, with the specified text",
    { tags: "@refused-somebody-who-has-password-specifications" },
    async () => {
      const { headers } = await signUp();
      await expect(auth.api.setPassword({ headers, body: { newPassword: "another password" } })).rejects.toMatchObject(
        refusal("user already has a password"),
      );
    },
  );

  it("sets a first password under the rules for length and common passwords", { tags: "@gives-first-somebody-who-has-none" }, async () => {
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

describe("a provider's tokens", () => {
  it("returns tokens of any user to the server", { tags: "@given-server-user-names" }, async () => {
    const { id } = await signUp();
    const { internalAdapter } = await auth.$context;
    const tokens = { accessToken: "an access token", scope: "email,profile", accessTokenExpiresAt: new Date(Date.now() + 3_600_000) };
    await internalAdapter.createAccount({ userId: id, providerId: "google", accountId: id, ...tokens });
    expect(await auth.api.getAccessToken({ body: { providerId: "google", userId: id } })).toMatchObject({
      accessToken: "an access token",
      scopes: ["email", "profile"],
    });
  });

  it.each(["getAccessToken", "refreshToken"] as const)(
    "rejects a call without a user (%s)",
    { tags: "@not-given-nobody" },
    async (endpoint) => {
      await expect(auth.api[endpoint]({ body: { providerId: "google" } })).rejects.toMatchObject(
        refusal("Either userId or session is required"),
      );
    },
  );

  it("belong to the session's user, not to the user in the request", async () => {
    const [ada, bob] = [await signUp(), await signUp()];
    const { internalAdapter } = await auth.$context;
    await internalAdapter.createAccount({ userId: bob.id, providerId: "google", accountId: bob.id, accessToken: "bob's" });
    const body = { providerId: "google", userId: bob.id };
    await expect(auth.api.getAccessToken({ headers: ada.headers, body })).rejects.toMatchObject(refusal("Account not found"));
    await expect(auth.api.getAccessToken({ headers: new Headers(), body })).rejects.toMatchObject({ statusCode: 401 });
  });
});

describe("the hook that removes sign-in methods of an unverified account", () => {
  const verifyAs = async (userId: string) => {
    const context = await auth.$context;
    const endpoint: unknown = { path: "/sign-in/email-otp", context };
    return runWithEndpointContext(endpoint as Parameters<typeof runWithEndpointContext>[0], () =>
      context.internalAdapter.updateUser(userId, { emailVerified: true }),
    );
  };

  it("removes passkeys when the address is verified", async () => {
    const { id: userId } = await signUp();
    const { adapter } = await auth.$context;
    const passkey = { userId, publicKey: "key", credentialID: userId, counter: 0, deviceType: "singleDevice", backedUp: false };
    await adapter.create({ model: "passkey", data: passkey });
    expect(await verifyAs(userId)).toMatchObject({ id: userId, emailVerified: true });
    expect(await adapter.findMany({ model: "passkey", where: [{ field: "userId", value: userId }] })).toEqual([]);
  });

  it("does nothing for a user who was deleted meanwhile", async () => {
    const { id: userId } = await signUp();
    await (await auth.$context).internalAdapter.deleteUser(userId);
    expect(await verifyAs(userId)).toBeNull();
  });
});

it("trusts IP addresses that match a wildcard, but no host names", async () => {
  const patterns = ["http://192.168.*.*", "http://10.*:3000"];
  const context = await authFor({ ...config, trustedOrigins: patterns }, new Request(ORIGIN)).$context;
  const trusted = (origin: string) => context.isTrustedOrigin(origin);
  expect(["http://192.168.1.5", "http://10.0.0.1:3000"].map(trusted)).toEqual([true, true]);
  const others = [
    "http://192.168.attacker.com",
    "http://192.168.1.evil.example",
    "http://10.attacker.com:3000",
    "http://192.168.1.5.evil.example",
  ];
  expect(others.filter(trusted)).toEqual([]);
});

describe("a session that the deployment fails to store", () => {
  let between: Proxy;
  let lost: { name: string; model: string };
  let failing: Auth;
  beforeAll(async () => {
    between = await startProxy(deployment.url, ({ path, args }) =>
      path.endsWith(`store:${lost.name}`) && JSON.stringify(args).includes(`"model":"${lost.model}"`) ? { value: null } : "pass",
    );
    failing = authFor({ ...config, convexUrl: between.url }, new Request(ORIGIN));
  });
  afterAll(() => between.close());

  const ask = async (path: string, { body, cookie }: { body?: object; cookie?: string } = {}) => {
    const headers = new Headers({ Origin: ORIGIN, "Content-Type": "application/json", ...(cookie && { Cookie: cookie }) });
    const init = body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers };
    const answer = await failing.handler(new Request(`${ORIGIN}/api/auth${path}`, init));
    return { status: answer.status, body: await answer.json() };
  };

  it("answers 'Failed to create session' at a sign-in", { tags: "@answers-failed-create-session-sign" }, async () => {
    const email = `ada${people++}@example.com`;
    const body = { email, password: "correct horse battery" };
    await auth.api.signUpEmail({ body: { ...body, name: "Ada" } });
    lost = { name: "create", model: "sessions" };
    const refused = { body: { code: "FAILED_TO_CREATE_SESSION", message: "Failed to create session" } };
    expect(await ask("/sign-in/email", { body })).toMatchObject({ status: 401, ...refused });
  });

  it("throws 'Failed to get session' if the session is deleted meanwhile", { tags: "@told-failed-get-session-where-session" }, async () => {
    const { id, headers } = await signUp();
    const { adapter } = await auth.$context;
    const where = [{ field: "userId", value: id }];
    await adapter.updateMany({ model: "session", where, update: { expiresAt: new Date(Date.now() + 86_400_000) } });
    lost = { name: "update", model: "sessions" };
    expect(await ask("/get-session", { cookie: headers.get("Cookie") ?? "" })).toMatchObject({
      status: 401,
      body: { code: "FAILED_TO_GET_SESSION", message: "Failed to get session" },
    });
  });
});
