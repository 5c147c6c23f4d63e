import { expect, it } from "vitest";
import routes from "~/routes";
import { PLACES } from "./places";

type Entry = (typeof routes)[number];

/** The addresses of all pages within the shell that can be gone to without naming anything. */
function pages(entries: readonly Entry[], base = "", inShell = false): string[] {
  return entries.flatMap(({ path, file, children = [], index }) => {
    const at = path === undefined ? base : `${base}/${path}`;
    const within = inShell || file === "routes/shell.tsx";
    const below = pages(children, at, within);
    const isPage = within && (path !== undefined || index === true) && !/[:*]/.test(at);
    return isPage ? [at, ...below] : below;
  });
}

/** Pages about something that a form or a link names, which are nowhere to go to by themselves; and one for those who work on the app. */
const ABOUT_SOMETHING = ["/compare", "/move/images", "/move/designs", "/dev/outbox"];

it("the palette goes to every place that there is", () => {
  const there = new Set(pages(routes).filter((path) => !ABOUT_SOMETHING.includes(path)));
  expect(PLACES.map(({ to }) => to).toSorted()).toEqual([...there].toSorted());
});
