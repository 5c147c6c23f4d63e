import type { BetterAuthPlugin } from "better-auth";
import { log } from "~/lib/http/telemetry/log.server";

/** Treats an unreadable profile as missing, which gives the specification's error (8). Better Auth would answer 500. */
export const providerFailures = () =>
  ({
    id: "provider-failures",
    init({ socialProviders }) {
      for (const provider of socialProviders) {
        const { getUserInfo } = provider;
        provider.getUserInfo = async (tokens) => {
          try {
            return await getUserInfo.call(provider, tokens);
          } catch (error) {
            log.warn({ from: "accounts", provider: provider.id, error }, "a provider's profile could not be read");
            return null;
          }
        };
      }
    },
  }) satisfies BetterAuthPlugin;
