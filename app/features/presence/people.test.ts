import { expect, it } from "vitest";
import type { Id } from "#convex/_generated/dataModel";
import { colourOf, peopleIn, type Tab } from "./people";

const tab = (id: string, userId: string, more: Partial<Tab> = {}): Tab => ({
  _id: id as Id<"presence">,
  userId,
  name: userId,
  isAway: false,
  isWatching: false,
  isMe: false,
  ...more,
});
const image = (id: string) => ({ imageId: id as Id<"designImages"> });

it("shows every other person once and prefers visible tabs with an image", () => {
  const tabs = [
    tab("1", "eve", { isAway: true, ...image("a") }),
    tab("2", "bob"),
    tab("3", "eve"),
    tab("4", "eve", image("b")),
    tab("5", "me", { isMe: true }),
  ];
  expect(peopleIn(tabs).map((each) => [each.name, each.isAway, each.tab._id])).toEqual([
    ["eve", false, "4"],
    ["bob", false, "2"],
  ]);
  expect(peopleIn(tabs, "a").map((each) => [each.name, each.isAway])).toEqual([["eve", true]]);
});

it("gives each person a constant colour out of eight", () => {
  const colours = Array.from({ length: 100 }, (_, each) => colourOf(`person ${each}`));
  expect(new Set(colours).size).toBe(8);
  expect(colourOf("person 7")).toBe(colours[7]);
});
