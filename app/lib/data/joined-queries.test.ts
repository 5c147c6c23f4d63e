import type { OptimisticLocalStore } from "convex/browser";
import { type FunctionReference, getFunctionName } from "convex/server";
import { describe, expect, it } from "vitest";
import { api } from "#convex/_generated/api";
import { refusalOf } from "#convex/model/errors";
import { answerAt, JOINED, joinPreloads, storeWithJoinedQueries } from "./joined-queries";

const { getUnreadCount } = api.notices;
const { getProjectById } = api.projects;

describe("answerAt", () => {
  it("returns the value of the query, and its rejection as an error", () => {
    const answers = [{ value: 1 }, { refusal: { code: "not_found" } }];
    expect(answerAt(answers, 0)).toBe(1);
    expect(refusalOf(answerAt(answers, 1))).toEqual({ code: "not_found" });
    expect(answerAt(undefined, 0)).toBeUndefined();
    expect(answerAt(new Error("lost"), 0)).toEqual(new Error("lost"));
  });
});

it("numbers joined preloads in their order", () => {
  const preload = (query: string, args: Record<string, string>) => ({ query, args, ts: "", value: null });
  const [first, second] = [preload("a:b", {}), preload("c:d", { id: "1" })];
  joinPreloads(first, second);
  const args = {
    queries: [
      { name: "a:b", args: {} },
      { name: "c:d", args: { id: "1" } },
    ],
  };
  expect([first, second]).toMatchObject([{ joined: { args, index: 0 } }, { joined: { args, index: 1 } }]);
});

describe("storeWithJoinedQueries", () => {
  const of = (query: FunctionReference<"query">, args: object = {}) => JSON.stringify([getFunctionName(query), args]);
  const queries = [
    { name: getFunctionName(getUnreadCount), args: {} },
    { name: getFunctionName(getProjectById), args: { id: "p1" } },
    { name: getFunctionName(getProjectById), args: { id: "gone" } },
  ];

  function open(separate: [string, unknown][] = []) {
    const answers = [{ value: 3 }, { value: { name: "One" } }, { refusal: { code: "not_found" } }];
    const held = new Map<string, unknown>([[of(JOINED, { queries }), answers], ...separate]);
    const base: Record<keyof OptimisticLocalStore, (...args: never[]) => unknown> = {
      getQuery: (query: FunctionReference<"query">, args: object) => held.get(of(query, args)),
      getAllQueries: (query: FunctionReference<"query">) =>
        [...held].flatMap(([key, value]) => {
          const [name, args]: [string, object] = JSON.parse(key);
          return name === getFunctionName(query) ? [{ args, value }] : [];
        }),
      setQuery: (query: FunctionReference<"query">, args: object, value: unknown) => void held.set(of(query, args), value),
    };
    return { store: storeWithJoinedQueries(base as unknown as OptimisticLocalStore), held };
  }

  it("reads joined answers, and none of a rejected query", () => {
    const { store } = open();
    expect(store.getQuery(getUnreadCount, {})).toBe(3);
    expect(store.getQuery(getUnreadCount)).toBe(3);
    expect(store.getQuery(getProjectById, { id: "p1" })).toEqual({ name: "One" });
    expect(store.getQuery(getProjectById, { id: "gone" })).toBeUndefined();
    expect(store.getAllQueries(getProjectById)).toMatchObject([{ args: { id: "p1" }, value: { name: "One" } }]);
  });

  it("changes one joined answer and keeps the others", () => {
    const { store, held } = open();
    store.setQuery(getUnreadCount, {}, 2);
    expect([...held.values()]).toEqual([[{ value: 2 }, { value: { name: "One" } }, { refusal: { code: "not_found" } }]]);
  });

  it("changes the separate and the joined answer of one query, and lists it once", () => {
    const { store, held } = open([[of(getUnreadCount), 3]]);
    expect(store.getAllQueries(getUnreadCount)).toHaveLength(1);
    store.setQuery(getUnreadCount, {}, 0);
    expect(held.get(of(getUnreadCount))).toBe(0);
    expect(store.getAllQueries(JOINED)[0]?.value?.[0]).toEqual({ value: 0 });
  });
});
