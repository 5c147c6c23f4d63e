import { setTimeout as until } from "node:timers/promises";
import type { BetterAuthPlugin, InternalAdapter } from "better-auth";
import { APIError, createAuthMiddleware } from "better-auth/api";
import { generateRandomString } from "better-auth/crypto";
import { z } from "zod";
import type { AppConfig } from "~/config";
import { paceOf } from "../mail/pace.server";
import { queueMail } from "../mail/queue.server";
import { mailWay } from "../mail/way";

/** The endpoints by which somebody has a mail sent to an address without being signed in, and what kind of mail. */
const ASKING: Record<string, "reset" | "verify" | "link" | "code"> = {
  "/request-password-reset": "reset",
  "/forget-password": "reset",
  "/send-verification-email": "verify",
  "/sign-in/magic-link": "link",
  "/email-otp/send-verification-otp": "code",
  "/email-otp/request-password-reset": "code",
  "/forget-password/email-otp": "code",
};

/** Endpoints that make no sense where no mail leaves; those of the core answer by themselves. */
const NEEDS_MAIL = /^\/(sign-in\/(magic-link|email-otp)|magic-link\/|email-otp\/|forget-password\/email-otp)/;
const RESETS = /reset-password|request-password-reset|forget-password/;

/** As long as real ones (specification 9; Better Auth's own for codes), in ms. */
const TOKEN_LIFE = 60 * 60 * 1000;
const CODE_LIFE = 5 * 60 * 1000;
/** As long as the hash of a code, in letters of its alphabet. */
const HASH_LENGTH = 43;

/**
 * When an answer leaves, in ms after it was asked for: well after the work is done, which differs by a few milliseconds for addresses with an account
 * and without.
 */
const ANSWERED_AFTER = 150;
/** The same where the core itself waits for half a second, which does not begin before what is done here. */
const RESENT_AFTER = 650;

/** The same for a sign-up that does not tell whether the address is taken: only one that is not makes an account. Most of it is the password's hash. */
const SIGNED_UP_AFTER = 400;

const asked = z.object({ email: z.email().toLowerCase() });
const codeAsked = z.object({ type: z.enum(["sign-in", "email-verification", "forget-password"]) });

/**
 * Guards the endpoints that send mail to whoever is named: an address gets one mail of a kind in a minute, whoever asks; asking for an address
 * that nobody has costs what asking for another does, and is answered after the same time; and without a way for mail, they say so in the
 * specification's words (section 8).
 */
