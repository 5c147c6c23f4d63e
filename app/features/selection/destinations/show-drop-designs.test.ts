// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from "vitest";
import { DROP_DESIGNS_WIDTH, dropDesignsOf } from "./show-drop-designs";

afterEach(() => {
  document.documentElement.dir = "";
});

function linkIn(className: string): HTMLAnchorElement {
  document.body.innerHTML = `<div class="${className}"><a href="/projects/p1"></a></div>`;
  const link = document.querySelector("a") ?? document.createElement("a");
  vi.spyOn(link, "getBoundingClientRect").mockReturnValue(new DOMRect(400, 100, 200, 30));
  return link;
}

it("places the list beside sidebar links and below others, in both directions", () => {
  const projectId = "p1";
  expect(dropDesignsOf(linkIn("sidebar"))).toEqual({ projectId, left: 600, top: 100 });
  expect(dropDesignsOf(linkIn("trail"))).toEqual({ projectId, left: 400, top: 130 });
  document.documentElement.dir = "rtl";
  expect(dropDesignsOf(linkIn("sidebar"))).toEqual({ projectId, left: 400 - DROP_DESIGNS_WIDTH, top: 100 });
  expect(dropDesignsOf(linkIn("trail"))).toEqual({ projectId, left: 600 - DROP_DESIGNS_WIDTH, top: 130 });
});
