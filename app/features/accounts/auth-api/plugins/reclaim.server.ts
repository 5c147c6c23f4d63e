import { getCurrentAdapter } from "@better-auth/core/context";
import type { BetterAuthPlugin, DBAdapter, User } from "better-auth";

const RESET = "/email-otp/reset-password";

/** Endpoints where an emailed secret can verify an address for the first time. A reset commits in one mutation. */
const PROOFS = new Set(["/magic-link/verify", "/sign-in/email-otp", RESET]);

const verifyingRequests = new WeakSet<object>();

/** Removes passkeys and the second factor when the address is first verified, because anyone may have signed up with it. */
export const reclaim = () =>
  ({
    id: "reclaim",
    init: ({ adapter }) => ({
      options: {
        databaseHooks: {
          user: {
            update: {
              // A sign-in verifies the address last, so that after an interruption the next sign-in completes the removal.
              before: async (user, ctx) => {
                if (!ctx || user.emailVerified !== true || !PROOFS.has(ctx.path)) return undefined;
                verifyingRequests.add(ctx);
                return { data: { ...user, twoFactorEnabled: false, emailVerified: ctx.path === RESET } };
              },
              // Better Auth passes null if the user no longer exists, contrary to its types.
              after: async (user: User | null, ctx) => {
                if (!ctx || !verifyingRequests.delete(ctx) || !user) return;
                await removeUnproven(adapter, user.id);
                if (user.emailVerified) return;
                const verified = { emailVerified: true, updatedAt: new Date() };
                await adapter.update({ model: "user", where: [{ field: "id", value: user.id }], update: verified });
                Object.assign(user, verified);
              },
            },
          },
        },
      },
    }),
  }) satisfies BetterAuthPlugin;

export async function removeUnproven(adapter: DBAdapter, userId: string): Promise<void> {
  const where = [{ field: "userId", value: userId }];
  const current = await getCurrentAdapter(adapter);
  await Promise.all([current.deleteMany({ model: "passkey", where }), current.deleteMany({ model: "twoFactor", where })]);
}
