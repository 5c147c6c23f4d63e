// @vitest-environment happy-dom
import { act } from "react";
import { createRoot } from "react-dom/client";
import { createMemoryRouter, RouterProvider } from "react-router";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Selection, useSelection } from "./use-selection";

const renders: Selection[] = [];

function List() {
  renders.push(useSelection(["a", "b", "c", "d"], { field: "design:1", total: 100 }));
  return null;
}

beforeEach(() => void vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true));
afterEach(() => void vi.unstubAllGlobals());

it("keeps items on other pages selected after a selection on this page", async () => {
  const root = createRoot(document.createElement("div"));
  const router = createMemoryRouter([{ path: "/", Component: List }]);
  await act(async () => root.render(<RouterProvider router={router} />));
  await act(async () => renders.at(-1)?.chooseAll());
  for (const id of ["b", "c", "d"]) await act(async () => renders.at(-1)?.toggle(id, false));
  expect(renders.at(-1)?.count).toBe(97);
  await act(async () => renders.at(-1)?.toggle("c", true));
  expect(renders.at(-1)?.whole?.except).toEqual(["b"]);
  await act(async () => renders.at(-1)?.choose(["b"]));
  expect(renders.at(-1)?.whole?.except.toSorted()).toEqual(["a", "c", "d"]);
  expect(renders.at(-1)?.count).toBe(97);
  await act(async () => root.unmount());
});
