import type { BetterAuthPlugin, DBAdapter } from "better-auth";

/** Where somebody shows that the mailbox is theirs, by what only its mails tell, and for the first time. */
const PROOFS = new Set(["/magic-link/verify", "/sign-in/email-otp", "/email-otp/reset-password"]);

/**
 * Gives an account to whoever shows that its address is theirs, and to nobody else: before that anybody may have made it, and waited for the owner
 * to come. Better Auth takes the password, the linked accounts and the sessions away that were there before; here go the passkeys and the second
 * factor too, which would let the other in again, or keep the owner out.
 */
export const reclaim = () =>
  ({
    id: "reclaim",
    init: ({ adapter }) => ({
      options: {
        databaseHooks: {
          user: {
            update: {
              before: async (user, ctx) => (proves(user, ctx?.path) ? { data: { ...user, twoFactorEnabled: false } } : undefined),
              after: async (user, ctx) => {
                if (PROOFS.has(ctx?.path ?? "")) await removeUnproven(adapter, user.id);
              },
            },
          },
        },
      },
    }),
  }) satisfies BetterAuthPlugin;

const proves = ({ emailVerified }: { emailVerified?: boolean }, path = "") => emailVerified === true && PROOFS.has(path);

/** Removes what opens somebody's account besides a password and a linked account. */
export async function removeUnproven(adapter: Pick<DBAdapter, "deleteMany">, userId: string): Promise<void> {
  const where = [{ field: "userId", value: userId }];
  await Promise.all([adapter.deleteMany({ model: "passkey", where }), adapter.deleteMany({ model: "twoFactor", where })]);
}
