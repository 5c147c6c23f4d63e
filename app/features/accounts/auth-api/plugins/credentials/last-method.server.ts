import type { BetterAuthPlugin, GenericEndpointContext } from "better-auth";
import { z } from "zod";
import { cookieNames } from "../../../session/cookies";
import { COOKIE_SECONDS } from "../device.server";

const OWN: Record<string, string> = {
  "/sign-in/email": "password",
  "/sign-up/email": "password",
  "/magic-link/verify": "link",
  "/passkey/verify-authentication": "passkey",
};

const named = z.object({ provider: z.string() });

/** Stores the last sign-in method for /sign-in. Better Auth's plugin sets a cookie that scripts can read; ours is HttpOnly. */
export function lastMethod(origin: string) {
  const { lastMethod: name, secure } = cookieNames(origin);
  return {
    id: "last-method",
    init: () => ({
      options: {
        databaseHooks: {
          session: {
            create: {
              before: async (_, ctx) => {
                const method = ctx?.headers ? methodOf(ctx) : null;
                if (method !== null)
                  ctx?.setCookie(name, method, { path: "/", httpOnly: true, sameSite: "lax", secure, maxAge: COOKIE_SECONDS });
              },
            },
          },
        },
      },
    }),
  } satisfies BetterAuthPlugin;
}

function methodOf({ path, params, body, context }: GenericEndpointContext): string | null {
  if (Object.hasOwn(OWN, path)) return OWN[path] ?? null;
  const { data } = named.safeParse(body);
  const provider: unknown = path === "/callback/:id" ? params?.["id"] : path === "/sign-in/social" ? data?.provider : null;
  return context.socialProviders.some(({ id }) => id === provider) ? String(provider) : null;
}
