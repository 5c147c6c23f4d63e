import { RouterContextProvider } from "react-router";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { AppConfig } from "~/config";
import { clientAddressContext, configContext } from "~/lib/http/context";
import { testConfig } from "~/lib/http/testing";
import { type Mailbox, startMailbox } from "../../../../tests/harness/services/mailbox.ts";
import { startTestDeployment, type TestDeployment } from "../../../../tests/convex/deployment.ts";
import { passToAuth } from "../auth-api/auth-request.server";
import { readOutbox } from "./outbox.server";
import { queueMail } from "./queue.server";
import { smtpTransport } from "./transport.server";
import { type MailWorker, startMailWorker } from "./worker.server";

const ORIGIN = "http://localhost:3000";
const password = "correct horse battery";

let deployment: TestDeployment;
let mailbox: Mailbox;
let config: AppConfig;
let worker: MailWorker;
let people = 0;

beforeAll(async () => {
  deployment = await startTestDeployment();
  mailbox = await startMailbox();
  config = {
    ...testConfig,
    origins: [],
    strictTransportSecurity: {},
    publicUrl: ORIGIN,
    convexUrl: deployment.url,
    signingKey: deployment.signingKey,
    smtpUrl: mailbox.url,
    accounts: { ...testConfig.accounts, rateLimit: false },
  };
  worker = startMailWorker(config, smtpTransport({ smtpUrl: mailbox.url, from: config.mailFrom }));
});
afterAll(async () => {
  await worker.close();
  await mailbox.close();
  await deployment.close();
});
beforeEach(() => mailbox.refuseWith(null));

async function call(path: string, body?: Record<string, unknown>, { settings = config, cookie = "" } = {}) {
  const context = new RouterContextProvider();
  context.set(configContext, settings);
  context.set(clientAddressContext, "192.0.2.1");
  const headers = { Origin: ORIGIN, ...(body && { "Content-Type": "application/json" }), ...(cookie && { Cookie: cookie }) };
  const request = new Request(path.startsWith("http") ? path : `${ORIGIN}/api/auth${path}`, {
    method: body ? "POST" : "GET",
    headers,
    body: body && JSON.stringify(body),
  });
  const response = await passToAuth({ request, context });
  return {
    status: response.status,
    body: await response.text(),
    location: response.headers.get("Location"),
    retryAfter: response.headers.get("Retry-After"),
    cookie: response.headers
      .getSetCookie()
      .map((line) => line.split(";", 1)[0])
      .join("; "),
  };
}

async function signUp(settings = config) {
  const email = `person${people++}@example.com`;
  const { cookie } = await call("/sign-up/email", { name: "Ada <b>Lovelace</b>", email, password }, { settings });
  return { email, cookie };
}

const mails = (email: string, subject: RegExp) => mailbox.for(email).filter((mail) => subject.test(mail.subject));
const mail = (email: string, subject: RegExp) =>
  vi.waitFor(() => mails(email, subject).at(-1) ?? Promise.reject(new Error(`no mail ${subject}`)), 30_000);

describe("a password reset", () => {
  it("works once by an emailed link and ends all sessions", { tags: "@works-once-mailed-link-ends-sessions" }, async () => {
    const { email, cookie } = await signUp();
    expect(await call("/request-password-reset", { email, redirectTo: "/reset-password" })).toMatchObject({
      status: 200,
      body: JSON.stringify({ status: true, message: "If this email exists in our system, check your email for the reset link" }),
    });
    const { link, html } = await mail(email, /new password/);
    expect(html).toContain("Hello Ada &lt;b&gt;Lovelace&lt;/b&gt;,");
    const opened = await call(link);
    expect(opened.location).toMatch(/\/reset-password\?token=[\w-]{24}$/);
    const token = new URL(opened.location ?? "").searchParams.get("token");
    expect(await call("/reset-password", { newPassword: "another horse", token })).toMatchObject({ status: 200 });
    expect(await call("/reset-password", { newPassword: "a third horse", token })).toMatchObject({ status: 401 });
    expect((await call(link)).location).toMatch(/\/reset-password\?error=INVALID_TOKEN$/);
    expect((await call("/get-session", undefined, { cookie })).body).toBe("null");
    expect(await call("/sign-in/email", { email, password: "another horse" })).toMatchObject({ status: 200 });
    expect((await mail(email, /Password changed/)).text).toContain("change your password now");
  });

  it("links to our own page by default", async () => {
    const { email } = await signUp();
    await call("/forget-password", { email });
    expect((await call((await mail(email, /new password/)).link)).location).toMatch(/\/reset-password\?token=/);
  });
});

