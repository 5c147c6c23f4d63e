import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";

const HOUR_SECONDS = 60 * 60;

export const FAILURES_PER_HOUR = { network: 60, account: 60, total: 300 };

export type FailureLimit = (failure: { network: string; userId: string | undefined }) => Promise<{ isRecorded: boolean; isLast: boolean }>;

/** Limits the failures in the audit log, so that an attacker cannot fill it. Counts in memory, so that rejected events cost no writes. */
export function createFailureLimit(points = FAILURES_PER_HOUR): FailureLimit {
  const limiterOf = (keyPrefix: keyof typeof points) =>
    new RateLimiterMemory({ keyPrefix, points: points[keyPrefix], duration: HOUR_SECONDS });
  const [ofNetwork, ofAccount, total] = [limiterOf("network"), limiterOf("account"), limiterOf("total")];
  return async ({ network, userId }) => {
    const steps: [RateLimiterMemory, string][] = [
      [ofNetwork, network],
      ...(userId === undefined ? [] : [[ofAccount, userId] as [RateLimiterMemory, string]]),
      [total, ""],
    ];
    let isLast = false;
    for (const [limiter, key] of steps) {
      const { remainingPoints, isExceeded } = await consume(limiter, key);
      if (isExceeded) return { isRecorded: false, isLast: false };
      isLast ||= remainingPoints === 0;
    }
    return { isRecorded: true, isLast };
  };
}

async function consume(limiter: RateLimiterMemory, key: string): Promise<{ remainingPoints: number; isExceeded: boolean }> {
  try {
    return { remainingPoints: (await limiter.consume(key)).remainingPoints, isExceeded: false };
  } catch (error) {
    if (error instanceof RateLimiterRes) return { remainingPoints: 0, isExceeded: true };
    throw error;
  }
}
