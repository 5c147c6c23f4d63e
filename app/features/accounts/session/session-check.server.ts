import { LRUCache } from "lru-cache";
import { api } from "#convex/_generated/api";
import type { AppConfig } from "~/config";
import { showSize } from "~/lib/http/telemetry/metrics.server";
import { serviceConvex } from "./convex/service-client.server";

/** How long a session that ended on another server is still accepted by `expectRecentSession`. */
const RECENT_MS = 10_000;
const MAX = 10_000;

const checked = new LRUCache<string, true>({ max: MAX, ttl: RECENT_MS });
showSize("checked_sessions", () => checked.size);

/** Throws "unauthenticated" when the session has ended. The cached token of a visitor does not show it. */
export async function expectSession(config: AppConfig, sessionId: string): Promise<void> {
  checked.delete(sessionId);
  await serviceConvex(config).query(api.uploads.expectSession, { sessionId });
  recordSessionCheck(sessionId);
}

/** Throws like `expectSession`, but sends no call for a recently checked session. For requests whose effect needs a further check. */
export async function expectRecentSession(config: AppConfig, sessionId: string): Promise<void> {
  if (!checked.has(sessionId)) await expectSession(config, sessionId);
}

export const recordSessionCheck = (sessionId: string): void => void checked.set(sessionId, true);

export const clearSessionCache = (): void => checked.clear();
