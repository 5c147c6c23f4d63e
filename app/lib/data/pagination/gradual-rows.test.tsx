// @vitest-environment happy-dom
import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { useGradualRows } from "./gradual-rows";

const renders: number[][] = [];
const lengths = () => renders.map(({ length }) => length).filter((length, index, all) => length !== all[index - 1]);

function List({ rows }: { rows: number[] }) {
  renders.push(useGradualRows(rows));
  return null;
}

const numbers = (length: number) => Array.from({ length }, (_, index) => index);

function mount(first: number) {
  const root = createRoot(document.createElement("div"));
  const render = (rows: number[]) => act(async () => root.render(<List rows={rows} />));
  return { render, first: () => render(numbers(first)), unmount: () => act(async () => root.unmount()) };
}

const settle = async () => {
  while (vi.getTimerCount() > 0) await act(async () => vi.runOnlyPendingTimers());
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  renders.length = 0;
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("shows all rows of the first render, and later ones in steps", async () => {
  const list = mount(200);
  await list.first();
  await list.render(numbers(270));
  expect(lengths()).toEqual([200, 224]);
  await settle();
  expect(lengths()).toEqual([200, 224, 248, 270]);
  expect(renders.at(-1)).toEqual(numbers(270));
  await list.unmount();
});

it("shows a few new rows at once, also after rows were removed", async () => {
  const list = mount(40);
  await list.first();
  await list.render([]);
  await settle();
  const few = numbers(10);
  await list.render(few);
  expect(renders.at(-1)).toBe(few);
  await list.render(numbers(60));
  expect(lengths()).toEqual([40, 0, 10, 34]);
  await settle();
  expect(renders.at(-1)).toEqual(numbers(60));
  await list.unmount();
});

it("shows changes of shown rows while others wait", async () => {
  const list = mount(10);
  await list.first();
  await list.render([100, ...numbers(90)]);
  expect(renders.at(-1)?.[0]).toBe(100);
  await list.unmount();
});

it("keeps shown rows when many arrive before them", async () => {
  const list = mount(10);
  await list.first();
  const before = Array.from({ length: 60 }, (_, index) => 100 + index);
  await list.render([...before, ...numbers(10).toReversed()]);
  expect(renders.at(-1)).toEqual([...before.slice(0, 24), ...numbers(10).toReversed()]);
  await settle();
  expect(renders.every((rows) => numbers(10).every((row) => rows.includes(row)))).toBe(true);
  expect(lengths()).toEqual([10, 34, 58, 70]);
  await list.unmount();
});
