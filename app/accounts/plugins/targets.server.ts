import type { BetterAuthPlugin } from "better-auth";
import { APIError, createAuthMiddleware } from "better-auth/api";
import { z } from "zod";

const target = z.string().optional();
const targets = z.object({ callbackURL: target, newUserCallbackURL: target, errorCallbackURL: target, redirectTo: target });

/** Separators that browsers, routers and proxies read as slashes, or leave out; encoded once or more. */
const AMBIGUOUS = /[\\\u0000-\u001f\u007f-\u009f]|%(25)*(2f|5c|0[0-9a-f]|1[0-9a-f]|7f)/i;

/** No page of ours has a longer address, and what goes on into a mail's link is folded there at a cost that grows with its square. */
const TARGET_LENGTH = 2048;

/**
 * Refuses targets whose path is not plain. Better Auth checks a target's origin as it is sent, and leads to some as it reads them: `/..//evil`
 * passes as a path of ours and becomes `//evil`.
 */
export const plainTargets = () =>
  ({
    id: "plain-targets",
    hooks: {
      before: [
        {
          matcher: () => true,
          handler: createAuthMiddleware(async ({ body, query, context }) => {
            for (const sent of [query, body]) {
              const { success, data } = targets.safeParse(sent ?? {});
              if (!success) throw new APIError("BAD_REQUEST", { code: "VALIDATION_ERROR", message: "Invalid input" });
              for (const [name, value] of Object.entries(data)) {
                if (value && !isPlain(value, context.baseURL))
                  throw new APIError("FORBIDDEN", { code: "INVALID_CALLBACK_URL", message: `Invalid ${name}` });
              }
            }
          }),
        },
      ],
    },
  }) satisfies BetterAuthPlugin;

function isPlain(value: string, ours: string): boolean {
  if (value.length > TARGET_LENGTH) return false;
  const url = URL.parse(value, ours);
  if (!url || AMBIGUOUS.test(value.split(/[?#]/, 1)[0] ?? "")) return false;
  return !url.pathname.includes("//") && !/^\/[^?#]*\/\//.test(value);
}
