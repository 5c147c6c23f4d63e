import { describe, expect, it, vi } from "vitest";
import { createAccessCache, GRANT_MS, STORED_MS, type AccessibleImage } from "./access-cache.server";

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

  it("loads all images of a page with the first one, and grants none that is missing", async () => {
    const groups: string[][] = [];
    const load = async () => picture;
    const accessCache = createAccessCache(load, Date.now, async (_session, images) => {
      groups.push(images.map(({ imageId }) => imageId));
      return images.map(({ imageId }) => (imageId === "gone" ? null : { ...picture, storageUrl: imageId }));
    });
    accessCache.expect("s", [{ imageId: "a" }, { imageId: "gone" }, { imageId: "b" }]);
    expect((await accessCache.get("s", "a"))?.storageUrl).toBe("a");
    expect((await accessCache.getStored("s", "b"))?.storageUrl).toBe("b");
    expect(groups).toEqual([["a", "gone", "b"]]);
    expect(await accessCache.get("s", "gone")).toBeNull();
    expect(groups).toHaveLength(2);
    expect(await accessCache.getStored("other", "a")).toBeUndefined();
  });

  it("loads the storage addresses of images of a page with one call", async () => {
    let loads = 0;
    const accessCache = createAccessCache(
      async () => null,
      () => Date.now(),
      async (_session, images) => {
        loads++;
        return images.map(() => ({ ...picture, storageUrl: "x" }));
      },
    );
    accessCache.storePage("s", [
      { ...picture, _id: "a" },
      { ...picture, _id: "b" },
    ]);
    expect(await accessCache.get("s", "a")).toEqual(picture);
    expect(loads).toBe(0);
    const stored = await Promise.all([accessCache.getStored("s", "a"), accessCache.getStored("s", "b")]);
    expect(stored.map((each) => each?.storageUrl)).toEqual(["x", "x"]);
    expect(loads).toBe(1);
    vi.spyOn(Date, "now").mockReturnValue(Date.now() + STORED_MS);
    await accessCache.getStored("s", "a");
    expect(loads).toBe(2);
  });

  it("sends no query for pictures that a loader has just received", async () => {
    const { accessCache, requests, pass } = setUp(async () => null);
    accessCache.store("s", [{ ...picture, _id: "i" }]);
    expect(await accessCache.get("s", "i")).toEqual(picture);
    pass(GRANT_MS);
    expect(await accessCache.get("s", "i")).toBeNull();
    expect(requests).toEqual(["s i"]);
  });
});
