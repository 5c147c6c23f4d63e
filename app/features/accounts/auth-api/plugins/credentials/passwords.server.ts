import { createHash } from "node:crypto";
import type { BetterAuthPlugin } from "better-auth";
import { APIError, createAuthMiddleware } from "better-auth/api";
import { z } from "zod";
import lists from "zxcvbn/lib/frequency_lists.js";

/** Common passwords (NIST SP 800-63B, 3.1.1.2): zxcvbn's list, compared case-insensitively. */
const guessed = new Set(lists.passwords);

const OWN_WORDS = new Set(["atelier"]);

/** Server-side calls (a user's first password) have no path. */
const CHOOSING = new Set<string | undefined>([
  "/sign-up/email",
  "/change-password",
  "/reset-password",
  "/email-otp/reset-password",
  undefined,
]);

const TIMEOUT_MS = 1000;

const passwordFields = z.object({ password: z.string().optional(), newPassword: z.string().optional() });

type Options = {
  /** Whether to query haveibeenpwned.com, which receives only five digits of the hash. */
  breaches: boolean;
};

/** Rejects common passwords and optionally breached ones. Better Auth checks the length. */
export const passwords = ({ breaches }: Options) =>
  ({
    id: "passwords",
    hooks: {
      before: [
        {
          matcher: ({ path }) => CHOOSING.has(path),
          handler: createAuthMiddleware(async ({ path, body, context }) => {
            const { data } = passwordFields.safeParse(body);
            const password =
              path === "/sign-up/email"
                ? data?.password
                : (data?.newPassword ?? (path?.startsWith("/email-otp") ? data?.password : undefined));
            if (password === undefined || password.length < context.password.config.minPasswordLength) return;
            if (guessed.has(password.toLowerCase()) || isObvious(password))
              throw new APIError("BAD_REQUEST", { code: "PASSWORD_COMMON", message: "This password is too common" });
            if (breaches && (await isBreached(password)))
              throw new APIError("BAD_REQUEST", { code: "PASSWORD_BREACHED", message: "This password appeared in a data breach" });
          }),
        },
      ],
    },
  }) satisfies BetterAuthPlugin;

/** Returns whether a password is a product word with digits and symbols around it (ASVS 5.0, 6.2.11). */
const isObvious = (password: string) => OWN_WORDS.has(password.toLowerCase().replace(/\P{L}/gu, ""));

async function isBreached(password: string): Promise<boolean> {
  const hash = createHash("sha1").update(password).digest("hex").toUpperCase();
  try {
    const response = await fetch(`https://api.pwnedpasswords.com/range/${hash.slice(0, 5)}`, {
      headers: { "Add-Padding": "true" },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) return false;
    const line = (await response.text()).split(/\r?\n/).find((entry) => entry.startsWith(`${hash.slice(5)}:`));
    return line !== undefined && !line.endsWith(":0");
  } catch {
    return false;
  }
}
