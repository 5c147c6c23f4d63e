import type { BetterAuthPlugin } from "better-auth";
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

const asked = z.object({ email: z.email() });

/**
 * Guards the endpoints that send mail to whoever is named: an address gets one mail of a kind in a minute, whoever asks; asking for an address
 * that nobody has costs what asking for another does; and without a way for mail, they say so in the specification's words (section 8).
 */
export const mailRequests = (config: AppConfig) =>
  ({
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
          matcher: ({ path }) => mailWay(config) !== null && Object.hasOwn(ASKING, path ?? ""),
          handler: createAuthMiddleware(async (ctx) => {
            const { success, data } = asked.safeParse(ctx.body);
            const kind = ASKING[ctx.path];
            if (!success || !kind) return;
            const seconds = await paceOf(config, kind, data.email);
            if (seconds > 0) throw tooSoon(seconds);
            if (kind !== "reset" || (await ctx.context.internalAdapter.findUserByEmail(data.email))) return;
            // What the core does for somebody whom it finds: a token is kept, and a mail written. These open nothing and go nowhere.
            await ctx.context.internalAdapter.createVerificationValue({
              identifier: `reset-password:${generateRandomString(24, "a-z", "A-Z", "0-9")}`,
              value: "",
              expiresAt: new Date(0),
            });
            await queueMail(config, null);
          }),
        },
      ],
    },
  }) satisfies BetterAuthPlugin;

/** As Better Auth's own limits answer. */
const tooSoon = (seconds: number) =>
  new APIError("TOO_MANY_REQUESTS", { message: "Too many requests. Please try again later." }, { "X-Retry-After": String(seconds) });
