import { describe, expect, it } from "vitest";
import { createAccessCache, GRANT_MS, type AccessibleImage } from "./access-cache.server";

const picture: AccessibleImage = { contentType: "image/png", checksum: "c".repeat(64), name: "a.png", size: 1, width: 2, height: 3 };

function setUp(answer: (sessionId: string, imageId: string) => Promise<AccessibleImage | null> = async () => picture) {
  let now = 0;
  const requested: string[] = [];
  const accessCache = createAccessCache(
    (sessionId, imageId) => {
      requested.push(`${sessionId} ${imageId}`);
      return answer(sessionId, imageId);
    },
    () => now,
  );
  return { accessCache, requests: requested, pass: (ms: number) => (now += ms) };
}

describe("createAccessCache", () => {
  it("sends one query for simultaneous requests, and another after expiry", async () => {
    const { accessCache, requests, pass } = setUp();
    await Promise.all([accessCache.get("s", "i"), accessCache.get("s", "i")]);
    pass(GRANT_MS - 1);
    expect(await accessCache.get("s", "i")).toEqual(picture);
    expect(requests).toHaveLength(1);
    pass(1);
    await accessCache.get("s", "i");
    expect(requests).toHaveLength(2);
  });

  it("does not extend a grant when it is used", async () => {
    const { accessCache, requests, pass } = setUp();
    for (let second = 0; second < 25; second++) {
      await accessCache.get("s", "i");
      pass(1000);
    }
    expect(requests).toHaveLength(3);
  });

  it("grants nothing to another session", { tags: "@grants-nothing-another-session" }, async () => {
    const { accessCache } = setUp(async (sessionId) => (sessionId === "mine" ? picture : null));
    expect(await accessCache.get("mine", "i")).toEqual(picture);
    expect(await accessCache.get("theirs", "i")).toBeNull();
  });

  it("stores neither a refusal nor a failure", async () => {
    let exists = false;
    let broken = false;
    const { accessCache } = setUp(async () => {
      if (broken) throw new Error("down");
      return exists ? picture : null;
    });
    expect(await accessCache.get("s", "i")).toBeNull();
    broken = true;
    await expect(accessCache.get("s", "i")).rejects.toThrow("down");
    broken = false;
    exists = true;
    expect(await accessCache.get("s", "i")).toEqual(picture);
  });

  it("sends no query for pictures that a loader has just received", async () => {
    const { accessCache, requests, pass } = setUp(async () => null);
    accessCache.note("s", [{ ...picture, _id: "i" }]);
    expect(await accessCache.get("s", "i")).toEqual(picture);
    pass(GRANT_MS);
    expect(await accessCache.get("s", "i")).toBeNull();
    expect(requests).toEqual(["s i"]);
  });
});