describe("an address without an account", () => {
  it.each([
    ["/request-password-reset", {}],
    ["/forget-password", {}],
    ["/send-verification-email", {}],
    ["/sign-in/magic-link", { callbackURL: "/projects" }],
    ["/email-otp/send-verification-otp", { type: "sign-in" }],
    ["/email-otp/send-verification-otp", { type: "forget-password" }],
    ["/email-otp/request-password-reset", {}],
  ])("%s answers as for a known address and sends no email", async (path, more) => {
    const { email } = await signUp();
    const nobody = `nobody${people++}@example.com`;
    await mail(email, /Verify/);
    const known = await call(path, { email, ...more });
    const unknown = await call(path, { email: nobody, ...more });
    expect([unknown.status, unknown.body]).toEqual([known.status, known.body]);
    expect(known.status).toBe(200);
    await vi.waitFor(() => expect(mailbox.for(email).length).toBeGreaterThan(1), 30_000);
    expect(mailbox.for(nobody)).toEqual([]);
  });

  it("is not revealed by a sign-up with required verification; its owner gets an email", async () => {
    const settings = { ...config, accounts: { ...config.accounts, requireEmailVerification: true } };
    const { email } = await signUp(settings);
    const again = await call("/sign-up/email", { name: "Eve", email, password }, { settings });
    const fresh = await call("/sign-up/email", { name: "Eve", email: `fresh${people++}@example.com`, password }, { settings });
    const shape = (text: string) => text.replaceAll(/"(id|email|createdAt|updatedAt)":"[^"]*"/g, '"$1"');
    expect([again.status, shape(again.body)]).toEqual([fresh.status, shape(fresh.body)]);
    expect((await mail(email, /already have an account/)).link).toBe(`${ORIGIN}/sign-in`);
  });
});

it(
  "requires verification by the emailed link before a sign-in, where configured",
  { tags: "@refuses-unverified-sign-where-verification-required" },
  async () => {
    const settings = { ...config, accounts: { ...config.accounts, requireEmailVerification: true } };
    const { email } = await signUp(settings);
    expect(await call("/sign-in/email", { email, password }, { settings })).toMatchObject({
      status: 403,
      body: expect.stringContaining("Email not verified"),
    });
    await vi.waitFor(() => expect(mails(email, /Verify your email/)).toHaveLength(2), 30_000);
    const { link } = await mail(email, /Verify your email/);
    expect((await call(link, undefined, { settings })).location).toBe("/verify-email?state=confirmed");
    expect((await call(link.replace(/token=[^&]+/, "token=x"), undefined, { settings })).location).toMatch(/error=INVALID_TOKEN/);
    expect(await call("/sign-in/email", { email, password }, { settings })).toMatchObject({ status: 200 });
  },
);

describe("changing the address", () => {
  it("applies at once if unverified, and emails both addresses", async () => {
    const { email, cookie } = await signUp();
    const newEmail = `new-${email}`;
    expect(await call("/change-email", { newEmail }, { cookie })).toMatchObject({ status: 200 });
    expect((await call("/get-session", undefined, { cookie })).body).toContain(newEmail);
    expect((await mail(newEmail, /Verify your email/)).link).toContain("/verify-email?");
    const notice = await mail(email, /address changed/);
    expect(notice.text + notice.html).not.toContain(newEmail);
  });

  it("confirms at the old address, then at the new one, if verified", async () => {
    const { email, cookie } = await signUp();
    await call((await mail(email, /Verify your email/)).link);
    const newEmail = `new-${email}`;
    expect(await call("/change-email", { newEmail }, { cookie })).toMatchObject({ status: 200 });
    const agreed = await call((await mail(email, /email address change/)).link, undefined, { cookie });
    expect(agreed.location).toBe("/verify-email?state=changing");
    expect((await call("/get-session", undefined, { cookie })).body).not.toContain(newEmail);
    const changed = await call((await mail(newEmail, /new email/)).link, undefined, { cookie });
    expect(changed.location).toBe("/verify-email?state=changed");
    expect((await call("/get-session", undefined, { cookie })).body).toContain(newEmail);
    await mail(email, /address changed/);
  });
});

