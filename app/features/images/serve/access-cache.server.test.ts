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

  it("loads unknown images that are requested together with one call per session", async () => {
    const calls: string[] = [];
    const answer = (sessionId: string, imageId: string) => (imageId === "gone" ? null : { ...picture, name: `${sessionId} ${imageId}` });
    const accessCache = createAccessCache(
      async (sessionId, imageId) => {
        calls.push(`one ${sessionId}`);
        return answer(sessionId, imageId);
      },
      Date.now,
      async (sessionId, images) => {
        calls.push(`${images.length} ${sessionId}`);
        return images.map(({ imageId }) => answer(sessionId, imageId));
      },
    );
    const many = Array.from({ length: 51 }, (_, index) => accessCache.get("s", String(index)));
    const [other, gone, own] = [accessCache.get("t", "a"), accessCache.get("s", "gone"), accessCache.get("s", "51")];
    expect(await Promise.all(many)).toEqual(many.map((_, index) => ({ ...picture, name: `s ${index}` })));
    expect(await Promise.all([other, gone, own])).toEqual([{ ...picture, name: "t a" }, null, { ...picture, name: "s 51" }]);
    expect(calls.toSorted()).toEqual(["3 s", "50 s", "one t"]);
  });

  it("rejects every request of a call that failed, and sends another for the next", async () => {
    let isDown = true;
    const accessCache = createAccessCache(
      async () => picture,
      Date.now,
      async (_session, images) => {
        if (isDown) throw new Error("down");
        return images.map(() => picture);
      },
    );
    const answers = await Promise.allSettled([accessCache.get("s", "a"), accessCache.get("s", "b")]);
    expect(answers.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    isDown = false;
    expect(await Promise.all([accessCache.get("s", "a"), accessCache.get("s", "b")])).toEqual([picture, picture]);
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
