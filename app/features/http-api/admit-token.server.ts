import { LRUCache } from "lru-cache";
import type { RouterContextProvider } from "react-router";
import type { AppConfig } from "~/config";
import { tokenHashOf } from "~/features/accounts/session/access-token.server";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import { clientAddressContext, configContext } from "~/lib/http/context";
import { api } from "#convex/_generated/api";
import { ApiError } from "./api-error.server";
import { countRefusal, countRequest, type Limit, uncountRefusal } from "./request-limit.server";

const VALID_MS = 60_000;
/** Tokens that were found valid. Each function checks its token again, so a revoked token ends at once. */
const valid = new LRUCache<string, true>({ max: 10_000, ttl: VALID_MS });
/** Running checks by address and token, so that parallel requests with one token count as one attempt. */
const checks = new Map<string, Promise<boolean>>();

/** Returns the token's hash and sets the limit's headers. Throws 401 and 429. Counts attempts before the check; subtracts valid ones. */
export async function admitToken(request: Request, context: Readonly<RouterContextProvider>, headers: Headers): Promise<string> {
  const config = context.get(configContext);
  const tokenHash = tokenHashOf(request.headers);
  const address = context.get(clientAddressContext);
  if (tokenHash === null) {
    await count(config, address);
    throw new ApiError(401, "unauthenticated", "Send a personal access token: Authorization: Bearer atl_…", CHALLENGE);
  }
  if (!valid.has(tokenHash)) await expectValid(config, tokenHash, address);
  if (!config.accounts.rateLimit) return tokenHash;
  const limit = await countRequest(tokenHash);
  headers.set("RateLimit-Limit", String(limit.limit));
  headers.set("RateLimit-Remaining", String(limit.remaining));
  headers.set("RateLimit-Reset", String(limit.seconds));
  if (limit.isExceeded) throw tooMany(limit);
  return tokenHash;
}

export async function refuseToken(tokenHash: string, address: string): Promise<ApiError> {
  valid.delete(tokenHash);
  await countRefusal(address);
  return unknownToken();
}

async function expectValid(config: AppConfig, tokenHash: string, address: string): Promise<void> {
  const key = `${address} ${tokenHash}`;
  const running = checks.get(key);
  const check = running ?? checkToken(config, tokenHash, address).finally(() => checks.delete(key));
  checks.set(key, check);
  if (await check) return;
  if (running) await count(config, address);
  throw unknownToken();
}

/** Returns whether the token is valid. Subtracts the attempt also if the deployment does not answer. */
async function checkToken(config: AppConfig, tokenHash: string, address: string): Promise<boolean> {
  await count(config, address);
  const isUnknown = await serviceConvex(config)
    .query(api.accounts.accessTokens.find, { tokenHash })
    .then((holder) => holder === null)
    .catch(async (error: unknown) => {
      await uncountRefusal(address);
      throw error;
    });
  if (isUnknown) return false;
  valid.set(tokenHash, true);
  await uncountRefusal(address);
  return true;
}

async function count({ accounts }: AppConfig, address: string): Promise<void> {
  if (!accounts.rateLimit) return;
  const limit = await countRefusal(address);
  if (limit.isExceeded) throw tooMany(limit);
}

const CHALLENGE = { "WWW-Authenticate": 'Bearer realm="Atelier"' };
const unknownToken = () => new ApiError(401, "unauthenticated", "This token is unknown, expired or revoked.", CHALLENGE);

const tooMany = ({ seconds }: Limit) =>
  new ApiError(429, "rate_limited", `Too many requests. Try again in ${seconds} s.`, { "Retry-After": String(seconds) });
