import type { BetterAuthPlugin } from "better-auth";
import { APIError } from "better-auth/api";
import { isPlaceholder } from "#convex/model/accounts/placeholder";

/** Ends a provider sign-up without an address with `email_not_found` (specification 5 and 8); Better Auth would store a placeholder. */
export const providerAddresses = () =>
  ({
    id: "provider-addresses",
    init: () => ({
      options: {
        databaseHooks: {
          user: {
            create: {
              before: async ({ email }, ctx) => {
                if (ctx?.path === "/callback/:id" && isPlaceholder(email)) throw new APIError("UNAUTHORIZED", { code: "email_not_found" });
              },
            },
          },
        },
      },
    }),
  }) satisfies BetterAuthPlugin;
