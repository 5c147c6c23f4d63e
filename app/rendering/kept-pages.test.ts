import { assert, constantFrom, integer, property, record } from "fast-check";
import { beforeEach, expect, it } from "vitest";
import { createKeptPages, type KeptPages, type PageSource } from "./kept-pages.server";

const page = (text: string) => [Buffer.from(text)];
const source = (root: Record<string, unknown>, list: unknown = [], address = "/projects"): PageSource => ({
  address,
  loaderData: { root, list: { list } },
  once: [],
});

let now = 0;
let pages: KeptPages;
beforeEach(() => {
  now = 1_800_000_000_000;
  pages = createKeptPages(1000, () => now);
});

it("gives a page's markup for the same address and data, and for no other", () => {
  const kept = page("kept");
  pages.keep(source({ user: "ada", theme: "dark" }, ["one"]), kept, Infinity);
  expect(pages.find(source({ user: "ada", theme: "dark" }, ["one"]))).toBe(kept);
  expect(pages.find(source({ user: "bob", theme: "dark" }, ["one"]))).toBeNull();
  expect(pages.find(source({ user: "ada", theme: "light" }, ["one"]))).toBeNull();
  expect(pages.find(source({ user: "ada", theme: "dark" }, ["two"]))).toBeNull();
  expect(pages.find(source({ user: "ada", theme: "dark" }, ["one"], "/projects?sort=name"))).toBeNull();
});

it("never gives one person's page to another, whatever is kept and asked for in whatever order", () => {
  const few = record({
    user: constantFrom("ada", "bob", null),
    theme: constantFrom("dark", "light"),
    list: constantFrom("one", "two"),
    address: constantFrom("/projects", "/trash"),
  });
  assert(
    property(few, few, few, integer({ min: 200, max: 4000 }), (first, second, third, bytes) => {
      const some = createKeptPages(bytes, () => now);
      for (const each of [first, second, third, first, second]) {
        const made = JSON.stringify(each);
        const asked = () => source({ user: each.user, theme: each.theme }, { deep: [each.list] }, each.address);
        const found = some.find(asked());
        if (!found) some.keep(asked(), page(made), Infinity);
        expect(found ? String(found[0]) : made).toBe(made);
      }
    }),
  );
});

it("forgets a page once something on it reads differently, and all of them in time", () => {
  pages.keep(source({ user: "ada" }), page("3 minutes ago"), now + 60_000);
  pages.keep(source({ user: "bob" }), page("yesterday"), Infinity);
  now += 59_999;
  expect(pages.find(source({ user: "ada" }))).not.toBeNull();
  now += 1;
  expect(pages.find(source({ user: "ada" }))).toBeNull();
  expect(pages.find(source({ user: "bob" }))).not.toBeNull();
  now += 15 * 60_000;
  expect(pages.find(source({ user: "bob" }))).toBeNull();
});

it("holds no more than it may, and lets go first of what was asked for longest ago", () => {
  const [a, b, c] = ["a", "b", "c"].map((user) => source({ user }));
  if (!a || !b || !c) throw new Error();
  pages.keep(a, page("a".repeat(200)), Infinity);
  pages.keep(b, page("b".repeat(200)), Infinity);
  pages.find(a);
  pages.keep(c, page("c".repeat(200)), Infinity);
  expect([a, b, c].map((each) => pages.find(each) !== null)).toEqual([true, false, true]);
  // Too large to keep at all, and nothing else has to go for it.
  pages.keep(b, page("b".repeat(2000)), Infinity);
  expect([a, b, c].map((each) => pages.find(each) !== null)).toEqual([true, false, true]);
});

it("finds a page again whose values are used once", () => {
  const asked = (value: string): PageSource => ({ address: "/design", loaderData: { design: { sending: value } }, once: [value] });
  const kept = page("kept");
  pages.keep(asked("one"), kept, Infinity);
  expect(pages.find(asked("two"))).toBe(kept);
});
