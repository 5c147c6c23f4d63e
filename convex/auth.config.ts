import type { AuthConfig } from "convex/server";

/** A test compares the names with `app/config.ts`. AUTH_JWKS is a data: URI, so no key is ever fetched. */
const jwks = process.env.AUTH_JWKS ?? "data:application/json,%7B%22keys%22%3A%5B%5D%7D";

export default {
  providers: [
    { type: "customJwt", applicationID: "atelier-user", issuer: "https://atelier.invalid", jwks, algorithm: "ES256" },
    { type: "customJwt", applicationID: "atelier-link", issuer: "https://atelier.invalid", jwks, algorithm: "ES256" },
    { type: "customJwt", applicationID: "atelier-service", issuer: "https://atelier.invalid", jwks, algorithm: "ES256" },
  ],
} satisfies AuthConfig;
