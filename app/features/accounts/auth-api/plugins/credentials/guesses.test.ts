import { RouterContextProvider } from "react-router";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { AppConfig } from "~/config";
import { clientAddressContext, configContext } from "~/lib/http/context";
import { testConfig } from "~/lib/http/testing";
import { startTestDeployment, type TestDeployment } from "../../../../../../tests/convex/deployment.ts";
import { type Call, type Proxy, startProxy } from "../../../../../../tests/convex/proxy.ts";
import { nextTotp } from "../../../../../../tests/e2e/support/totp.ts";
import { passToAuth } from "../../auth-request.server";
import { authFor } from "../../auth.server";

const ORIGIN = "http://localhost:3000";
const password = "correct horse battery";
const GUESSES = 60;

let deployment: TestDeployment;
let proxy: Proxy;
let config: AppConfig;
let calls: Call[] = [];
let people = 0;
let addresses = 0;
const newAddress = () => `198.18.${addresses >> 8}.${addresses++ & 255}`;

beforeAll(async () => {
  deployment = await startTestDeployment();
  proxy = await startProxy(deployment.url, (call) => {
    calls.push(call);
    return "pass";
  });
  config = {
    ...testConfig,
    origins: [],
    strictTransportSecurity: {},
    publicUrl: ORIGIN,
    convexUrl: proxy.url,
    signingKey: deployment.signingKey,
    smtpUrl: "smtp://127.0.0.1:9",
    accounts: { ...testConfig.accounts, rateLimit: true },
  };
});
afterAll(async () => {
  proxy.close();
  await deployment.close();
});

const refusal = z.object({ code: z.string().optional() }).nullable();

