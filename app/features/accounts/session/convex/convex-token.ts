export const CONVEX_TOKEN_ADDRESS = "/api/auth/convex/token";

/** Specification 9: base 100 ms, doubling to 1000 ms, 50% jitter, giving up after more than 10 retries. */
export const RETRY = { baseMs: 100, maxMs: 1000, jitter: 0.5, times: 10 };

/** Fetches a token for the deployment, with retries; null means signed out (specification 8). Throws after the last retry. */
export async function fetchConvexToken(
  wait: (ms: number) => Promise<void> = pause,
  address: string = CONVEX_TOKEN_ADDRESS,
): Promise<string | null> {
  for (let retry = 0; ; retry++) {
    try {
      return await requestToken(address);
    } catch (error) {
      if (retry >= RETRY.times) throw error;
      await wait(delayBefore(retry));
    }
  }
}

function delayBefore(retry: number): number {
  const full = Math.min(RETRY.baseMs * 2 ** retry, RETRY.maxMs);
  return full * (1 - RETRY.jitter * Math.random());
}

async function requestToken(address: string): Promise<string | null> {
  const response = await fetch(address, { headers: { Accept: "application/json" } });
  const answer: unknown = await response.json().catch(() => null);
  if (response.status === 401) return null;
  if (!response.ok) throw new Error(`The token could not be fetched: ${response.status}`);
  if (typeof answer === "object" && answer !== null && "token" in answer && typeof answer.token === "string") return answer.token;
  throw new Error("The token could not be fetched: invalid response");
}

export function readToken(token: string): { userId: string; expiresAt: number } | null {
  try {
    const payload = token.split(".")[1] ?? "";
    const claims: unknown = JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/")));
    if (typeof claims !== "object" || claims === null || !("sub" in claims) || !("exp" in claims)) return null;
    return typeof claims.sub === "string" && typeof claims.exp === "number" ? { userId: claims.sub, expiresAt: claims.exp * 1000 } : null;
  } catch {
    return null;
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
