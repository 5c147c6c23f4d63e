import { describe, expect, it } from "vitest";
import { arrived, followPages, type Later, nameOf, type PageRange, rangesOf, storedPages, storePages } from "./later-pages";

const NONE: Later = { of: "images", pageCount: 0, slots: [] };

const BOUNDS = { size: 2, most: 4 };

const answers = (ends: Record<string, string>) => (range: PageRange) => {
  const end = ends[range.cursor ?? "start"];
  return end === undefined ? undefined : { isDone: end === "", continueCursor: end, page: [] };
};

function settled(later: Later, start: string | null, ends: Record<string, string>): Later {
  const next = followPages(later, start, answers(ends), BOUNDS);
  return next === later ? later : settled(next, start, ends);
}

const cursors = ({ slots }: Later) => slots.map(({ cursor }) => cursor);

describe("followPages", () => {
  it("adds the requested pages, each at the end of the previous one", () => {
    const twoPages = { ...NONE, pageCount: 2 };
    expect(cursors(settled(twoPages, null, {}))).toEqual([null]);
    expect(cursors(settled(twoPages, null, { start: "a" }))).toEqual([null, "a"]);
    expect(cursors(settled(twoPages, "a", { a: "b", b: "c" }))).toEqual(["a", "b"]);
    expect(settled(NONE, null, {})).toBe(NONE);
  });

  it("returns the same state while no page's end moves", () => {
    const later = settled({ ...NONE, pageCount: 2 }, null, { start: "a", a: "b" });
    expect(followPages(later, null, answers({ start: "a", a: "b" }), BOUNDS)).toBe(later);
  });

  it("follows a page whose end moved, and shows the old page until the new one loads", () => {
    const later = settled({ ...NONE, pageCount: 3 }, null, { start: "a", a: "b", b: "c" });
    const moved = settled(later, null, { start: "x", a: "b", b: "c" });
    expect(moved.slots).toEqual([{ cursor: null }, { cursor: "x", before: { cursor: "a" } }, { cursor: "b" }]);
    const here = settled(moved, null, { start: "x", a: "b", x: "b", b: "c" });
    expect(here.slots).toEqual([{ cursor: null }, { cursor: "x" }, { cursor: "b" }]);
    expect(settled(moved, null, { start: "y", a: "b", b: "c" }).slots[1]).toEqual({ cursor: "y", before: { cursor: "a" } });
  });

  it("stops at the end of the list", () => {
    const later = settled({ ...NONE, pageCount: 3 }, null, { start: "a", a: "b", b: "c" });
    const shorter = settled(later, null, { start: "a", a: "" });
    expect([cursors(shorter), shorter.pageCount]).toEqual([[null, "a"], 2]);
  });
});

function numbers(upTo: number, firstEnds: Record<string, number>) {
  return (range: PageRange) => {
    const from = Number(range.cursor ?? 0);
    const end = range.end === undefined ? (firstEnds[nameOf(range)] ?? from + 2) : Number(range.end);
    const last = Math.min(end, upTo);
    const page = Array.from({ length: Math.max(0, last - from) }, (_, index) => from + index + 1);
    const isLast = end >= upTo;
    return { page, isDone: isLast, continueCursor: isLast ? "end" : String(end), splitCursor: String(from + Math.ceil(page.length / 2)) };
  };
}

function shownOf(later: Later, start: string | null, answerAt: ReturnType<typeof numbers>): { later: Later; most: number } {
  let most = 0;
  for (let now = later; ;) {
    for (const slot of now.slots) most = Math.max(most, answerAt(slot).page.length);
    const next = followPages(now, start, answerAt, BOUNDS);
    if (next === now) return { later: now, most };
    now = next;
  }
}

describe("a grown page", () => {
  const first = { cursor: null };
  const open = { ...NONE, pageCount: 1, slots: [first] };

  it("stays until both halves are loaded", () => {
    const ends = { [nameOf(first)]: 6 };
    const parting = followPages(open, null, numbers(9, ends), BOUNDS);
    const [upper, lower] = [
      { cursor: null, end: "3" },
      { cursor: "3", end: "6" },
    ];
    expect(parting.slots).toEqual([{ ...first, parts: [upper, lower] }]);
    expect(rangesOf(parting)).toEqual([first, upper, lower]);
    const waiting = (range: PageRange) => (range.end === "3" ? undefined : numbers(9, ends)(range));
    expect(followPages(parting, null, waiting, BOUNDS)).toBe(parting);
    const parted = followPages(parting, null, numbers(9, ends), BOUNDS);
    expect([parted.slots, parted.pageCount]).toEqual([[upper, lower], 2]);
    expect(followPages(open, null, numbers(9, { [nameOf(first)]: 4 }), BOUNDS)).toBe(open);
    const withoutSplit = (range: PageRange) => ({ ...numbers(9, ends)(range), splitCursor: null });
    expect(followPages(open, null, withoutSplit, BOUNDS)).toBe(open);
  });

  it("is split until no page is large, up to the maximum number of pages", () => {
    const { later } = shownOf(open, null, numbers(50, { [nameOf(first)]: 40 }));
    expect(later.slots.length).toBeLessThanOrEqual(BOUNDS.most);
    const answerAt = numbers(50, { [nameOf(first)]: 40 });
    expect(Math.max(...later.slots.map((slot) => answerAt(slot).page.length))).toBeLessThanOrEqual(2 * BOUNDS.size);
    for (const [index, slot] of later.slots.entries()) expect(slot.cursor).toBe(index === 0 ? null : later.slots[index - 1]?.end);
  });

  it("is split at the list's end", () => {
    const { later } = shownOf(open, null, numbers(6, { [nameOf(first)]: 6 }));
    expect(later.slots).toEqual([{ cursor: null, end: "3" }, { cursor: "3" }]);
  });
});

describe("stored pages", () => {
  it("belong to one list and history entry, and are pending until they load", () => {
    const later = { ...NONE, pageCount: 2, slots: [{ cursor: null }, { cursor: "a", before: { cursor: "b" } }] };
    storePages("place", later, () => undefined);
    const back = storedPages("place", "images");
    expect(back).toEqual({
      ...later,
      slots: [
        { cursor: null, returning: true },
        { cursor: "a", returning: true },
      ],
    });
    expect(arrived(back).slots).toEqual([{ cursor: null }, { cursor: "a" }]);
    expect(arrived(later)).toBe(later);
    expect(storedPages("place", "others")).toEqual({ of: "others", pageCount: 0, slots: [] });
    expect(storedPages("elsewhere", "images")).toEqual(NONE);
  });

  it("include each page's end, except the last page's", () => {
    const later = settled({ ...NONE, pageCount: 3 }, null, { start: "a", a: "b", b: "" });
    storePages("left", later, answers({ start: "a", a: "b", b: "" }));
    expect(arrived(storedPages("left", "images")).slots).toEqual([{ cursor: null, end: "a" }, { cursor: "a", end: "b" }, { cursor: "b" }]);
  });

  it("are evicted with the list's pages and after many newer entries", () => {
    const later = { ...NONE, pageCount: 1, slots: [{ cursor: "a" }] };
    storePages("one", later, answers({}));
    storePages("one", NONE, answers({}));
    expect(storedPages("one", "images")).toEqual(NONE);
    storePages("one", later, answers({}));
    for (let other = 0; other < 30; other++) storePages(`other ${other}`, later, answers({}));
    expect(storedPages("one", "images")).toEqual(NONE);
    expect(storedPages("other 29", "images").pageCount).toBe(1);
  });
});
