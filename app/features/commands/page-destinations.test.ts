import { expect, it } from "vitest";
import routes from "~/routes";
import { PAGE_DESTINATIONS } from "./page-destinations";

type Entry = (typeof routes)[number];

function pages(entries: readonly Entry[], base = "", inShell = false): string[] {
  return entries.flatMap(({ path, file, children = [], index }) => {
    const at = path === undefined ? base : `${base}/${path}`;
    const within = inShell || file === "routes/shell.tsx";
    const below = pages(children, at, within);
    const isPage = within && (path !== undefined || index === true) && !/[:*]/.test(at);
    return isPage ? [at, ...below] : below;
  });
}

const ABOUT_SOMETHING = ["/compare", "/move/images", "/move/designs", "/dev/outbox", "/share/images", "/bulk"];

it("offers every page that needs no parameter", () => {
  const existing = new Set(pages(routes).filter((path) => !ABOUT_SOMETHING.includes(path) && !path.startsWith("/admin")));
  expect(PAGE_DESTINATIONS.map(({ to }) => to).toSorted()).toEqual([...existing].toSorted());
});
