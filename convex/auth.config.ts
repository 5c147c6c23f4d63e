import type { AuthConfig } from "convex/server";

/**
 * Whom this deployment believes: the app, which signs two kinds of tokens with one key (ES256). The names repeat those of `app/config.ts`,
 * since this folder knows nothing of the app; a test compares them. AUTH_JWKS is the app's public key as a data: URI, so that no key is ever
 * fetched; the app's server sets it before it pushes.
 */
const jwks = process.env.AUTH_JWKS ?? "data:application/json,%7B%22keys%22%3A%5B%5D%7D";

export default {
  providers: [
    { type: "customJwt", applicationID: "atelier-user", issuer: "https://atelier.invalid", jwks, algorithm: "ES256" },
    { type: "customJwt", applicationID: "atelier-service", issuer: "https://atelier.invalid", jwks, algorithm: "ES256" },
  ],
} satisfies AuthConfig;
