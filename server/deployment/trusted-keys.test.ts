import { describe, expect, it } from "vitest";
import { makeSecrets } from "./secrets.ts";
import { KeyError, planKeys } from "./trusted-keys.ts";

const [current, old, foreign] = await Promise.all([1, 2, 3].map(async () => (await makeSecrets()).signingKey));
if (!current || !old || !foreign) throw new Error("no keys");
const none = { rotate: false, removeOld: false };
const MINUTE = 60_000;
const NOW = Date.UTC(2026, 0, 1);

const plan = (keys: (typeof current)[], given: typeof current | null, flags: Partial<typeof none> = {}, rotated = 0) =>
  planKeys(
    { keys, rotatedAt: rotated === 0 ? null : new Date(NOW - rotated) },
    given,
    { ...none, ...flags },
    { tokenLifetime: 900, now: NOW },
  );

describe("planKeys", () => {
  it("publishes the first key", () => {
    expect(plan([], null)).toBe("publish");
    expect(plan([], current)).toBe("publish");
  });

  it("keeps the published keys when they include the key", () => {
    expect(plan([current], current)).toBe("keep");
    expect(plan([current, old], old)).toBe("keep");
  });

  it("rejects a missing or different TOKEN_SIGNING_KEY, and names it", () => {
    expect(() => plan([current], null)).toThrow(KeyError);
    expect(() => plan([current], null)).toThrow(/^TOKEN_SIGNING_KEY is missing/);
    expect(() => plan([current], foreign)).toThrow(/^TOKEN_SIGNING_KEY is a different key/);
    expect(() => plan([current], { ...current, kid: foreign.kid })).toThrow(/^TOKEN_SIGNING_KEY is a different key/);
  });

  it("creates a key only with the flag, also when the old one is lost", () => {
    expect(plan([current], current, { rotate: true })).toBe("rotate");
    expect(plan([current], null, { rotate: true })).toBe("rotate");
  });

  it("removes old keys no earlier than the lifetime of a token after a rotation", () => {
    expect(() => plan([current, old], current, { removeOld: true }, 14 * MINUTE)).toThrow("can be valid until 2026-01-01T00:01:00.000Z");
    expect(plan([current, old], current, { removeOld: true }, 15 * MINUTE)).toBe("removeOld");
    expect(() => plan([current, old], old, { removeOld: true }, 15 * MINUTE)).toThrow("TOKEN_SIGNING_KEY is an old key");
  });
});
