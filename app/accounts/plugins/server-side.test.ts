import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AppConfig } from "~/config";
import { testConfig } from "~/http/testing";
import { startTestDeployment, type TestDeployment } from "../../../tests/convex/deployment.ts";
import { type Auth, authFor } from "../auth.server";

/** What only the server may do: it cannot be seen over HTTP (`tests/api`). */

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

describe("a session that the deployment does not write", () => {
  let between: Server;
  let lost: { name: string; model: string };
  let failing: Auth;
  beforeAll(async () => {
    // Between the app's server and the deployment: what is lost is answered as if nothing had been there to write.
    between = createServer((request, response) => {
      void (async () => {
        let body = "";
        for await (const chunk of request) body += String(chunk);
        const [asked] = body.startsWith("{") ? [JSON.parse(body)] : [];
        if (asked?.path?.endsWith(`store:${lost.name}`) && JSON.stringify(asked.args).includes(`"model":"${lost.model}"`)) {
          response.setHeader("Content-Type", "application/json").end(JSON.stringify({ status: "success", value: null, logLines: [] }));
          return;
        }
        const headers = new Headers({ "Content-Type": "application/json", "Convex-Client": String(request.headers["convex-client"]) });
        if (request.headers.authorization) headers.set("Authorization", request.headers.authorization);
        const answer = await fetch(deployment.url + request.url, { method: request.method ?? "POST", headers, body });
        response.writeHead(answer.status, { "Content-Type": "application/json" }).end(await answer.text());
      })();
    });
    await new Promise<void>((resolve) => between.listen(0, "127.0.0.1", resolve));
    const address = between.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    failing = authFor({ ...config, convexUrl: `http://127.0.0.1:${port}` }, new Request(ORIGIN));
  });
  afterAll(() => between.close());

  const ask = async (path: string, { body, cookie }: { body?: object; cookie?: string } = {}) => {
    const headers = new Headers({ Origin: ORIGIN, "Content-Type": "application/json", ...(cookie && { Cookie: cookie }) });
    const init = body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers };
    const answer = await failing.handler(new Request(`${ORIGIN}/api/auth${path}`, init));
    return { status: answer.status, body: await answer.json() };
  };

  it("is told as 'Failed to create session' at a sign-in and a sign-up", async () => {
    const email = `ada${people++}@example.com`;
    const body = { email, password: "correct horse battery" };
    await auth.api.signUpEmail({ body: { ...body, name: "Ada" } });
    lost = { name: "create", model: "sessions" };
    const refused = { body: { code: "FAILED_TO_CREATE_SESSION", message: "Failed to create session" } };
    expect(await ask("/sign-in/email", { body })).toMatchObject({ status: 401, ...refused });
    const other = { ...body, email: `new${email}`, name: "Ada" };
    expect(await ask("/sign-up/email", { body: other })).toMatchObject({ status: 400, ...refused });
  });

  it("is told as 'Failed to get session' where a session is looked at that is gone meanwhile", async () => {
    const { id, headers } = await signUp();
    const { adapter } = await auth.$context;
    // So old that looking at it prolongs it.
    const where = [{ field: "userId", value: id }];
    await adapter.updateMany({ model: "session", where, update: { expiresAt: new Date(Date.now() + 86_400_000) } });
    lost = { name: "update", model: "sessions" };
    expect(await ask("/get-session", { cookie: headers.get("Cookie") ?? "" })).toMatchObject({
      status: 401,
      body: { code: "FAILED_TO_GET_SESSION", message: "Failed to get session" },
    });
  });
});
