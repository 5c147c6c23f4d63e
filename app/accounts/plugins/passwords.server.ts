import { createHash } from "node:crypto";
import type { BetterAuthPlugin } from "better-auth";
import { APIError, createAuthMiddleware } from "better-auth/api";
import { z } from "zod";
import lists from "zxcvbn/lib/frequency_lists.js";

/** Passwords that are tried first by whoever guesses (NIST SP 800-63B, 3.1.1.2): those of zxcvbn's list, whatever their letters' case. */
const guessed = new Set(lists.passwords);

/** Words of this product, of which nobody has to guess (ASVS 5.0, 6.1.2). */
const OWN_WORDS = new Set(["atelier"]);

/** Where a password is chosen. Server-side calls (the first password of somebody who has none) have no path. */
const CHOOSING = new Set<string | undefined>([
  "/sign-up/email",
  "/change-password",
  "/reset-password",
  "/email-otp/reset-password",
  undefined,
]);

/** How long the service that knows breached passwords may take. It is no reason to keep anybody out: without an answer the password passes. */
const PATIENCE_MS = 1000;

const chosen = z.object({ password: z.string().optional(), newPassword: z.string().optional() });

type Options = {
  /** Whether to ask haveibeenpwned.com too, which is told the first five digits of the password's hash and nothing else. */
  breaches: boolean;
};

/** Refuses passwords that are common or lie at hand, and if wanted those that are known from breaches. Length is Better Auth's own business. */
export const passwords = ({ breaches }: Options) =>
  ({
    id: "passwords",
    hooks: {
      before: [
        {
          matcher: ({ path }) => CHOOSING.has(path),
          handler: createAuthMiddleware(async ({ path, body, context }) => {
            const { data } = chosen.safeParse(body);
            const password =
              path === "/sign-up/email"
                ? data?.password
                : (data?.newPassword ?? (path?.startsWith("/email-otp") ? data?.password : undefined));
            if (password === undefined || password.length < context.password.config.minPasswordLength) return;
            if (guessed.has(password.toLowerCase()) || isObvious(password))
              throw new APIError("BAD_REQUEST", { code: "PASSWORD_COMMON", message: "This password is among the first that are guessed" });
            if (breaches && (await isBreached(password)))
              throw new APIError("BAD_REQUEST", { code: "PASSWORD_BREACHED", message: "This password is known from a data breach" });
          }),
        },
      ],
    },
  }) satisfies BetterAuthPlugin;

/** Whether a password is nothing but one of the product's words, with digits and signs around (ASVS 5.0, 6.2.11). */
const isObvious = (password: string) => OWN_WORDS.has(password.toLowerCase().replace(/\P{L}/gu, ""));

async function isBreached(password: string): Promise<boolean> {
  const hash = createHash("sha1").update(password).digest("hex").toUpperCase();
  try {
    const response = await fetch(`https://api.pwnedpasswords.com/range/${hash.slice(0, 5)}`, {
      headers: { "Add-Padding": "true" },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (!response.ok) return false;
    const line = (await response.text()).split(/\r?\n/).find((entry) => entry.startsWith(`${hash.slice(5)}:`));
    // Padding has a count of nought.
    return line !== undefined && !line.endsWith(":0");
  } catch {
    return false;
  }
}
