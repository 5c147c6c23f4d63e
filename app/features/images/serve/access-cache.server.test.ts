import { describe, expect, it, vi } from "vitest";
import { IMAGE_GRANT_MAX_MS } from "#convex/model/rules";
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

describe("createAccessCache with revocations", () => {
  const granted: AccessibleImage = { ...picture, storageUrl: "x", rows: ["image", "project"] };

  function setUpFollowing(answer: () => AccessibleImage | null = () => granted) {
    let now = 0;
    let position = 0;
    let isUp = true;
    const changes = new Map<string, number>();
    const requested: string[] = [];
    const accessCache = createAccessCache(
      async (sessionId, imageId) => {
        requested.push(`${sessionId} ${imageId}`);
        return answer();
      },
      () => now,
      undefined,
      {
        position: () => position,
        stateOf: (rows, since) => (rows.some((row) => (changes.get(row) ?? 0) > since) ? "changed" : isUp ? "unchanged" : "unknown"),
      },
    );
    return {
      accessCache,
      requests: requested,
      pass: (ms: number) => (now += ms),
      change: (row: string) => changes.set(row, ++position),
      setUp: (up: boolean) => (isUp = up),
    };
  }

  it("loads an image once per visit", { tags: "@grant-lasts" }, async () => {
    const { accessCache, requests, pass } = setUpFollowing();
    for (const ms of [0, GRANT_MS, IMAGE_GRANT_MAX_MS - GRANT_MS - 1]) {
      pass(ms);
      expect(await accessCache.get("s", "i")).toEqual(granted);
      expect(await accessCache.getStored("s", "i")).toEqual(granted);
    }
    expect(requests).toHaveLength(1);
    pass(1);
    await accessCache.get("s", "i");
    expect(requests).toHaveLength(2);
  });

  it("loads an image again after a row has changed", { tags: "@grant-revoked" }, async () => {
    let image: AccessibleImage | null = granted;
    const { accessCache, requests, change } = setUpFollowing(() => image);
    await accessCache.get("s", "i");
    change("another project");
    await accessCache.get("s", "i");
    expect(requests).toHaveLength(1);
    image = null;
    change("project");
    expect(await accessCache.get("s", "i")).toBeNull();
  });

  it("loads an image again if a row changed while it was loaded", async () => {
    let changeLater = (): unknown => undefined;
    const { accessCache, requests, change } = setUpFollowing(() => {
      changeLater();
      return granted;
    });
    changeLater = () => change("project");
    await accessCache.get("s", "i");
    changeLater = () => undefined;
    await accessCache.get("s", "i");
    await accessCache.get("s", "i");
    expect(requests).toHaveLength(2);
  });

  it("loads an image again after ten seconds while the subscription is down", { tags: "@grant-while-down" }, async () => {
    const { accessCache, requests, pass, setUp: setSubscription } = setUpFollowing();
    await accessCache.get("s", "i");
    setSubscription(false);
    pass(GRANT_MS - 1);
    await accessCache.get("s", "i");
    expect(requests).toHaveLength(1);
    pass(1);
    await accessCache.get("s", "i");
    expect(requests).toHaveLength(2);
    setSubscription(true);
    pass(GRANT_MS);
    await accessCache.get("s", "i");
    expect(requests).toHaveLength(2);
  });

  it.each([
    { isFollowed: true, calls: 4 },
    { isFollowed: false, calls: 240 },
  ])("sends $calls calls for 200 images in ten minutes, followed: $isFollowed", async ({ isFollowed, calls }) => {
    let now = 0;
    let sent = 0;
    const accessCache = createAccessCache(
      async () => granted,
      () => now,
      async (_session, images) => {
        sent++;
        return images.map(() => granted);
      },
      { position: () => 0, stateOf: () => (isFollowed ? "unchanged" : "unknown") },
    );
    const images = Array.from({ length: 200 }, (_, index) => ({ imageId: `${index}` }));
    accessCache.expect("s", images);
    for (; now < 600_000; now += GRANT_MS) await Promise.all(images.map(({ imageId }) => accessCache.get("s", imageId)));
    expect(sent).toBe(calls);
  });

  it("loads an image again near the end of the session", async () => {
    const { accessCache, requests, pass } = setUpFollowing(() => ({ ...granted, accessEndsAt: 100_000 }));
    await accessCache.get("s", "i");
    pass(39_999);
    await accessCache.get("s", "i");
    expect(requests).toHaveLength(1);
    pass(1);
    await accessCache.get("s", "i");
    expect(requests).toHaveLength(2);
  });

  it("keeps a grant when a page stores the same image, and replaces it by another file", async () => {
    const { accessCache, requests, pass } = setUpFollowing();
    await accessCache.get("s", "i");
    accessCache.store("s", [{ ...picture, _id: "i" }]);
    pass(GRANT_MS);
    await accessCache.get("s", "i");
    expect(requests).toHaveLength(1);
    accessCache.store("s", [{ ...picture, checksum: "d".repeat(64), _id: "i" }]);
    expect((await accessCache.get("s", "i"))?.checksum).toBe("d".repeat(64));
  });
});
