import { assert, constantFrom, integer, property, record } from "fast-check";
import { beforeEach, expect, it } from "vitest";
import { createMarkupCache, type MarkupCache, type PageSource } from "./markup-cache.server";

const page = (text: string) => [Buffer.from(text)];
const source = (root: Record<string, unknown>, list: unknown = [], address = "/projects"): PageSource => ({
  address,
  loaderData: { root, list: { list } },
  once: [],
});

let now = 0;
let pages: MarkupCache;
beforeEach(() => {
  now = 1_800_000_000_000;
  pages = createMarkupCache(1000, () => now);
});

it("returns markup only for the same address and data", () => {
  const kept = page("kept");
  pages.store(source({ user: "ada", theme: "dark" }, ["one"]), kept, Infinity);
  expect(pages.find(source({ user: "ada", theme: "dark" }, ["one"]))).toBe(kept);
  expect(pages.find(source({ user: "bob", theme: "dark" }, ["one"]))).toBeNull();
  expect(pages.find(source({ user: "ada", theme: "light" }, ["one"]))).toBeNull();
  expect(pages.find(source({ user: "ada", theme: "dark" }, ["two"]))).toBeNull();
  expect(pages.find(source({ user: "ada", theme: "dark" }, ["one"], "/projects?sort=name"))).toBeNull();
});

it("never returns one user's page to another user", { tags: "@never-returns-users-page-another-user" }, () => {
  const few = record({
    user: constantFrom("ada", "bob", null),
    theme: constantFrom("dark", "light"),
    list: constantFrom("one", "two"),
    address: constantFrom("/projects", "/trash"),
  });
  assert(
    property(few, few, few, integer({ min: 200, max: 4000 }), (first, second, third, bytes) => {
      const some = createMarkupCache(bytes, () => now);
      for (const each of [first, second, third, first, second]) {
        const made = JSON.stringify(each);
        const requested = () => source({ user: each.user, theme: each.theme }, { deep: [each.list] }, each.address);
        const found = some.find(requested());
        if (!found) some.store(requested(), page(made), Infinity);
        expect(found ? String(found[0]) : made).toBe(made);
      }
    }),
  );
});

it("evicts a page when its text changes, and every page after 15 minutes", () => {
  pages.store(source({ user: "ada" }), page("3 minutes ago"), now + 60_000);
  pages.store(source({ user: "bob" }), page("yesterday"), Infinity);
  now += 59_999;
  expect(pages.find(source({ user: "ada" }))).not.toBeNull();
  now += 1;
  expect(pages.find(source({ user: "ada" }))).toBeNull();
  expect(pages.find(source({ user: "bob" }))).not.toBeNull();
  now += 15 * 60_000;
  expect(pages.find(source({ user: "bob" }))).toBeNull();
});

it("stays within its byte limit and evicts the least recently used page", () => {
  const [a, b, c] = ["a", "b", "c"].map((user) => source({ user }));
  if (!a || !b || !c) throw new Error();
  pages.store(a, page("a".repeat(200)), Infinity);
  pages.store(b, page("b".repeat(200)), Infinity);
  pages.find(a);
  pages.store(c, page("c".repeat(200)), Infinity);
  expect([a, b, c].map((each) => pages.find(each) !== null)).toEqual([true, false, true]);
  pages.store(b, page("b".repeat(2000)), Infinity);
  expect([a, b, c].map((each) => pages.find(each) !== null)).toEqual([true, false, true]);
});

it("finds a page whose single-use values differ", () => {
  const requested = (value: string): PageSource => ({ address: "/design", loaderData: { design: { sending: value } }, once: [value] });
  const kept = page("kept");
  pages.store(requested("one"), kept, Infinity);
  expect(pages.find(requested("two"))).toBe(kept);
});
