import type { BetterAuthPlugin } from "better-auth";
import { createAuthMiddleware } from "better-auth/api";
import { z } from "zod";

/** What a provider may send back with somebody (specification 7): once each. */
const text = z.string().optional();
const sentBack = z
  .object({ code: text, state: text, error: text, error_description: text, device_id: text, user: text, iss: text })
  .optional();

const UNKNOWN_STATE = /([?&]error=)state_(?:mismatch|invalid|security_mismatch)(?=&|#|$)/;

/** Leads to the app's own /error page what the core shows, or answers, in its own way. */
export const errorPage = () =>
  ({
    id: "error-page",
    /** GET /error, with the code as it came, for the page to escape; the core replaces most codes by its own. */
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
          // The core means to lead here with this code, yet its own check of the parameters comes first and answers JSON to a person.
          matcher: ({ path }) => path === "/callback/:id",
          handler: createAuthMiddleware(async (ctx) => {
            if (sentBack.safeParse(ctx.query).success && sentBack.safeParse(ctx.body ?? undefined).success) return;
            throw ctx.redirect("/error?error=invalid_callback_request");
          }),
        },
      ],
      after: [
        {
          // The specification has one code for a state that we do not know (section 8); the core tells some reasons apart.
          matcher: ({ path }) => path === "/callback/:id",
          handler: createAuthMiddleware(async ({ context: { responseHeaders }, redirect }) => {
            const location = responseHeaders?.get("Location") ?? "";
            if (UNKNOWN_STATE.test(location)) throw redirect(location.replace(UNKNOWN_STATE, "$1state_not_found"));
          }),
        },
      ],
    },
  }) satisfies BetterAuthPlugin;
