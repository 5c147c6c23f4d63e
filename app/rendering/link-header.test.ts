import { expect, it } from "vitest";
import { linkHeader } from "./link-header.server";

const manifest = () => ({
  entry: { module: "/assets/entry.js", imports: ["/assets/framework.js"] },
  routes: {
    root: { module: "/assets/root.js", imports: ["/assets/framework.js", "/assets/page.js"], css: ["/assets/page.css#"] },
    "routes/design": {
      module: "/assets/design.js",
      clientActionModule: "/assets/design-action.js",
      imports: ["/assets/page.js"],
      css: ["/assets/page.css", "/assets/design.css"],
    },
    "routes/other": { module: "/assets/other.js", css: ["/assets/other.css"] },
  },
});
const matches = (...ids: string[]) => ({ matches: ids.map((id) => ({ route: { id } })) });

it("asks for what is seen, then for the scripts of the page's routes, less urgently; for each once", () => {
  expect(linkHeader({ manifest: manifest(), staticHandlerContext: matches("root", "routes/design") }).split(", ")).toEqual([
    "</assets/page.css>; rel=preload; as=style",
    "</assets/design.css>; rel=preload; as=style",
    ...["entry", "framework", "root", "page", "design", "design-action"].map(
      (name) => `</assets/${name}.js>; rel=modulepreload; fetchpriority=low`,
    ),
  ]);
});

it("is each page's own, of each build", () => {
  const [one, other] = [manifest(), manifest()];
  other.entry.module = "/assets/entry-2.js";
  const of = (build: typeof one, ...ids: string[]) => linkHeader({ manifest: build, staticHandlerContext: matches(...ids) });
  expect(of(one, "root")).not.toContain("design");
  expect(of(one, "root", "routes/design")).toContain("design.js");
  expect(of(one, "root")).toBe(of(one, "root"));
  expect(of(other, "root")).toContain("entry-2.js");
});
