import { RouterContextProvider } from "react-router";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { AppConfig } from "~/config";
import { clientAddressContext, configContext } from "~/lib/http/context";
import { testConfig } from "~/lib/http/testing";
import { probe } from "../../../../tests/convex/backends.ts";
import { startTestDeployment, type TestDeployment } from "../../../../tests/convex/deployment.ts";
import { embeddedOn } from "../../../../tests/convex/embedded.ts";
import { nextTotp, totp } from "../../../../tests/e2e/support/totp.ts";
import { administration } from "./administration.server";
import { passToAuth } from "./auth-request.server";
import { createFailureLimit, FAILURES_PER_HOUR } from "./failure-limit.server";
import { failuresRecorded } from "./record-failure.server";

const ORIGIN = "http://localhost:3000";
const ADDRESS = "203.0.113.77";
const NETWORK = "203.0.113.0/24";
const password = "correct horse battery";

let deployment: TestDeployment;
let config: AppConfig;
let people = 0;

beforeAll(async () => {
  deployment = await startTestDeployment();
  config = {
    ...testConfig,
    origins: [],
    strictTransportSecurity: {},
    publicUrl: ORIGIN,
    convexUrl: deployment.url,
    signingKey: deployment.signingKey,
    smtpUrl: "smtp://127.0.0.1:9",
    accounts: { ...testConfig.accounts, rateLimit: false },
  };
});
afterAll(() => deployment.close());

async function send(method: "GET" | "POST", path: string, { body = {}, cookie = "" }: { body?: object; cookie?: string | undefined } = {}) {
  const context = new RouterContextProvider();
  context.set(configContext, config);
  context.set(clientAddressContext, ADDRESS);
  const headers = { Origin: ORIGIN, "Content-Type": "application/json", ...(cookie && { Cookie: cookie }) };
  const sent = { method, headers, ...(method === "POST" && { body: JSON.stringify(body) }) };
  const answer = await passToAuth({ request: new Request(`${ORIGIN}/api/auth${path}`, sent), context });
  const text = await answer.text();
  const cookies = answer.headers.getSetCookie().map((line) => line.split(";", 1)[0]);
  const json: unknown = text.startsWith("{") ? JSON.parse(text) : null;
  return { status: answer.status, json, cookie: cookies.join("; ") };
}
const post = (path: string, body: object, cookie?: string) => send("POST", path, { body, cookie });

const signedUp = z.object({ user: z.object({ id: z.string() }) });

async function signUp() {
  const email = `ada${people++}@example.com`;
  const { cookie, json } = await post("/sign-up/email", { name: "Ada", email, password });
  return { email, cookie, userId: signedUp.parse(json).user.id };
}

async function eventsOf(userId: string | undefined) {
  await failuresRecorded(config);
  const rows = await embeddedOn(deployment).inside.query(probe.rows, { table: "auditEvents" });
  return rows.filter((row) => row["userId"] === userId);
}

async function written(userId: string, step: () => Promise<unknown>) {
  const before = (await eventsOf(userId)).length;
  await step();
  return (await eventsOf(userId)).slice(before);
}

const shown = (rows: Record<string, unknown>[]) =>
  rows.map(({ action, details }) => (details === undefined ? [action] : [action, details]));

