import type { BetterAuthPlugin } from "better-auth";

/** GET /error leads to the app's own page with the code as it came, for the page to escape; the core's replaces most codes by its own. */
export const errorPage = () =>
  ({
    id: "error-page",
    onRequest: async (request, { options }) => {
      const url = new URL(request.url);
      if (request.method !== "GET" || url.pathname !== `${options.basePath}/error`) return undefined;
      const code = url.searchParams.get("error");
      const Location = code ? `/error?${new URLSearchParams({ error: code })}` : "/error";
      return { response: new Response(null, { status: 302, headers: { Location } }) };
    },
  }) satisfies BetterAuthPlugin;