it("deletes an account by a link once, only in the browser that requested it", async () => {
  const { email, cookie } = await signUp();
  expect((await call("/delete-user", { password }, { cookie })).body).toContain("Verification email sent");
  const { link } = await mail(email, /deletion of your account/);
  expect((await call(link)).status).toBe(404);
  expect(await call(link, undefined, { cookie })).toMatchObject({ status: 302, location: "/" });
  expect((await call("/get-session", undefined, { cookie })).body).toBe("null");
  expect(await call("/sign-in/email", { email, password })).toMatchObject({ status: 401 });
});

it("signs in by a link once, without creating an account", async () => {
  const { email } = await signUp();
  await call((await mail(email, /Verify your email/)).link);
  await call("/sign-in/magic-link", { email, callbackURL: "/projects", errorCallbackURL: "/sign-in" });
  const { link } = await mail(email, /sign-in link/);
  const opened = await call(link);
  expect(opened.location).toMatch(/\/projects$/);
  expect((await call("/get-session", undefined, { cookie: opened.cookie })).body).toContain(email);
  expect((await call(link)).location).toMatch(/\/sign-in\?error=INVALID_TOKEN$/);
});

it("signs in by an emailed code, which works once", { tags: "@signs-code-which-not-kept-clear" }, async () => {
  const { email } = await signUp();
  await call("/email-otp/send-verification-otp", { email, type: "sign-in" });
  const code = /\b\d{6}\b/.exec((await mail(email, /sign-in code/)).text)?.[0];
  expect(await call("/sign-in/email-otp", { email, otp: code === "000000" ? "000001" : "000000" })).toMatchObject({ status: 400 });
  expect(await call("/sign-in/email-otp", { email, otp: code })).toMatchObject({ status: 200 });
  expect(await call("/sign-in/email-otp", { email, otp: code })).toMatchObject({ status: 400 });
});

it("notifies about a sign-in from another device only", { tags: "@notifies-about-sign-from-another-device" }, async () => {
  const { email, cookie } = await signUp();
  expect(cookie).toContain("atelier.device=");
  await call("/sign-in/email", { email, password }, { cookie });
  await call("/sign-in/email", { email, password });
  expect((await mail(email, /New sign-in/)).text).toContain("192.0.2.1");
  expect(mails(email, /New sign-in/)).toHaveLength(1);
});

