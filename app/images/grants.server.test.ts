import { describe, expect, it } from "vitest";
import { createGrants, GRANT_MS, type Granted } from "./grants.server";

const picture: Granted = { contentType: "image/png", checksum: "c".repeat(64), name: "a.png", size: 1, width: 2, height: 3 };

function setUp(answer: (sessionId: string, imageId: string) => Promise<Granted | null> = async () => picture) {
  let now = 0;
  const asked: string[] = [];
  const grants = createGrants(
    (sessionId, imageId) => {
      asked.push(`${sessionId} ${imageId}`);
      return answer(sessionId, imageId);
    },
    () => now,
  );
  return { grants, asked, pass: (ms: number) => (now += ms) };
}

describe("createGrants", () => {
  it("asks once for all who ask meanwhile, and again when the time is over", async () => {
    const { grants, asked, pass } = setUp();
    await Promise.all([grants.get("s", "i"), grants.get("s", "i")]);
    pass(GRANT_MS - 1);
    expect(await grants.get("s", "i")).toEqual(picture);
    expect(asked).toHaveLength(1);
    pass(1);
    await grants.get("s", "i");
    expect(asked).toHaveLength(2);
  });

  it("does not prolong a grant by its use", async () => {
    const { grants, asked, pass } = setUp();
    for (let second = 0; second < 25; second++) {
      await grants.get("s", "i");
      pass(1000);
    }
    expect(asked).toHaveLength(3);
  });

  it("grants nothing to another session", async () => {
    const { grants } = setUp(async (sessionId) => (sessionId === "mine" ? picture : null));
    expect(await grants.get("mine", "i")).toEqual(picture);
    expect(await grants.get("theirs", "i")).toBeNull();
  });

  it("remembers neither a refusal nor a failure", async () => {
    let there = false;
    let broken = false;
    const { grants } = setUp(async () => {
      if (broken) throw new Error("down");
      return there ? picture : null;
    });
    expect(await grants.get("s", "i")).toBeNull();
    broken = true;
    await expect(grants.get("s", "i")).rejects.toThrow("down");
    broken = false;
    there = true;
    expect(await grants.get("s", "i")).toEqual(picture);
  });

  it("asks nothing for what a loader has just been given", async () => {
    const { grants, asked, pass } = setUp(async () => null);
    grants.note("s", [{ ...picture, _id: "i" }]);
    expect(await grants.get("s", "i")).toEqual(picture);
    pass(GRANT_MS);
    expect(await grants.get("s", "i")).toBeNull();
    expect(asked).toEqual(["s i"]);
  });
});
