import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import routes from "../app/routes.ts";
import { RIGHTS } from "../convex/model/rights.ts";

type Entry = { path?: string; index?: boolean; children?: Entry[] };

const addressesOf = (entries: Entry[], above = ""): string[] =>
  entries.flatMap(({ path, index, children }) => {
    const own = path === undefined ? above : `${above}/${path}`;
    return [...(index || path !== undefined ? [own || "/"] : []), ...addressesOf(children ?? [], own)];
  });

it("docs/access.md has what each address needs", async () => {
  const text = await readFile("docs/access.md", "utf8");
  const rows = [...text.matchAll(/^\| `(\/[^`]*)` +\| `(\w+)` +\|$/gm)].map(([, address = "", needs = ""]) => ({ address, needs }));
  expect(rows.map(({ address }) => address).toSorted()).toEqual([...new Set(addressesOf(routes))].toSorted());
  for (const { address, needs } of rows) expect([...Object.keys(RIGHTS), "open", "own", "administrator"], address).toContain(needs);
});