describe("the worker", () => {
  it("retries temporary failures and drops permanently rejected emails", { tags: "slow" }, async () => {
    const spy = vi.spyOn(console, "error").mockReturnValue();
    mailbox.refuseWith({ code: 451, message: "busy, nobody@example.com" });
    const { email } = await signUp();
    await vi.waitFor(
      () =>
        expect(spy).toHaveBeenCalledWith(
          expect.any(String),
          expect.objectContaining({ attempts: 1, fault: expect.stringContaining("451") }),
        ),
      30_000,
    );
    mailbox.refuseWith(null);
    await mail(email, /Verify/).catch(() =>
      vi.waitFor(() => mails(email, /Verify/).at(-1) ?? Promise.reject(new Error("not sent again")), 30_000),
    );

    mailbox.refuseWith({ code: 550, message: "no such person" });
    const { email: gone } = await signUp();
    await vi.waitFor(
      () =>
        expect(spy).toHaveBeenCalledWith(
          expect.any(String),
          expect.objectContaining({ hopeless: true, fault: expect.stringContaining("550") }),
        ),
      30_000,
    );
    expect(JSON.stringify(spy.mock.calls)).not.toMatch(/example\.com|token=/);
    expect(mailbox.for(gone)).toEqual([]);
  });

  it("sends a code before invitations that were queued earlier", { tags: "@sends-codes-first" }, async () => {
    await worker.close();
    const project = { project: "Poster", inviter: { name: "Ada", email: "ada@example.com" }, url: `${ORIGIN}/invitation`, name: "" };
    for (let each = 0; each < 6; each++)
      await queueMail(config, { kind: "projectInvitation", to: `invited${each}@example.com`, ...project });
    await queueMail(config, { kind: "code", purpose: "sign-in", code: "123456", name: "Ada", to: "ada@example.com" });
    const before = mailbox.all().length;
    worker = startMailWorker(config, smtpTransport({ smtpUrl: mailbox.url, from: config.mailFrom }));
    const sent = await vi.waitFor(() => {
      const mails = mailbox.all().slice(before);
      return mails.length === 7 ? mails : Promise.reject(new Error("not all sent"));
    }, 30_000);
    expect(sent.slice(0, 3).map(({ to }) => to)).toContain("ada@example.com");
  });

  it("sends each email once with several workers", async () => {
    const others = [1, 2].map(() => startMailWorker(config, smtpTransport({ smtpUrl: mailbox.url, from: config.mailFrom })));
    const signedUp = await Promise.all(Array.from({ length: 12 }, () => signUp()));
    for (const { email } of signedUp) await mail(email, /Verify/);
    await Promise.all(others.map((each) => each.close()));
    expect(signedUp.map(({ email }) => mailbox.for(email).length)).toEqual(signedUp.map(() => 1));
  });
});

describe("the outbox", () => {
  it("lists queued emails, newest first, in development only", async () => {
    vi.spyOn(console, "error").mockReturnValue();
    mailbox.refuseWith({ code: 451, message: "not now" });
    const { email } = await signUp();
    await call("/request-password-reset", { email });
    await call("/request-password-reset", { email: `nobody${people++}@example.com` });
    const shown = await readOutbox({ ...config, smtpUrl: null, production: false });
    expect(shown?.filter(({ to }) => to === email).map(({ subject }) => subject)).toEqual([
      "Choose a new password · Atelier",
      "Verify your email address · Atelier",
    ]);
    expect(shown?.filter(({ to }) => to.startsWith("nobody"))).toEqual([]);
    expect(shown?.[0]?.url).toMatch(/\/reset-password\/[\w-]{24}\?/);
    expect(await readOutbox({ ...config, smtpUrl: null, production: true })).toBeNull();
    expect(await readOutbox({ ...config, production: false })).toBeNull();
  });
});

describe("with limits", () => {
  const limited = () => ({ ...config, accounts: { ...config.accounts, rateLimit: true } });

  it("allows one email of a kind per address and minute, known or unknown", { tags: "@allows-mail-kind-per-address-minute" }, async () => {
    const { email } = await signUp();
    for (const address of [email, `nobody${people++}@example.com`]) {
      expect(await call("/request-password-reset", { email: address }, { settings: limited() })).toMatchObject({ status: 200 });
      const second = await call("/request-password-reset", { email: address.toUpperCase() }, { settings: limited() });
      expect(second.status).toBe(429);
      expect(Number(second.retryAfter)).toBeGreaterThan(0);
    }
  });
});

describe("without a mail transport", () => {
  it.each([
    ["/request-password-reset", { email: "ada@example.com" }, "Reset password isn't enabled"],
    ["/forget-password", { email: "ada@example.com" }, "Reset password isn't enabled"],
    ["/email-otp/request-password-reset", { email: "ada@example.com" }, "Reset password isn't enabled"],
    ["/send-verification-email", { email: "ada@example.com" }, "Verification email isn't enabled"],
    ["/sign-in/magic-link", { email: "ada@example.com" }, "Verification email isn't enabled"],
    ["/email-otp/send-verification-otp", { email: "ada@example.com", type: "sign-in" }, "Verification email isn't enabled"],
  ])("%s answers with an error", async (path, body, message) => {
    const answer = await call(path, body, { settings: { ...config, smtpUrl: null, production: true } });
    expect([answer.status, JSON.parse(answer.body).message]).toEqual([400, message]);
  });
});
