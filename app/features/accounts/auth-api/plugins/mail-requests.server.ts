import { setTimeout as until } from "node:timers/promises";
import type { BetterAuthPlugin, InternalAdapter } from "better-auth";
import { APIError, createAuthMiddleware } from "better-auth/api";
import { generateRandomString } from "better-auth/crypto";
import { z } from "zod";
import type { AppConfig } from "~/config";
import { secondsUntilAllowed } from "../../mail/rate-limit.server";
import { queueMail } from "../../mail/queue.server";
import { mailProviderLink } from "../../mail/mail-provider-link";

const ASKING: Record<string, "reset" | "verify" | "link" | "code"> = {
  "/request-password-reset": "reset",
  "/forget-password": "reset",
  "/send-verification-email": "verify",
  "/sign-in/magic-link": "link",
  "/email-otp/send-verification-otp": "code",
  "/email-otp/request-password-reset": "code",
};

/** The operator prints sign-in links, too, so that following one needs no email. */
const NEEDS_MAIL = /^\/(sign-in\/(magic-link|email-otp)|email-otp\/)/;
const RESETS = /reset-password|request-password-reset|forget-password/;

/** The lifetimes of real tokens and codes (specification 9), in ms. */
const TOKEN_LIFE = 60 * 60 * 1000;
const CODE_LIFE = 5 * 60 * 1000;
const HASH_LENGTH = 43;

/** Minimum response time in ms. It hides the few milliseconds by which known and unknown addresses differ. */
const ANSWERED_AFTER = 150;
const RESENT_AFTER = 650;

const SIGN_UP_MIN_MS = 400;

const requested = z.object({ email: z.email().toLowerCase() });
const codeRequest = z.object({ type: z.enum(["sign-in", "email-verification", "forget-password"]) });

/** Guards endpoints that send mail: one email per address and minute, and equal work and time for unknown addresses. */
export function mailRequests(config: AppConfig) {
  const receivedAt = new WeakMap<Request, number>();
  const minimumMs = (path = "") => {
    if (path === "/sign-up/email") return config.accounts.requireEmailVerification ? SIGN_UP_MIN_MS : 0;
    if (mailProviderLink(config) === null) return 0;
    if (path === "/send-verification-email") return RESENT_AFTER;
    return Object.hasOwn(ASKING, path) ? ANSWERED_AFTER : 0;
  };
  const hasMinimumTime = ({ path }: { path?: string }) => minimumMs(path) > 0;
  const waitForMinimum = async ({ request, path }: { request?: Request | undefined; path: string }) => {
    const since = request && receivedAt.get(request);
    if (since !== undefined) await until(Math.max(since + minimumMs(path) - performance.now(), 0));
  };
  return {
    id: "mail-requests",
    hooks: {
      before: [
        {
          matcher: ({ path }) => mailProviderLink(config) === null && NEEDS_MAIL.test(path ?? ""),
          handler: createAuthMiddleware(async ({ path }) => {
            throw RESETS.test(path)
              ? new APIError("BAD_REQUEST", { code: "RESET_PASSWORD_DISABLED", message: "Reset password isn't enabled" })
              : new APIError("BAD_REQUEST", { code: "VERIFICATION_EMAIL_NOT_ENABLED", message: "Verification email isn't enabled" });
          }),
        },
        {
          matcher: hasMinimumTime,
          handler: createAuthMiddleware(async (ctx) => {
            if (ctx.request) receivedAt.set(ctx.request, performance.now());
            const { success, data } = requested.safeParse(ctx.body);
            if (success && ctx.path === "/sign-up/email") await equalizeSignUpTiming(ctx.context.internalAdapter, data.email);
            const kind = ASKING[ctx.path];
            if (!success || !kind) return;
            const seconds = await secondsUntilAllowed(config, kind, data.email);
            if (seconds > 0) throw tooSoon(seconds);
            const { internalAdapter } = ctx.context;
            if (kind === "reset") await equalizeResetTiming(internalAdapter, data.email);
            if (kind === "verify") await equalizeVerificationTiming(internalAdapter, data.email);
            const type = kind === "code" ? codeIn(ctx.path, ctx.body) : null;
            if (type === null || (await internalAdapter.findUserByEmail(data.email))) return;
            await simulateCodeRequest(internalAdapter, type, data.email);
            await waitForMinimum(ctx);
            return ctx.json({ success: true });
          }),
        },
      ],
      after: [
        {
          matcher: hasMinimumTime,
          handler: createAuthMiddleware(async (ctx) => waitForMinimum(ctx)),
        },
      ],
    },
  } satisfies BetterAuthPlugin;

  async function equalizeResetTiming(accounts: InternalAdapter, email: string): Promise<void> {
    const identifier = `reset-password:${generateRandomString(24, "a-z", "A-Z", "0-9")}`;
    if (await accounts.findUserByEmail(email)) {
      await accounts.findVerificationValue(identifier);
      return;
    }
    await accounts.createVerificationValue({ identifier, value: "", expiresAt: new Date(Date.now() + TOKEN_LIFE) });
    await queueMail(config, null);
  }

  /** Writes a row for a taken address, because Better Auth writes a user only for a free one. */
  async function equalizeSignUpTiming(accounts: InternalAdapter, email: string): Promise<void> {
    if (!(await accounts.findUserByEmail(email))) return;
    const identifier = `sign-up:${generateRandomString(24, "a-z", "A-Z", "0-9")}`;
    await accounts.createVerificationValue({ identifier, value: "", expiresAt: new Date() });
  }

  async function equalizeVerificationTiming(accounts: InternalAdapter, email: string): Promise<void> {
    const found = await accounts.findUserByEmail(email);
    if (!found || found.user.emailVerified) await queueMail(config, null);
  }

  /** Stores a code that nobody gets. Better Auth stores none for an unknown address, so it would never report too many guesses. */
  async function simulateCodeRequest(accounts: InternalAdapter, type: string, email: string): Promise<void> {
    const value = `${generateRandomString(HASH_LENGTH, "a-z", "A-Z", "0-9")}:0`;
    await accounts.createVerificationValue({ identifier: `${type}-otp-${email}`, value, expiresAt: new Date(Date.now() + CODE_LIFE) });
    await accounts.findUserByEmail(email);
    await accounts.findUserByEmail(email);
    await queueMail(config, null);
  }
}

function codeIn(path: string, body: unknown): string | null {
  if (path !== "/email-otp/send-verification-otp") return "forget-password";
  return codeRequest.safeParse(body).data?.type ?? null;
}

const tooSoon = (seconds: number) =>
  new APIError(
    "TOO_MANY_REQUESTS",
    { code: "TOO_MANY_REQUESTS", message: "Too many requests. Please try again later." },
    { "X-Retry-After": String(seconds) },
  );