async function post(path: string, body: object, { cookie = "", address = newAddress() } = {}) {
  const context = new RouterContextProvider();
  context.set(configContext, config);
  context.set(clientAddressContext, address);
  const headers = { Origin: ORIGIN, "Content-Type": "application/json", ...(cookie && { Cookie: cookie }) };
  const request = new Request(`${ORIGIN}/api/auth${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  const answer = await passToAuth({ request, context });
  const text = await answer.text();
  const cookies = answer.headers.getSetCookie().map((line) => line.split(";", 1)[0]);
  const json: unknown = text.startsWith("{") ? JSON.parse(text) : null;
  return { status: answer.status, json, code: refusal.safeParse(json).data?.code, cookie: cookies.join("; ") };
}

const atOnce = <Answer>(ask: (index: number) => Promise<Answer>) => Promise.all(Array.from({ length: GUESSES }, (_, index) => ask(index)));

async function signUp() {
  const email = `ada${people++}@example.com`;
  const { cookie } = await post("/sign-up/email", { name: "Ada", email, password });
  return { email, cookie };
}

describe(`${GUESSES} concurrent guesses from different addresses`, () => {
  it.each([
    { type: "sign-in", path: "/sign-in/email-otp" },
    { type: "email-verification", path: "/email-otp/verify-email" },
  ] as const)("compares at most three codes at $path", async ({ type, path }) => {
    const { email } = await signUp();
    const otp = await authFor(config, new Request(ORIGIN)).api.createVerificationOTP({ body: { email, type } });
    const identifier = `"${type}-otp-${email}"`;
    calls = [];
    const answers = await atOnce((index) => post(path, { email, otp: `wrong${index}` }));
    expect(answers.filter(({ status }) => status === 200)).toEqual([]);
    const compared = calls.filter((call) => call.path === "accounts/store:create" && JSON.stringify(call.args).includes(identifier));
    expect(compared.length).toBeGreaterThan(0);
    expect(compared.length).toBeLessThanOrEqual(3);
    expect(otp).toMatch(/^\d{6}$/);
  });

  it("rejects the right code at /email-otp/reset-password after too many wrong ones", async () => {
    const { email } = await signUp();
    const otp = await authFor(config, new Request(ORIGIN)).api.createVerificationOTP({ body: { email, type: "forget-password" } });
    const path = "/email-otp/reset-password";
    const answers = await atOnce((index) => post(path, { email, otp: `wrong${index}`, password: "another fine password" }));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400, 403]));
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(1);
    expect((await post(path, { email, otp, password: "another fine password" })).status).toBe(400);
  });

  it.each(["totp", "otp", "backup-code"])("compares at most five second factors at /two-factor/verify-%s", async (kind) => {
    const { email, cookie } = await signUp();
    const enabled = await post("/two-factor/enable", { password }, { cookie });
    const { totpURI } = z.object({ totpURI: z.string() }).parse(enabled.json);
    const secret = new URL(totpURI).searchParams.get("secret") ?? "";
    expect((await post("/two-factor/verify-totp", { code: nextTotp(secret) }, { cookie })).status).toBe(200);
    const challenge = await post("/sign-in/email", { email, password });
    expect(challenge.json).toMatchObject({ twoFactorRedirect: true });
    if (kind === "otp") await post("/two-factor/send-otp", {}, { cookie: challenge.cookie });

    const guess = (index: number) => post(`/two-factor/verify-${kind}`, { code: `w${index}` }, { cookie: challenge.cookie });
    const answers = await atOnce(guess);
    expect(answers.filter(({ status }) => status === 200 || status >= 500)).toEqual([]);
    const compared = answers.filter(({ code }) => code === "INVALID_CODE" || code === "INVALID_BACKUP_CODE");
    expect(compared.length).toBeGreaterThan(0);
    expect(compared.length).toBeLessThanOrEqual(5);
  });

  it.each(["totp", "otp", "backup-code"])(
    "allows ten guesses over twelve sign-ins at /two-factor/verify-%s",
    { tags: ["@compares-most-ten-second-factors", "slow"] },
    async (kind) => {
      const { email, cookie } = await signUp();
      const enabled = await post("/two-factor/enable", { password }, { cookie });
      const { totpURI } = z.object({ totpURI: z.string() }).parse(enabled.json);
      const secret = new URL(totpURI).searchParams.get("secret") ?? "";
      await post("/two-factor/verify-totp", { code: nextTotp(secret) }, { cookie });
      const challenges = await Promise.all(Array.from({ length: 12 }, () => post("/sign-in/email", { email, password })));
      if (kind === "otp") for (const challenge of challenges) await post("/two-factor/send-otp", {}, { cookie: challenge.cookie });

      const answers = await atOnce((index) =>
        post(`/two-factor/verify-${kind}`, { code: `w${index}` }, { cookie: challenges[index % challenges.length]?.cookie }),
      );
      expect(answers.filter(({ status }) => status === 200 || status >= 500)).toEqual([]);
      const compared = answers.filter(({ code }) => code === "INVALID_CODE" || code === "INVALID_BACKUP_CODE");
      expect(compared.length).toBeGreaterThan(0);
      expect(compared.length).toBeLessThanOrEqual(10);
    },
  );

  it("emails one sign-in link to an address", async () => {
    const { email } = await signUp();
    const answers = await atOnce(() => post("/sign-in/magic-link", { email, callbackURL: "/projects" }));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(GUESSES - 1);
  });
});

it("compares only three of many concurrent passwords from one address", async () => {
  const { email } = await signUp();
  const answers = await atOnce((index) => post("/sign-in/email", { email, password: `wrong ${index}` }, { address: "203.0.113.1" }));
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(3);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(GUESSES - 3);
});

it("locks the second factor after ten failures in a row; a success resets the count", { tags: "slow" }, async () => {
  const { email, cookie } = await signUp();
  const enabled = await post("/two-factor/enable", { password }, { cookie });
  const { totpURI, backupCodes } = z.object({ totpURI: z.string(), backupCodes: z.array(z.string()) }).parse(enabled.json);
  const secret = new URL(totpURI).searchParams.get("secret") ?? "";
  await post("/two-factor/verify-totp", { code: nextTotp(secret) }, { cookie });
  const challenge = async () => (await post("/sign-in/email", { email, password })).cookie;
  const fail = async (count: number) => {
    const at = await challenge();
    for (let index = 0; index < count; index++) {
      const answer = await post("/two-factor/verify-totp", { code: `${people++}x` }, { cookie: at });
      expect(answer.code).toBe("INVALID_CODE");
    }
  };
  await fail(5);
  await fail(4);
  expect((await post("/two-factor/verify-backup-code", { code: backupCodes[0] }, { cookie: await challenge() })).status).toBe(200);
  await fail(5);
  await fail(5);
  const locked = await post("/two-factor/verify-backup-code", { code: backupCodes[1] }, { cookie: await challenge() });
  expect([locked.status, locked.code]).toEqual([429, "ACCOUNT_TEMPORARILY_LOCKED"]);
});

it.each([
  { path: "/email-otp/check-verification-otp" },
  { path: "/email-otp/request-email-change" },
  { path: "/email-otp/change-email" },
  { path: "/forget-password/email-otp" },
])("answers 404 for $path", { tags: "@answers-404" }, async ({ path }) => {
  const { email } = await signUp();
  expect((await post(path, { email, type: "sign-in", otp: "000000", newEmail: "new@example.com" })).status).toBe(404);
});
