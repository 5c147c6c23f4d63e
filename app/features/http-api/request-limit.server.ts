import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { normalizeIP } from "@better-auth/core/utils/ip";

/** Limits per app server: for each token, and for each address's requests without a valid token. */
const REQUESTS_PER_MINUTE = 600;
const REFUSALS_PER_MINUTE = 60;

const requests = new RateLimiterMemory({ keyPrefix: "token", points: REQUESTS_PER_MINUTE, duration: 60 });
const refusals = new RateLimiterMemory({ keyPrefix: "address", points: REFUSALS_PER_MINUTE, duration: 60 });

export type Limit = { isExceeded: boolean; limit: number; remaining: number; seconds: number };

export async function countRequest(tokenHash: string): Promise<Limit> {
  const state = await consume(requests, tokenHash);
  return limitOf(state.result, state.isExceeded, REQUESTS_PER_MINUTE);
}

export async function countRefusal(address: string): Promise<Limit> {
  const state = await consume(refusals, networkOf(address));
  return limitOf(state.result, state.isExceeded, REFUSALS_PER_MINUTE);
}

export async function uncountRefusal(address: string): Promise<void> {
  await refusals.reward(networkOf(address));
}

const networkOf = (address: string): string => normalizeIP(address, { ipv6Subnet: 64 });

async function consume(limiter: RateLimiterMemory, key: string): Promise<{ result: RateLimiterRes; isExceeded: boolean }> {
  try {
    return { result: await limiter.consume(key), isExceeded: false };
  } catch (error) {
    if (error instanceof RateLimiterRes) return { result: error, isExceeded: true };
    throw error;
  }
}

function limitOf(result: RateLimiterRes | null, isExceeded: boolean, limit: number): Limit {
  return {
    isExceeded,
    limit,
    remaining: Math.max(0, result?.remainingPoints ?? limit),
    seconds: Math.max(1, Math.ceil((result?.msBeforeNext ?? 0) / 1000)),
  };
}