describe("requests to Better Auth", () => {
  it("record sign-up, sign-in, wrong passwords, changes, and sign-out", { tags: "@records-events-of-better-auth" }, async () => {
    const { email, cookie, userId } = await signUp();
    expect(shown(await eventsOf(userId))).toEqual([
      ["account.created", { method: "signUp" }],
      ["signIn.succeeded", { method: "signUp" }],
    ]);
    let session = cookie;
    const step = async (run: () => Promise<unknown>) => shown(await written(userId, run));

    const failure = { method: "password", reason: "INVALID_EMAIL_OR_PASSWORD" };
    expect(await step(() => post("/sign-in/email", { email, password: "wrong" }))).toEqual([["signIn.failed", failure]]);
    expect(await step(() => post("/sign-in/email", { email, password }))).toEqual([["signIn.succeeded", { method: "password" }]]);
    const change = { currentPassword: "wrong", newPassword: "another fine password" };
    expect(await step(() => post("/change-password", change, session))).toEqual([["password.rejected"]]);
    const changed = { currentPassword: password, newPassword: "another fine password", revokeOtherSessions: true };
    expect(await step(async () => (session = (await post("/change-password", changed, session)).cookie))).toEqual([
      ["password.changed", { isReset: false }],
      ["session.revoked", { count: 1 }],
    ]);
    expect(await step(() => post("/request-password-reset", { email, redirectTo: "/reset-password" }))).toEqual([
      ["password.resetRequested"],
    ]);
    expect(await step(() => post("/change-email", { newEmail: `new${email}` }, session))).toEqual([["email.changed"]]);
    expect(await step(() => post("/update-user", { name: "Another" }, session))).toEqual([]);
    expect(await step(() => post("/sign-out", {}, session))).toEqual([["session.ended"]]);
    expect(await step(() => post("/sign-out", {}, session))).toEqual([]);
    const all = await eventsOf(userId);
    expect(new Set(all.map(({ address }) => address))).toEqual(new Set([NETWORK]));
    expect(JSON.stringify(all)).not.toMatch(/@example|horse|fine/);
  });

  it("record two factors, trusted devices and sessions exactly once", { tags: "@records-events-of-second-factor" }, async () => {
    const { email, cookie, userId } = await signUp();
    let session = cookie;
    const step = async (run: () => Promise<unknown>) => shown(await written(userId, run));

    const enabled = await post("/two-factor/enable", { password }, session);
    const { totpURI } = z.object({ totpURI: z.string() }).parse(enabled.json);
    const secret = new URL(totpURI).searchParams.get("secret") ?? "";
    const confirm = async () => (session = (await post("/two-factor/verify-totp", { code: nextTotp(secret) }, session)).cookie);
    expect(await step(confirm)).toEqual([["twoFactor.enabled"]]);
    expect(await step(() => post("/two-factor/generate-backup-codes", { password }, session))).toEqual([["backupCodes.created"]]);

    let challenge = "";
    const begin = async (trusted = "") =>
      (challenge = (await send("POST", "/sign-in/email", { body: { email, password }, cookie: trusted })).cookie);
    expect(await step(begin)).toEqual([["signIn.challenged", { method: "password" }]]);
    const wrong = { method: "authenticator", reason: "INVALID_CODE" };
    expect(await step(() => post("/two-factor/verify-totp", { code: "0" }, challenge))).toEqual([["signIn.failed", wrong]]);
    let trusted = "";
    const finish = async () =>
      (trusted = (await post("/two-factor/verify-totp", { code: totp(secret), trustDevice: true }, challenge)).cookie);
    const finished = await step(finish);
    expect(finished).toHaveLength(2);
    expect(finished).toEqual(expect.arrayContaining([["device.trusted"], ["signIn.succeeded", { method: "authenticator" }]]));
    const device = trusted
      .split("; ")
      .filter((each) => each.includes("trust_device"))
      .join("; ");
    expect(await step(() => begin(device))).toEqual([
      ["signIn.challenged", { method: "password" }],
      ["signIn.succeeded", { method: "trustedDevice" }],
    ]);
    const disable = async () => (session = (await post("/two-factor/disable", { password }, session)).cookie);
    expect(await step(disable)).toEqual([["twoFactor.disabled"]]);
    expect(await step(() => post("/delete-user", { password: "wrong" }, session))).toEqual([["password.rejected"]]);
  });

  it("record a failed sign-in with an unknown address without a user", async () => {
    const before = (await eventsOf(undefined)).length;
    await post("/sign-in/email", { email: "nobody@example.com", password });
    const [event, ...more] = (await eventsOf(undefined)).slice(before);
    expect(more).toEqual([]);
    expect(event).toMatchObject({ action: "signIn.failed", actor: "visitor", address: NETWORK });
    expect(JSON.stringify(event)).not.toContain("nobody");
  });

  it("record a used sign-in link as failed, and what the operator does", async () => {
    const { email, userId } = await signUp();
    const operator = await administration(config);
    const printed = await written(userId, () => operator.signIn(email, true));
    expect(printed).toMatchObject([{ action: "signInLink.created", actor: "operator" }]);
    expect(await written(userId, () => operator.reset(email))).toMatchObject([{ action: "password.resetRequested", actor: "operator" }]);
    const before = (await eventsOf(undefined)).length;
    await send("GET", "/magic-link/verify?token=unknown&callbackURL=%2Fprojects&errorCallbackURL=%2Fsign-in");
    expect(shown((await eventsOf(undefined)).slice(before))).toEqual([["signIn.failed", { method: "link", reason: "INVALID_TOKEN" }]]);

    const { inside } = embeddedOn(deployment);
    await operator.delete(email);
    const deletions = (await inside.query(probe.rows, { table: "auditEvents", field: "action", value: "account.deleted" })).at(-1);
    expect(deletions).toMatchObject({ actor: "operator" });
  });
});

describe("createFailureLimit", () => {
  it("records few failures of one network and marks the last", { tags: "@limits-recorded-failures" }, async () => {
    const limit = createFailureLimit();
    const outcomes = [];
    for (let each = 0; each < FAILURES_PER_HOUR.network + 5; each++) outcomes.push(await limit({ network: "a", userId: undefined }));
    expect(outcomes.filter(({ isRecorded }) => isRecorded)).toHaveLength(FAILURES_PER_HOUR.network);
    expect(outcomes.filter(({ isLast }) => isLast)).toHaveLength(1);
    expect(await limit({ network: "b", userId: "ada" })).toEqual({ isRecorded: true, isLast: false });
  });

  it("limits the failures of one account from many networks, and all together", async () => {
    const limit = createFailureLimit({ network: 10, account: 3, total: 5 });
    const record = async (network: string, userId?: string) => (await limit({ network, userId })).isRecorded;
    expect(await Promise.all(["a", "b", "c", "d"].map((network) => record(network, "ada")))).toEqual([true, true, true, false]);
    expect([await record("e"), await record("f"), await record("g")]).toEqual([true, true, false]);
  });
});
