import { expect, it } from "vitest";
import { linkHeader } from "./link-header.server";

const manifest = {
  routes: {
    root: { css: ["/assets/page.css#"] },
    "routes/design": { css: ["/assets/page.css", "/assets/design.css"] },
    "routes/other": { css: ["/assets/other.css"] },
    "routes/bare": {},
  },
};
const header = (...ids: string[]) => linkHeader({ manifest, staticHandlerContext: { matches: ids.map((id) => ({ route: { id } })) } });

it("preloads each style sheet of the page's routes once", () => {
  expect(header("root", "routes/design")).toBe("</assets/page.css>; rel=preload; as=style, </assets/design.css>; rel=preload; as=style");
});

it("returns null for a page without style sheets", () => {
  expect(header("routes/bare", "routes/unknown")).toBeNull();
});
