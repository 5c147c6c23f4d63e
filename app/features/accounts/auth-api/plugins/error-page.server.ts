import type { BetterAuthPlugin } from "better-auth";
import { createAuthMiddleware } from "better-auth/api";
import { z } from "zod";
import { REPLACED_CODES } from "../../callback-errors";

const text = z.string().optional();
const callbackParams = z
  .object({ code: text, state: text, error: text, error_description: text, device_id: text, user: text, iss: text })
  .optional();

const ERROR = /([?&]error=)([a-z_]+)(?=&|#|$)/;
const EXPLANATION = /&error_description=[^&#]*/;

function withDisplayedCode(location: string, providersOwn: unknown): string | null {
  const [, , code = ""] = ERROR.exec(location) ?? [];
  if (code === providersOwn || !Object.hasOwn(REPLACED_CODES, code)) return null;
  return location.replace(ERROR, `$1${REPLACED_CODES[code]}`).replace(EXPLANATION, "");
}

export const errorPage = () =>
  ({
    id: "error-page",
    /** Better Auth replaces most codes in GET /error. This redirect keeps them, and our page escapes them. */
    onRequest: async (request, { options }) => {
      const url = new URL(request.url);
      if (request.method !== "GET" || url.pathname !== `${options.basePath}/error`) return undefined;
      const code = url.searchParams.get("error");
      const Location = code ? `/error?${new URLSearchParams({ error: code })}` : "/error";
      return { response: new Response(null, { status: 302, headers: { Location } }) };
    },
    hooks: {
      before: [
        {
          matcher: ({ path }) => path === "/callback/:id",
          handler: createAuthMiddleware(async (ctx) => {
            if (callbackParams.safeParse(ctx.query).success && callbackParams.safeParse(ctx.body ?? undefined).success) return;
            throw ctx.redirect("/error?error=invalid_callback_request");
          }),
        },
      ],
      after: [
        {
          matcher: ({ path }) => path === "/callback/:id",
          handler: createAuthMiddleware(async ({ context: { responseHeaders }, query, redirect }) => {
            const location = withDisplayedCode(responseHeaders?.get("Location") ?? "", query?.["error"]);
            if (location !== null) throw redirect(location);
          }),
        },
      ],
    },
  }) satisfies BetterAuthPlugin;
