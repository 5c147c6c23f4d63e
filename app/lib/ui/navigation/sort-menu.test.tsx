import { renderToStaticMarkup } from "react-dom/server";
import { createMemoryRouter, RouterProvider } from "react-router";
import { expect, it } from "vitest";
import { IMAGE_ORDERS, SortMenu } from "./sort-menu";

function markupAt(sort: string): string {
  const router = createMemoryRouter([{ path: "/", element: <SortMenu orders={IMAGE_ORDERS} /> }], { initialEntries: [`/?sort=${sort}`] });
  return renderToStaticMarkup(<RouterProvider router={router} />);
}

it("shows the order of the address", () => {
  expect(markupAt("size")).toContain("Sort: Largest");
  expect(markupAt("size-asc")).toContain("Sort: Smallest");
});

it.each(["other", "__proto__", "constructor", "toString"])("shows the default order for the unknown order %s", (sort) => {
  expect(markupAt(sort)).toContain("Sort: Manual");
});
