import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import type { AppConfig } from "~/config";
import { testConfig } from "~/lib/http/testing";
import { startTestDeployment, type TestDeployment } from "../../../../../tests/convex/deployment.ts";
import { type Proxy, startProxy } from "../../../../../tests/convex/proxy.ts";
import { runAuthCall } from "../auth-call.server";
import { type Auth, authFor } from "../auth.server";

const ORIGIN = "http://localhost:3000";
const OLD = "correct horse battery";
const NEW = "another fine password";

let deployment: TestDeployment;
let between: Proxy;
let callsLeft = Infinity;
let healthy: Auth;
let killed: Auth;
let people = 0;

beforeAll(async () => {
  deployment = await startTestDeployment();
  between = await startProxy(deployment.url, () => (callsLeft-- > 0 ? "pass" : "cut"));
  const config: AppConfig = {
    ...testConfig,
    origins: [],
    strictTransportSecurity: {},
    convexUrl: deployment.url,
    signingKey: deployment.signingKey,
    smtpUrl: "smtp://127.0.0.1:9",
    accounts: { ...testConfig.accounts, rateLimit: false },
  };
  healthy = authFor(config, new Request(ORIGIN));
  killed = authFor({ ...config, convexUrl: between.url }, new Request(ORIGIN));
});
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterAll(async () => {
  between.close();
  await deployment.close();
});

type Person = { id: string; email: string; cookie: string };

async function signUp(): Promise<Person> {
  const email = `ada${people++}@example.com`;
  const { headers, response } = await healthy.api.signUpEmail({ body: { name: "Ada", email, password: OLD }, returnHeaders: true });
  const { internalAdapter, adapter } = await healthy.$context;
  const { id } = response.user;
  await internalAdapter.createSession(id);
  const key = { userId: id, credentialID: email, publicKey: "x", counter: 0, deviceType: "singleDevice", backedUp: false };
  await adapter.create({ model: "passkey", data: key });
  const cookie = headers
    .getSetCookie()
    .map((line) => line.split(";", 1)[0])
    .join("; ");
  return { id, email, cookie };
}

async function passwordOf({ id }: Person): Promise<"old" | "new" | "none"> {
  const { internalAdapter, password } = await healthy.$context;
  const hash = (await internalAdapter.findCredentialAccount(id))?.password;
  if (!hash) return "none";
  if (await password.verify({ hash, password: NEW })) return "new";
  return (await password.verify({ hash, password: OLD })) ? "old" : "none";
}

async function rowsOf({ id }: Person, proof: string | null) {
  const { internalAdapter, adapter } = await healthy.$context;
  const sessions = (await internalAdapter.listSessions(id)).map(({ token }) => token);
  const passkeys = await adapter.count({ model: "passkey", where: [{ field: "userId", value: id }] });
  const proofs = await adapter.count({ model: "verification", where: [{ field: "identifier", value: proof ?? "" }] });
  return { sessions, passkeys, proofs };
}

