import type { BetterAuthPlugin } from "better-auth";
import { createAuthEndpoint, requestPasswordReset } from "better-auth/api";

/** What the specification's API has and today's Better Auth has moved or renamed (section 7). */
export const specification = () =>
  ({
    id: "specification",
    endpoints: {
      /** The older name of POST /request-password-reset. */
      forgetPassword: createAuthEndpoint("/forget-password", requestPasswordReset.options, (ctx) => requestPasswordReset(ctx)),
    },
    /** GET /error leads to the app's own page with the code as it came, for the page to escape; the core's replaces most codes by its own. */
    onRequest: async (request, { options }) => {
      const url = new URL(request.url);
      if (request.method !== "GET" || url.pathname !== `${options.basePath}/error`) return undefined;
      const code = url.searchParams.get("error");
      const Location = code ? `/error?${new URLSearchParams({ error: code })}` : "/error";
      return { response: new Response(null, { status: 302, headers: { Location } }) };
    },
  }) satisfies BetterAuthPlugin;
