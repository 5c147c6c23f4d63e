import { renderToStaticMarkup } from "react-dom/server";
import { createMemoryRouter, RouterProvider } from "react-router";
import { expect, it } from "vitest";
import type { Found } from "#convex/search";
import { ResultList } from "./result-list";
import { resultSummary } from "./result-summary";

const nothing: Found = { projects: [], designs: [], images: [], more: [], next: null };

it("offers the next page when the first rows contain no result", () => {
  const found: Found = { ...nothing, more: ["image"] };
  expect(resultSummary("cat", true, found)).toMatch(/in the first 1,000 items/);
  const element = <ResultList {...found} query="cat" addressOf={(kind) => `/search?kind=${kind}`} />;
  const markup = renderToStaticMarkup(<RouterProvider router={createMemoryRouter([{ path: "/", element }])} />);
  expect(markup).toContain('href="/search?kind=image"');
  expect(markup).not.toContain("kind=design");
});

it('shows "No results" when all rows were read', () => {
  expect(resultSummary("cat", false, nothing)).toMatch(/^No results for/);
  expect(resultSummary("cat", true, nothing)).toBe("No results match all filters.");
});
