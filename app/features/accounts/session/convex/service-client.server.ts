import { ConvexHttpClient } from "convex/browser";
import type { AppConfig } from "~/config";
import { deploymentFetch } from "~/lib/http/unavailable.server";
import { api } from "#convex/_generated/api";
import { SERVICE_TOKEN_SECONDS, signServiceToken } from "./tokens.server";

/** Returns the app server's own client. Requests share it, so call mutations with `{ skipQueue: true }`. */
export function serviceConvex(config: AppConfig): ConvexHttpClient {
  const existing = clients.get(config);
  if (existing) return existing;
  const client = new ConvexHttpClient(config.convexUrl, {
    skipConvexDeploymentUrlCheck: true,
    logger: false,
    fetch: withToken(config),
  });
  clients.set(config, client);
  return client;
}

/** Checks that the deployment accepts this server's token. Throws `Unavailable` when the deployment does not answer. */
export async function checkServiceToken(config: AppConfig): Promise<void> {
  await serviceConvex(config).query(api.accounts.store.findOne, {
    model: "users",
    where: [{ field: "id", operator: "eq", value: "none", connector: "AND", mode: "sensitive" }],
  });
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
