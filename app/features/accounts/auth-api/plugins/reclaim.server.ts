import { getCurrentAdapter } from "@better-auth/core/context";
import type { BetterAuthPlugin, DBAdapter, User } from "better-auth";

/** Endpoints where a mailed secret can verify an address for the first time. */
const PROOFS = new Set(["/magic-link/verify", "/sign-in/email-otp", "/email-otp/reset-password"]);

/** Removes passkeys and second factor when the address is first proven: anyone may have created the account. Better Auth removes the rest. */
export const reclaim = () =>
  ({
    id: "reclaim",
    init: ({ adapter }) => ({
      options: {
        databaseHooks: {
          user: {
            update: {
              before: async (user, ctx) => (proves(user, ctx?.path) ? { data: { ...user, twoFactorEnabled: false } } : undefined),
              // Better Auth passes null if the user no longer exists, contrary to its types.
              after: async (user: User | null, ctx) => {
                if (user && PROOFS.has(ctx?.path ?? "")) await removeUnproven(adapter, user.id);
              },
            },
          },
        },
      },
    }),
  }) satisfies BetterAuthPlugin;

const proves = ({ emailVerified }: { emailVerified?: boolean }, path = "") => emailVerified === true && PROOFS.has(path);

export async function removeUnproven(adapter: DBAdapter, userId: string): Promise<void> {
  const where = [{ field: "userId", value: userId }];
  const current = await getCurrentAdapter(adapter);
  await Promise.all([current.deleteMany({ model: "passkey", where }), current.deleteMany({ model: "twoFactor", where })]);
}
