import type { BetterAuthPlugin } from "better-auth";
import { APIError, createAuthMiddleware } from "better-auth/api";
import { z } from "zod";

/** The longest name and picture address kept. They travel in a cookie (the visitor's token), which a browser drops beyond 4 KiB. */
export const NAME_LENGTH = 200;
const IMAGE_LENGTH = 1000;
/** Passkeys nest deepest: what a browser's authenticator answers, with its extensions' results. */
const DEPTH = 16;

/** RFC 5321, 4.5.3.1.3, less the angle brackets: no mail server takes a longer address. */
const EMAIL_LENGTH = 254;

/** What somebody may say of themselves. Better Auth takes anything here, and leaves it to the database to refuse it. */
const ownFields = z.object({ name: z.string().optional(), image: z.string().nullish() }).nullish();

/**
 * Refuses names, addresses and picture addresses that are too long, and cuts those that a social provider sends; keeps names on one line; and
 * refuses text that is none (a lone surrogate), which the deployment would not keep.
 */
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
          // Specification 3: `image` is null where there is none; unsaid, it would be missing from answers.
          user: {
            create: { before: async (user) => ({ data: cut({ ...user, image: user.image ?? null }) }) },
            update: { before: async (user) => ({ data: cut(user) }) },
          },
        },
      },
    }),
  }) satisfies BetterAuthPlugin;

const invalid = (message: string) => new APIError("BAD_REQUEST", { code: "VALIDATION_ERROR", message });

/**
 * Whether every text in it is one (Unicode 3.9, D76: scalar values). JSON says others as `\ud800`. No call nests deeper than this; what does
 * is refused too, before whoever looks through it with calls of its own has no more room for them.
 */
function isText(sent: unknown, depth = 0): boolean {
  if (typeof sent === "string") return sent.isWellFormed();
  if (typeof sent !== "object" || sent === null) return true;
  return depth < DEPTH && Object.entries(sent).every(([key, value]) => key.isWellFormed() && isText(value, depth + 1));
}

const CONTROLS = /\p{Cc}+/gu;

const tooLong = (value: unknown, length: number) => typeof value === "string" && value.length > length;

function cut<User extends { name?: string; image?: string | null }>(user: User): User {
  return {
    ...user,
    ...(user.name !== undefined && { name: user.name.slice(0, NAME_LENGTH).toWellFormed().replaceAll(CONTROLS, " ") }),
    ...(tooLong(user.image, IMAGE_LENGTH) && { image: null }),
  };
}
