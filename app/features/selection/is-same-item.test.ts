import { expect, it } from "vitest";
import { isSameItem } from "./is-same-item";
import type { Selection } from "./use-selection";

const NONE: Selection = {
  on: false,
  chosen: [],
  onOtherPages: [],
  whole: null,
  count: 0,
  total: 2,
  isWholePossible: false,
  fields: () => [],
  ids: ["a", "b"],
  has: () => false,
  begin() {},
  toggle() {},
  choose() {},
  chooseAll() {},
  clear() {},
  end() {},
  focus() {},
};

type Props = { item: { _id: string }; isManual?: boolean; selection: Selection };
const isSame = isSameItem<Props>(({ item }) => item._id);
const choosing = (...ids: string[]): Selection => ({ ...NONE, on: true, has: (id) => ids.includes(id) });

it("re-renders an item only when its props or its own selection state change", () => {
  const item = { _id: "a" };
  expect(isSame({ item, selection: NONE }, { item, selection: { ...NONE } })).toBe(true);
  expect(isSame({ item, selection: choosing("a") }, { item, selection: choosing("a", "b") })).toBe(true);
  expect(isSame({ item, selection: choosing("b") }, { item, selection: choosing("a", "b") })).toBe(false);
  expect(isSame({ item, selection: NONE }, { item, selection: choosing() })).toBe(false);
  expect(isSame({ item, selection: NONE }, { item: { _id: "a" }, selection: NONE })).toBe(false);
  expect(isSame({ item, selection: NONE }, { item, isManual: true, selection: NONE })).toBe(false);
});
