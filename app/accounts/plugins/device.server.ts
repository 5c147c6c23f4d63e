import { createHash, randomBytes } from "node:crypto";
import type { BetterAuthPlugin } from "better-auth";
import { cookieNames } from "../cookies";

/** As long as browsers keep a cookie at most (RFC 6265bis, 5.5), in seconds. */
export const COOKIE_SECONDS = 400 * 24 * 60 * 60;
const MARK_BYTES = 24;

/**
 * Gives each browser a mark of its own when somebody signs in, and keeps its hash with the session: by it the deployment knows whether a session
 * comes from a device that was seen before, and tells the owner where it was not (`convex/accounts/notices.ts`). The mark opens nothing.
 */
export function device(origin: string) {
  const { device: name, secure } = cookieNames(origin);
  return {
    id: "device",
    schema: { session: { fields: { device: { type: "string", required: false, input: false, returned: false } } } },
    init: () => ({
      options: {
        databaseHooks: {
          session: {
            create: {
              before: async (session, ctx) => {
                // Made by no request, or to be ended by it (`account-changes.server.ts`): nobody came in.
                if (!ctx?.headers || ctx.path === "/verify-email") return;
                const mark = ctx.getCookie(name) || randomBytes(MARK_BYTES).toString("base64url");
                ctx.setCookie(name, mark, { path: "/", httpOnly: true, sameSite: "lax", secure, maxAge: COOKIE_SECONDS });
                return { data: { ...session, device: createHash("sha256").update(mark).digest("base64url") } };
              },
            },
          },
        },
      },
    }),
  } satisfies BetterAuthPlugin;
}
