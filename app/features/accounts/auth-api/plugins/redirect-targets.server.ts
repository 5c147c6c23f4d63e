import type { BetterAuthPlugin } from "better-auth";
import { APIError, createAuthMiddleware } from "better-auth/api";
import { z } from "zod";

const target = z.string().optional();
const targets = z.object({ callbackURL: target, newUserCallbackURL: target, errorCallbackURL: target, redirectTo: target });

/** Separators that browsers, routers or proxies read as slashes or drop, also encoded. */
const AMBIGUOUS = /[\\\u0000-\u001f\u007f-\u009f]|%(25)*(2f|5c|0[0-9a-f]|1[0-9a-f]|7f)/i;

/** Characters that no URI contains (RFC 3986, 2) and that the Location header rejects. */
const NOT_IN_URI = /[^\u0021-\u007e]/;

/** Maximum length, because wrapping a long address into the lines of an email takes quadratic time. */
const TARGET_LENGTH = 2048;

/** Rejects targets with an ambiguous path: Better Auth checks `/..//evil` as a local path but redirects to `//evil`. */
export const redirectTargets = () =>
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

function isPlain(value: string, ownOrigin: string): boolean {
  if (value.length > TARGET_LENGTH || NOT_IN_URI.test(value)) return false;
  const url = URL.parse(value, ownOrigin);
  if (!url || AMBIGUOUS.test(value.split(/[?#]/, 1)[0] ?? "")) return false;
  return !url.pathname.includes("//") && !/^\/[^?#]*\/\//.test(value);
}