export function mailRequests(config: AppConfig) {
  const cameAt = new WeakMap<Request, number>();
  /** How long an answer is held back, in ms. */
  const holds = (path = "") => {
    if (path === "/sign-up/email") return config.accounts.requireEmailVerification ? SIGNED_UP_AFTER : 0;
    if (mailWay(config) === null) return 0;
    if (path === "/send-verification-email") return RESENT_AFTER;
    return Object.hasOwn(ASKING, path) ? ANSWERED_AFTER : 0;
  };
  const isHeld = ({ path }: { path?: string }) => holds(path) > 0;
  const untilHeld = async ({ request, path }: { request?: Request | undefined; path: string }) => {
    const since = request && cameAt.get(request);
    if (since !== undefined) await until(Math.max(since + holds(path) - performance.now(), 0));
  };
  return {
    id: "mail-requests",
    hooks: {
      before: [
        {
          matcher: ({ path }) => mailWay(config) === null && NEEDS_MAIL.test(path ?? ""),
          handler: createAuthMiddleware(async ({ path }) => {
            throw RESETS.test(path)
              ? new APIError("BAD_REQUEST", { code: "RESET_PASSWORD_DISABLED", message: "Reset password isn't enabled" })
              : new APIError("BAD_REQUEST", { code: "VERIFICATION_EMAIL_NOT_ENABLED", message: "Verification email isn't enabled" });
          }),
        },
        {
          matcher: isHeld,
          handler: createAuthMiddleware(async (ctx) => {
            if (ctx.request) cameAt.set(ctx.request, performance.now());
            const { success, data } = asked.safeParse(ctx.body);
            if (success && ctx.path === "/sign-up/email") await evenOutSignUp(ctx.context.internalAdapter, data.email);
            const kind = ASKING[ctx.path];
            if (!success || !kind) return;
            const seconds = await paceOf(config, kind, data.email);
            if (seconds > 0) throw tooSoon(seconds);
            const { internalAdapter } = ctx.context;
            if (kind === "reset") await evenOut(internalAdapter, data.email);
            if (kind === "verify") await evenOutConfirming(internalAdapter, data.email);
            const type = kind === "code" ? codeIn(ctx.path, ctx.body) : null;
            if (type === null || (await internalAdapter.findUserByEmail(data.email))) return;
            await standInForCode(internalAdapter, type, data.email);
            await untilHeld(ctx);
            return ctx.json({ success: true });
          }),
        },
      ],
      after: [
        {
          matcher: isHeld,
          handler: createAuthMiddleware(async (ctx) => untilHeld(ctx)),
        },
      ],
    },
  } satisfies BetterAuthPlugin;

  /**
   * The core keeps a token and writes a mail for whom it finds; for others it looks up a value that is not there. Whichever it will do, the
   * other is done here: with a token that nobody knows, and a mail that goes nowhere.
   */
  async function evenOut(accounts: InternalAdapter, email: string): Promise<void> {
    const identifier = `reset-password:${generateRandomString(24, "a-z", "A-Z", "0-9")}`;
    if (await accounts.findUserByEmail(email)) {
      await accounts.findVerificationValue(identifier);
      return;
    }
    await accounts.createVerificationValue({ identifier, value: "", expiresAt: new Date(Date.now() + TOKEN_LIFE) });
    await queueMail(config, null);
  }

  /** The core hashes the password and writes a mail for a taken address too; the person and their account it writes only for one that is free. */
  async function evenOutSignUp(accounts: InternalAdapter, email: string): Promise<void> {
    if (!(await accounts.findUserByEmail(email))) return;
    for (const part of ["person", "account"]) {
      const identifier = `sign-up:${part}:${generateRandomString(24, "a-z", "A-Z", "0-9")}`;
      await accounts.createVerificationValue({ identifier, value: "", expiresAt: new Date() });
    }
  }

  /** The core writes a mail where an address is there to be confirmed. */
  async function evenOutConfirming(accounts: InternalAdapter, email: string): Promise<void> {
    const found = await accounts.findUserByEmail(email);
    if (!found || found.user.emailVerified) await queueMail(config, null);
  }

  /**
   * The core keeps no code for an address that nobody has, and so never tells there that there were too many guesses. Done in its place is what it
   * does for others, with a code that nobody can know.
   */
  async function standInForCode(accounts: InternalAdapter, type: string, email: string): Promise<void> {
    const value = `${generateRandomString(HASH_LENGTH, "a-z", "A-Z", "0-9")}:0`;
    await accounts.createVerificationValue({ identifier: `${type}-otp-${email}`, value, expiresAt: new Date(Date.now() + CODE_LIFE) });
    await accounts.findUserByEmail(email);
    await accounts.findUserByEmail(email);
    await queueMail(config, null);
  }
}

/** What a code is asked for, as Better Auth calls it; null: nothing that it knows. */
function codeIn(path: string, body: unknown): string | null {
  if (path !== "/email-otp/send-verification-otp") return "forget-password";
  return codeAsked.safeParse(body).data?.type ?? null;
}

/** As Better Auth's own limits answer. */
const tooSoon = (seconds: number) =>
  new APIError("TOO_MANY_REQUESTS", { message: "Too many requests. Please try again later." }, { "X-Retry-After": String(seconds) });
