import { expect, it } from "vitest";
import { sameThing, type Selection } from "./use-selection";

const NONE: Selection = {
  on: false,
  chosen: [],
  elsewhere: [],
  ids: ["a", "b"],
  isPart: false,
  has: () => false,
  begin() {},
  toggle() {},
  choose() {},
  clear() {},
  end() {},
  focus() {},
};

type Props = { item: { _id: string }; byHand?: boolean; selection: Selection };
const isSame = sameThing<Props>(({ item }) => item._id);
const choosing = (...ids: string[]): Selection => ({ ...NONE, on: true, has: (id) => ids.includes(id) });

it("what shows a thing is rendered again for what it shows, and for its own mark alone", () => {
  const item = { _id: "a" };
  expect(isSame({ item, selection: NONE }, { item, selection: { ...NONE } })).toBe(true);
  expect(isSame({ item, selection: choosing("a") }, { item, selection: choosing("a", "b") })).toBe(true);
  expect(isSame({ item, selection: choosing("b") }, { item, selection: choosing("a", "b") })).toBe(false);
  expect(isSame({ item, selection: NONE }, { item, selection: choosing() })).toBe(false);
  expect(isSame({ item, selection: NONE }, { item: { _id: "a" }, selection: NONE })).toBe(false);
  expect(isSame({ item, selection: NONE }, { item, byHand: true, selection: NONE })).toBe(false);
});
