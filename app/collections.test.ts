/** Checks that collections in memory stay within their bounds after 100,000 entries (docs/scaling.md, "Collections and their bounds"). */
import type { JWTPayload } from "jose";
import { expect, it, vi } from "vitest";
import { testConfig } from "~/lib/http/testing";
import { readUserToken } from "./features/accounts/session/convex/tokens.server";
import { drawnPlaceholders, placeholderUrl } from "./features/images/display/placeholder";
import { addActivity, takeActivity } from "./lib/http/telemetry/request-activity.server";
import { metricsText } from "./lib/http/telemetry/metrics.server";
import { createConcurrencyLimit } from "./lib/http/concurrency-limit.server";
import { createAccessCache } from "./features/images/serve/access-cache.server";
import { createMarkupCache } from "./lib/rendering/markup-cache.server";

const MANY = 100_000;

vi.mock("jose", async (original) => ({
  ...(await original<object>()),
  jwtVerify: async (token: string): Promise<{ payload: JWTPayload }> => ({
    payload: { sub: token, exp: 2 ** 40, sessionId: "s", name: "Ada", email: "ada@example.com" },
  }),
}));

const sizeAtMetrics = async (collection: string) =>
  Number((await metricsText()).split(`atelier_collection_entries{collection="${collection}"} `)[1]?.split("\n")[0]);

it("caches at most 20,000 picture grants", () => {
  const accessCache = createAccessCache(async () => null);
  const picture = { contentType: "image/png", checksum: "c", name: "n", size: 1, width: 1, height: 1 };
  for (let each = 0; each < MANY; each++) accessCache.store("session", [{ _id: `${each}`, ...picture }]);
  expect(accessCache.size()).toBeLessThanOrEqual(20_000);
});

it("keeps cached pages within a byte limit and reports their number at /metrics", async () => {
  const pages = createMarkupCache(1000);
  const markup = [Buffer.alloc(5)];
  for (let each = 0; each < MANY; each++) pages.store({ address: `/${each}`, loaderData: {}, once: [] }, markup, Infinity);
  expect(await sizeAtMetrics("kept_pages")).toBe(100);
});

it("releases the slots of 100,000 users", () => {
  const limit = createConcurrencyLimit(1);
  const releases = Array.from({ length: MANY }, (_, each) => limit.acquire(`${each}`));
  for (const release of releases) release();
  expect(limit.users()).toBe(0);
});

it("stores at most 20 of 100,000 activities", () => {
  for (let each = 0; each < MANY; each++) addActivity(`${each}`);
  expect([takeActivity().length, takeActivity().length]).toEqual([20, 0]);
});

it("caches at most 1,000 verified tokens", async () => {
  for (let each = 0; each < MANY; each++) await readUserToken(testConfig.signingKey, `${each}`);
  expect(await sizeAtMetrics("verified_tokens")).toBe(1000);
});

it("caches at most 2,000 placeholders", () => {
  for (let each = 0; each < MANY; each++) placeholderUrl(btoa(`${each}`.padStart(4, "0").slice(-4)));
  for (let each = 0; each < MANY; each++) placeholderUrl(`no base64 ${each}`);
  expect(drawnPlaceholders.size).toBeLessThanOrEqual(2000);
});
