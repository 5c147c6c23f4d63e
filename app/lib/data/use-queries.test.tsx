// @vitest-environment happy-dom
import { makeFunctionReference } from "convex/server";
import { act, type ReactNode } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { useQueries } from "./use-queries";

const client = vi.hoisted(() => ({ current: null as unknown }));
vi.mock("./connection/live-provider", () => ({ useLiveClient: () => client.current }));

const query = makeFunctionReference<"query">("a:b");

/** Counts the subscriptions of each query, as Convex's client does, and creates a new Error for each reading. */
class FakeClient {
  readonly ended: unknown[] = [];
  readonly answers = new Map<unknown, unknown>();
  readonly #listeners = new Map<unknown, Set<() => void>>();

  get subscribed(): unknown[] {
    return [...this.#listeners.keys()];
  }

  watchQuery(_query: unknown, { id }: { id: unknown }) {
    return {
      onUpdate: (listener: () => void) => {
        const own = () => listener();
        const all = this.#listeners.get(id) ?? new Set();
        this.#listeners.set(id, all.add(own));
        return () => {
          all.delete(own);
          if (all.size > 0) return;
          this.#listeners.delete(id);
          this.ended.push(id);
        };
      },
      localQueryResult: () => {
        if (this.answers.get(id) === "fails") throw new Error("refused");
        return this.answers.get(id);
      },
    };
  }

  answer(id: unknown, answer: unknown) {
    this.answers.set(id, answer);
    for (const listener of this.#listeners.get(id) ?? []) listener();
  }
}

let fake: FakeClient;
let root: Root;
let place: HTMLElement;
let renders: number;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  fake = new FakeClient();
  client.current = fake;
  place = document.createElement("div");
  root = createRoot(place);
  renders = 0;
});

afterEach(async () => {
  await act(async () => root.render(null));
  await vi.runAllTimersAsync();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const show = (node: ReactNode) => act(async () => root.render(node));

function Item({ ids, keeps }: { ids: string[]; keeps?: boolean }) {
  renders++;
  const answers = useQueries(Object.fromEntries(ids.map((id) => [id, { query, args: { id } }])), { keeps: keeps ?? true });
  return ids.map((id) => String(answers[id])).join(" ");
}

it("returns undefined without a client, then the answers", { tags: "@live-queries" }, async () => {
  client.current = null;
  await show(<Item ids={["one"]} />);
  expect(place.textContent).toBe("undefined");
  client.current = fake;
  await show(<Item ids={["one"]} />);
  expect(fake.subscribed).toEqual(["one"]);
  await act(async () => fake.answer("one", "first"));
  expect(place.textContent).toBe("first");
});

it("continues a subscription when another query is added", { tags: "@live-queries-continue" }, async () => {
  await show(<Item ids={["one"]} keeps={false} />);
  await act(async () => fake.answer("one", "first"));
  await show(<Item ids={["one", "two"]} keeps={false} />);
  await act(async () => vi.advanceTimersByTime(100));
  expect(fake.ended).toEqual([]);
  expect(fake.subscribed).toEqual(["one", "two"]);
  expect(place.textContent).toBe("first undefined");
});

it("does not render again for an error that the client creates anew for each reading", { tags: "@live-query-errors" }, async () => {
  await show(<Item ids={["one"]} />);
  const before = renders;
  await act(async () => fake.answer("one", "fails"));
  expect(place.textContent).toBe("Error: refused");
  for (let n = 0; n < 10; n++) await act(async () => fake.answer("one", "fails"));
  // React may render once more before it finds that the state is the same.
  expect(renders - before).toBeLessThan(4);
});

it("keeps an unused subscription for a minute, and twenty of them", { tags: "@live-queries-kept" }, async () => {
  const many = Array.from({ length: 25 }, (_, n) => `query ${n}`);
  for (const id of many) await show(<Item ids={[id]} />);
  await show(null);
  await act(async () => vi.advanceTimersByTime(100));
  expect(fake.subscribed).toEqual(many.slice(5));
  await act(async () => vi.advanceTimersByTime(60_000));
  expect(fake.subscribed).toEqual([]);
});

it("ends subscriptions with the component where none is kept", { tags: "@live-queries-not-kept" }, async () => {
  await show(<Item ids={["one"]} keeps={false} />);
  await show(null);
  await act(async () => vi.advanceTimersByTime(100));
  expect(fake.ended).toEqual(["one"]);
});
