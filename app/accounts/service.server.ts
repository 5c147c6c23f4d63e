import { ConvexHttpClient } from "convex/browser";
import type { AppConfig } from "~/config";
import { deploymentFetch } from "~/http/unavailable.server";
import { SERVICE_TOKEN_SECONDS, signServiceToken } from "./tokens.server";

/**
 * The app server's own client: for the functions that only it may call. It holds its token itself and renews it at half its life; the
 * mutations of many requests share it, so call them with `{ skipQueue: true }`.
 */
export function serviceConvex(config: AppConfig): ConvexHttpClient {
  const known = clients.get(config);
  if (known) return known;
  const client = new ConvexHttpClient(config.convexUrl, {
    skipConvexDeploymentUrlCheck: true,
    // A refused rule is told to whoever caused it; the console is no place for it.
    logger: false,
    fetch: withToken(config),
  });
  clients.set(config, client);
  return client;
}

const clients = new WeakMap<AppConfig, ConvexHttpClient>();

function withToken({ signingKey, payments }: AppConfig): typeof fetch {
  let token: Promise<string> | null = null;
  let renewAt = 0;
  return async (input, init) => {
    if (!token || Date.now() >= renewAt) {
      renewAt = Date.now() + (SERVICE_TOKEN_SECONDS / 2) * 1000;
      token = signServiceToken(signingKey, { limited: payments !== null });
    }
    const headers = new Headers(init?.headers);
    headers.set("Authorization", `Bearer ${await token}`);
    return deploymentFetch(input, { ...init, headers });
  };
}
