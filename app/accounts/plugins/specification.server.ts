import type { BetterAuthPlugin } from "better-auth";
import { createAuthEndpoint, requestPasswordReset } from "better-auth/api";

/** What the specification's API has and today's Better Auth has moved or renamed (section 7). A key of the core's replaces its endpoint. */
export const specification = () =>
  ({
    id: "specification",
    endpoints: {
      /** The older name of POST /request-password-reset. */
      forgetPassword: createAuthEndpoint("/forget-password", requestPasswordReset.options, (ctx) => requestPasswordReset(ctx)),
      /** Leads to the app's own page with the code as it came, for the page to escape; the core's would replace most codes by its own. */
      error: createAuthEndpoint("/error", { method: "GET" }, (ctx) => {
        const code = ctx.request && new URL(ctx.request.url).searchParams.get("error");
        throw ctx.redirect(code ? `/error?${new URLSearchParams({ error: code })}` : "/error");
      }),
    },
  }) satisfies BetterAuthPlugin;
