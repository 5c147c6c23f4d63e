import type { BetterAuthPlugin, GenericEndpointContext } from "better-auth";
import { z } from "zod";
import { cookieNames } from "../cookies";
import { COOKIE_SECONDS } from "./device.server";

/** The ways in of our own that a person can tell apart, by the endpoint that makes the session; social providers go by their ids. */
const OWN: Record<string, string> = {
  "/sign-in/email": "password",
  "/sign-up/email": "password",
  "/magic-link/verify": "link",
  "/passkey/verify-authentication": "passkey",
};

const named = z.object({ provider: z.string() });

/**
 * Keeps in the browser by what somebody signed in last, for /sign-in to point at it. It says no more than that, opens nothing, and stays when they
 * sign out. Our own cookie, where Better Auth's plugin for it makes one that scripts read.
 */
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
