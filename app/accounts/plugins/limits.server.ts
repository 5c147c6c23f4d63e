import type { BetterAuthPlugin } from "better-auth";
import { APIError, createAuthMiddleware } from "better-auth/api";

/** The longest name and picture address kept. They travel in a cookie (the visitor's token), which a browser drops beyond 4 KiB. */
export const NAME_LENGTH = 200;
const IMAGE_LENGTH = 1000;

/** Refuses names and picture addresses that are too long, and cuts those that a social provider sends. */
export const limits = () =>
  ({
    id: "limits",
    hooks: {
      before: [
        {
          matcher: ({ path }) => path === "/sign-up/email" || path === "/update-user",
          handler: createAuthMiddleware(async ({ body }) => {
            const { name, image } = body ?? {};
            if (tooLong(name, NAME_LENGTH) || tooLong(image, IMAGE_LENGTH))
              throw new APIError("BAD_REQUEST", { code: "VALIDATION_ERROR", message: "Invalid input" });
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

const tooLong = (value: unknown, length: number) => typeof value === "string" && value.length > length;

function cut<User extends { name?: string; image?: string | null }>(user: User): User {
  return {
    ...user,
    ...(tooLong(user.name, NAME_LENGTH) && { name: user.name?.slice(0, NAME_LENGTH) }),
    ...(tooLong(user.image, IMAGE_LENGTH) && { image: null }),
  };
}
