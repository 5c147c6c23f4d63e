import { createHash } from "node:crypto";
import { generateRandomString } from "better-auth/crypto";
import type { FunctionReturnType } from "convex/server";
import type { AppConfig } from "~/config";
import { api } from "#convex/_generated/api";
import { createInvitationToken, INVITATION } from "../invitations/invitations.server";
import { mailProviderLink } from "../mail/mail-provider-link";
import { queueMail } from "../mail/queue.server";
import { serviceConvex } from "../session/convex/service-client.server";
import { asOperator } from "./auth-call.server";
import { AUTH_PATH, authFor } from "./auth.server";
import { deleteUser } from "./delete-account.server";
import { MAGIC_LINK_PATH } from "./sign-in-link.server";

/** Specification 9: a reset token has 24 characters and is valid for an hour. */
const TOKEN_LENGTH = 24;
const TOKEN_LIFE = 60 * 60 * 1000;
const SIGN_IN_TOKEN_LENGTH = 32;
const SIGN_IN_TOKEN_LIFE = 15 * 60 * 1000;
const PAGE = 200;

type AllLinks = FunctionReturnType<typeof api.links.listAll>;

export type ListedUser = { id: string; email: string; name: string; emailVerified: boolean; createdAt: Date };

/** Returns the operator's operations (`npm run user`, `npm run links`). Changes of accounts return null for an unknown address. */
export async function administration(config: AppConfig) {
  const convex = serviceConvex(config);
  const { internalAdapter, adapter } = await authFor(config, new Request(config.publicUrl)).$context;
  const find = async (email: string) => (await internalAdapter.findUserByEmail(email))?.user ?? null;

  return {
    async *list(): AsyncGenerator<ListedUser> {
      for (let offset = 0; ; offset += PAGE) {
        const users = await adapter.findMany<ListedUser>({ model: "user", limit: PAGE, offset });
        yield* users;
        if (users.length < PAGE) return;
      }
    },

    administrators: async () => new Set(await convex.query(api.accounts.administrators.list, {})),

    async setAdministrator(email: string, isAdministrator: boolean): Promise<{ isChanged: boolean; isLast: boolean } | null> {
      const user = await find(email);
      if (!user) return null;
      return convex.mutation(api.accounts.administrators.set, { userId: user.id, isAdministrator }, { skipQueue: true });
    },

    async invite(email: string): Promise<{ link: string; isMailed: boolean } | "has account" | "closed"> {
      if (config.accounts.signUp === "closed") return "closed";
      if (await find(email)) return "has account";
      const { token, tokenHash } = createInvitationToken();
      const to = email.toLowerCase();
      await convex.mutation(api.accounts.invitations.create, { email: to, tokenHash }, { skipQueue: true });
      const link = `${config.publicUrl}/sign-up?${new URLSearchParams({ [INVITATION]: token })}`;
      const isMailed = mailProviderLink(config) !== null;
      if (isMailed) await queueMail(config, { kind: "invitation", to, name: "", url: link });
      return { link, isMailed };
    },

    links: {
      async *list() {
        for (let cursor: string | null = null; ;) {
          const paginationOpts: { cursor: string | null; numItems: number } = { cursor, numItems: PAGE };
          const { page, isDone, continueCursor }: AllLinks = await convex.query(api.links.listAll, { paginationOpts });
          yield* page;
          if (isDone) return;
          cursor = continueCursor;
        }
      },

      async revoke(linkId: string): Promise<boolean> {
        return (await convex.mutation(api.links.revokeAny, { linkId }, { skipQueue: true })) > 0;
      },

      async revokeAll(): Promise<number> {
        for (let revoked = 0; ;) {
          const ended = await convex.mutation(api.links.revokeAny, {}, { skipQueue: true });
          if (ended === 0) return revoked;
          revoked += ended;
        }
      },
    },

    invitations: () => convex.query(api.accounts.invitations.list, {}),

    revokeInvitations: (email: string) =>
      convex.mutation(api.accounts.invitations.revoke, { email: email.toLowerCase() }, { skipQueue: true }),

    async reset(email: string): Promise<string | null> {
      const user = await find(email);
      if (!user) return null;
      const token = generateRandomString(TOKEN_LENGTH, "a-z", "A-Z", "0-9");
      const expiresAt = new Date(Date.now() + TOKEN_LIFE);
      const link = { identifier: `reset-password:${token}`, value: user.id, expiresAt };
      await asOperator(user.id, () => internalAdapter.createVerificationValue(link));
      return `${config.publicUrl}/reset-password?${new URLSearchParams({ token })}`;
    },

    /** Returns a sign-in link. An unverified address needs `verifies`, because the link verifies it and removes earlier sign-in methods. */
    async signIn(email: string, verifies: boolean): Promise<{ link: string } | "not verified" | null> {
      const user = await find(email);
      if (!user) return null;
      if (!user.emailVerified && !verifies) return "not verified";
      const token = generateRandomString(SIGN_IN_TOKEN_LENGTH, "a-z", "A-Z");
      const identifier = `magic-link:${createHash("sha256").update(token).digest("base64url")}`;
      const value = JSON.stringify({ type: "magic-link", email: user.email });
      const expiresAt = new Date(Date.now() + SIGN_IN_TOKEN_LIFE);
      await asOperator(user.id, () => internalAdapter.createVerificationValue({ identifier, value, expiresAt }));
      const search = new URLSearchParams({ token, callbackURL: "/projects", errorCallbackURL: "/sign-in" });
      return { link: `${config.publicUrl}${AUTH_PATH}${MAGIC_LINK_PATH}?${search}` };
    },

    async delete(email: string): Promise<true | null> {
      const user = await find(email);
      if (!user) return null;
      await asOperator(user.id, () => deleteUser(config, user.id));
      return true;
    },

    async disableTwoFactor(email: string): Promise<boolean | null> {
      const user = await find(email);
      if (!user) return null;
      return asOperator(user.id, async () => {
        const count = await adapter.deleteMany({ model: "twoFactor", where: [{ field: "userId", value: user.id }] });
        await internalAdapter.updateUser(user.id, { twoFactorEnabled: false });
        return count > 0;
      });
    },
  };
}
