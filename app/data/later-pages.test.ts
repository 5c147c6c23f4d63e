import { describe, expect, it } from "vitest";
import { arrived, followPages, type Later, rememberedPages, rememberPages } from "./later-pages";

const NONE: Later = { of: "images", wanted: 0, slots: [] };

/** A list of which each page is known by where it begins, and ends where it says; "" for the last. */
const answers = (ends: Record<string, string>) => (cursor: string | null) => {
  const end = ends[cursor ?? "start"];
  return end === undefined ? undefined : { isDone: end === "", continueCursor: end };
};

/** Takes steps until nothing is to be done. */
function settled(later: Later, start: string | null, ends: Record<string, string>): Later {
  const next = followPages(later, start, answers(ends));
  return next === later ? later : settled(next, start, ends);
}

const cursors = ({ slots }: Later) => slots.map(({ cursor }) => cursor);

describe("followPages", () => {
  it("adds as many as are wanted, each where the one before it ends, once that is known", () => {
    const wanted = { ...NONE, wanted: 2 };
    expect(cursors(settled(wanted, null, {}))).toEqual([null]);
    expect(cursors(settled(wanted, null, { start: "a" }))).toEqual([null, "a"]);
    expect(cursors(settled(wanted, "a", { a: "b", b: "c" }))).toEqual(["a", "b"]);
    expect(settled(NONE, null, {})).toBe(NONE);
  });

  it("stays as it is while no page's end moves", () => {
    const later = settled({ ...NONE, wanted: 2 }, null, { start: "a", a: "b" });
    expect(followPages(later, null, answers({ start: "a", a: "b" }))).toBe(later);
  });

  it("goes after a page whose end has moved, and keeps what was shown until the new is here", () => {
    const later = settled({ ...NONE, wanted: 3 }, null, { start: "a", a: "b", b: "c" });
    const moved = settled(later, null, { start: "x", a: "b", b: "c" });
    expect(moved.slots).toEqual([{ cursor: null }, { cursor: "x", before: "a" }, { cursor: "b" }]);
    const here = settled(moved, null, { start: "x", a: "b", x: "b", b: "c" });
    expect(here.slots).toEqual([{ cursor: null }, { cursor: "x" }, { cursor: "b" }]);
    // Should it move on before that, what was shown last still stands.
    expect(settled(moved, null, { start: "y", a: "b", b: "c" }).slots[1]).toEqual({ cursor: "y", before: "a" });
  });

  it("ends with the list", () => {
    const later = settled({ ...NONE, wanted: 3 }, null, { start: "a", a: "b", b: "c" });
    const shorter = settled(later, null, { start: "a", a: "" });
    expect([cursors(shorter), shorter.wanted]).toEqual([[null, "a"], 2]);
  });
});

describe("what is remembered", () => {
  it("is the pages of this list at this place, to be waited for until they have come", () => {
    const later = { ...NONE, wanted: 2, slots: [{ cursor: null }, { cursor: "a", before: "b" }] };
    rememberPages("place", later);
    const back = rememberedPages("place", "images");
    expect(back).toEqual({
      ...later,
      slots: [
        { cursor: null, returning: true },
        { cursor: "a", returning: true },
      ],
    });
    expect(arrived(back).slots).toEqual([{ cursor: null }, { cursor: "a" }]);
    expect(arrived(later)).toBe(later);
    expect(rememberedPages("place", "others")).toEqual({ of: "others", wanted: 0, slots: [] });
    expect(rememberedPages("elsewhere", "images")).toEqual(NONE);
  });

  it("is forgotten with the list's pages, and where much else came after it", () => {
    const later = { ...NONE, wanted: 1, slots: [{ cursor: "a" }] };
    rememberPages("one", later);
    rememberPages("one", NONE);
    expect(rememberedPages("one", "images")).toEqual(NONE);
    rememberPages("one", later);
    for (let other = 0; other < 30; other++) rememberPages(`other ${other}`, later);
    expect(rememberedPages("one", "images")).toEqual(NONE);
    expect(rememberedPages("other 29", "images").wanted).toBe(1);
  });
});
