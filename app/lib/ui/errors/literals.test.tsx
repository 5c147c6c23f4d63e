import { renderToStaticMarkup } from "react-dom/server";
import { createMemoryRouter, RouterProvider } from "react-router";
import { describe, expect, it } from "vitest";
import { DefaultView } from "./default-view";
import { ErrorScreen } from "./error-screen";

function textsOf(element: React.ReactElement): string[] {
  const router = createMemoryRouter([{ path: "/", element }]);
  const markup = renderToStaticMarkup(<RouterProvider router={router} />).replaceAll("&#x27;", "'");
  return markup
    .split(/<[^>]*>/)
    .map((text) => text.trim())
    .filter(Boolean);
}

const notFound = { status: 404, statusText: "Not Found", internal: false, data: null };

describe("the fallback views' literals", () => {
  it.each([
    { view: "error screen", element: <ErrorScreen error={new Error("x")} />, literals: ["Try Again", "Go Back"] },
    { view: "error screen at the root", element: <ErrorScreen error={new Error("x")} atRoot />, literals: ["Try Again", "Home"] },
    {
      view: "not-found screen",
      element: <ErrorScreen error={notFound} />,
      literals: ["The page you are looking for does not exist.", "Go back", "Start Over"],
    },
    { view: "default not-found view", element: <DefaultView error={notFound} />, literals: ["Not Found"] },
    {
      view: "default error view",
      element: <DefaultView error={new Error("x")} />,
      literals: ["Something went wrong!", "Show Error", "Hide Error"],
    },
  ])("$view", { tags: "@fallback-views-show-literals" }, ({ element, literals }) => {
    expect(textsOf(element)).toEqual(expect.arrayContaining(literals));
  });
});