async function post(auth: Auth, path: string, body: object, cookie = ""): Promise<number> {
  const headers = new Headers({ Origin: ORIGIN, "Content-Type": "application/json", ...(cookie && { Cookie: cookie }) });
  const request = new Request(`${ORIGIN}/api/auth${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  return runAuthCall(() => auth.handler(request)).then(
    ({ result }) => result.status,
    () => 500,
  );
}

const byLink = async ({ id }: Person) => {
  const { internalAdapter } = await healthy.$context;
  const token = `token${people++}`;
  const proof = `reset-password:${token}`;
  await internalAdapter.createVerificationValue({ identifier: proof, value: id, expiresAt: new Date(Date.now() + 60_000) });
  return { proof, path: "/reset-password", body: { token, newPassword: NEW } };
};
const byCode = async ({ email }: Person) => {
  const otp = await healthy.api.createVerificationOTP({ body: { email, type: "forget-password" } });
  return { proof: `forget-password-otp-${email}`, path: "/email-otp/reset-password", body: { email, otp, password: NEW } };
};
const byOldPassword = async () => ({
  proof: null,
  path: "/change-password",
  body: { currentPassword: OLD, newPassword: NEW, revokeOtherSessions: true },
});

it.each([
  ["a reset by link", byLink],
  ["a reset by code", byCode],
  ["a change of password", byOldPassword],
])(
  "keeps proof, sessions and password together when the app is killed during %s",
  { tags: ["@keeps-proof-sessions-password-together-when", "slow"] },
  async (_name, prepare) => {
    let done = false;
    const passwords: string[] = [];
    for (let calls = 0; !done; calls++) {
      const person = await signUp();
      const { proof, path, body } = await prepare(person);
      const before = await rowsOf(person, proof);
      expect([before.sessions.length, before.passkeys, before.proofs]).toEqual([2, 1, proof === null ? 0 : 1]);

      callsLeft = calls;
      done = (await post(killed, path, body, proof === null ? person.cookie : "")) === 200;

      const [password, after] = [await passwordOf(person), await rowsOf(person, proof)];
      passwords.push(password);
      const sessions = after.sessions.filter((token) => !before.sessions.includes(token));
      const changed = { sessions, passkeys: proof === null ? 1 : 0, proofs: 0 };
      expect(after, `killed after ${calls} calls`).toEqual(password === "new" ? changed : before);
    }
    expect(new Set(passwords)).toEqual(new Set(["old", "new"]));
    expect(passwords.length).toBeGreaterThan(3);
  },
);

it("counts a wrong code although the reset is rejected", { tags: "@counts-wrong-code-although-reset-rejected" }, async () => {
  const person = await signUp();
  const { path, body } = await byCode(person);
  for (let guess = 0; guess < 3; guess++) expect(await post(healthy, path, { ...body, otp: "000000x" })).toBe(400);
  expect(await post(healthy, path, { ...body, otp: "000000x" })).toBe(403);
  expect(await post(healthy, path, body)).toBe(400);
  expect(await passwordOf(person)).toBe("old");
});

it(
  "keeps no earlier credentials when the app is killed during a sign-in by code",
  { tags: ["@keeps-no-earlier-credentials-when-app", "slow"] },
  async () => {
    const { internalAdapter } = await healthy.$context;
    let done = false;
    const verified: boolean[] = [];
    for (let calls = 0; !done; calls++) {
      const person = await signUp();
      const otp = await healthy.api.createVerificationOTP({ body: { email: person.email, type: "sign-in" } });
      const planted = await rowsOf(person, null);
      callsLeft = calls;
      done = (await post(killed, "/sign-in/email-otp", { email: person.email, otp })) === 200;

      const isVerified = (await internalAdapter.findUserById(person.id))?.emailVerified === true;
      verified.push(isVerified);
      const { sessions, passkeys } = await rowsOf(person, null);
      const earlier = {
        password: await passwordOf(person),
        passkeys,
        sessions: sessions.filter((token) => planted.sessions.includes(token)),
      };
      const none = { password: "none", passkeys: 0, sessions: [] };
      expect(isVerified ? earlier : none, `killed after ${calls} calls`).toEqual(none);
    }
    expect(new Set(verified)).toEqual(new Set([true, false]));
  },
);

it("stores user and password together when the app is killed during a sign-up", async () => {
  const { adapter } = await healthy.$context;
  let done = false;
  for (let calls = 0; !done; calls++) {
    const email = `new${people++}@example.com`;
    callsLeft = calls;
    done = (await post(killed, "/sign-up/email", { name: "Ada", email, password: OLD })) === 200;
    const user = await adapter.findOne<{ id: string }>({ model: "user", where: [{ field: "email", value: email }] });
    const accounts = user ? await adapter.count({ model: "account", where: [{ field: "userId", value: user.id }] }) : 1;
    expect(accounts, `killed after ${calls} calls`).toBe(1);
    expect(user !== null || !done).toBe(true);
  }
});

it("deletes user and sessions together when the app is killed during a deletion", async () => {
  const { internalAdapter } = await healthy.$context;
  let done = false;
  const remaining: number[] = [];
  for (let calls = 0; !done; calls++) {
    const person = await signUp();
    const token = `delete${people++}`;
    const expiresAt = new Date(Date.now() + 60_000);
    await internalAdapter.createVerificationValue({ identifier: `delete-account-${token}`, value: person.id, expiresAt });
    callsLeft = calls;
    done = (await post(killed, "/delete-user", { token }, person.cookie)) === 200;

    const { sessions } = await rowsOf(person, null);
    const left = [(await internalAdapter.findUserById(person.id)) !== null, await passwordOf(person), sessions.length];
    expect(left, `killed after ${calls} calls`).toEqual(done ? [false, "none", 0] : [true, "old", 2]);
    remaining.push(sessions.length);
  }
  expect(new Set(remaining)).toEqual(new Set([0, 2]));
});
