import { createHash, randomBytes } from "node:crypto";
import type { BetterAuthPlugin } from "better-auth";
import { cookieNames } from "../../session/cookies";

export const COOKIE_SECONDS = 400 * 24 * 60 * 60;
const MARK_BYTES = 24;

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
                if (!ctx?.headers) return;
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
