import type { BetterAuthPlugin } from "better-auth";
import { APIError, createAuthMiddleware } from "better-auth/api";
import { z } from "zod";
import { cleanName, cleanUserName } from "#convex/model/names";

/** The token cookie contains the name and the picture's address, and browsers drop cookies over 4 KiB. */
export const NAME_LENGTH = 200;
const IMAGE_LENGTH = 1000;
const DEPTH = 16;
const PASSKEY_NAMES = new Set(["/passkey/verify-registration", "/passkey/update-passkey"]);

const EMAIL_LENGTH = 254;

/** Better Auth accepts any value here and leaves validation to the database. */
const ownFields = z.object({ name: z.string().optional(), image: z.string().nullish() }).nullish();

/** Rejects overlong values, and lone surrogates, which Convex cannot store. Shortens values of providers, and cleans passkey names. */
export const limits = () =>
  ({
    id: "limits",
    hooks: {
      before: [
        {
          matcher: () => true,
          handler: createAuthMiddleware(async ({ path, body, query }) => {
            if (![body, query].every(isText)) throw invalid("Invalid input");
            const { name, image, email, newEmail } = body ?? {};
            const isNone = path === "/sign-up/email" && typeof email === "string" && !z.email().safeParse(email).success;
            if (isNone || tooLong(email, EMAIL_LENGTH) || tooLong(newEmail, EMAIL_LENGTH))
              throw new APIError("BAD_REQUEST", { code: "INVALID_EMAIL", message: "Invalid email" });
            if (PASSKEY_NAMES.has(path) && typeof name === "string") return { context: { body: { name: cleanName(name) } } };
            if (path !== "/sign-up/email" && path !== "/update-user") return;
            if (!ownFields.safeParse(body).success) throw invalid("Invalid body parameters");
            if (tooLong(name, NAME_LENGTH) || tooLong(image, IMAGE_LENGTH)) throw invalid("Invalid input");
          }),
        },
      ],
    },
    init: () => ({
      options: {
        databaseHooks: {
          user: {
            create: { before: async (user) => ({ data: cut({ ...user, image: user.image ?? null }) }) },
            update: { before: async (user) => ({ data: cut(user) }) },
          },
        },
      },
    }),
  }) satisfies BetterAuthPlugin;

const invalid = (message: string) => new APIError("BAD_REQUEST", { code: "VALIDATION_ERROR", message });

/** Returns whether all strings are well-formed (Unicode 3.9, D76). Limits the depth, so that deep input cannot overflow the stack. */
function isText(sent: unknown, depth = 0): boolean {
  if (typeof sent === "string") return sent.isWellFormed();
  if (typeof sent !== "object" || sent === null) return true;
  return depth < DEPTH && Object.entries(sent).every(([key, value]) => key.isWellFormed() && isText(value, depth + 1));
}

const tooLong = (value: unknown, length: number) => typeof value === "string" && value.length > length;

const cutName = (name: string): string => cleanUserName(name).slice(0, NAME_LENGTH).toWellFormed();

function cut<User extends { name?: string; image?: string | null }>(user: User): User {
  return {
    ...user,
    ...(user.name !== undefined && { name: cutName(user.name) }),
    ...(tooLong(user.image, IMAGE_LENGTH) && { image: null }),
  };
}
