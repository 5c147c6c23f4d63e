import { readFile } from "node:fs/promises";
import { brotliCompressSync, constants } from "node:zlib";
import { firstLoadScripts } from "../../../bench/bare-app.ts";
import { api } from "../../../convex/_generated/api.js";
import { expect, test } from "../../harness/test.ts";
import { deploymentAs } from "../support/pictures.ts";

const PROJECTS = 50;
/** Bytes; a new attribute of each card takes 50 times its length. */
const MOST = { html: 70_000, brotli: 12_000 };

test("a page of 50 projects has little HTML", { tag: "@html-size" }, async ({ app, person, request }) => {
  const convex = await deploymentAs(app, person);
  for (let number = 0; number < PROJECTS; number++) await convex.mutation(api.projects.create, { name: `Project ${number}` });
  const answer = await request.get("/projects", { headers: { Cookie: person.cookieHeader } });
  const html = await answer.body();
  expect(html.toString().match(/<li data-pick=/g)).toHaveLength(PROJECTS);
  expect(html.length).toBeLessThan(MOST.html);
  const compressed = brotliCompressSync(html, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT },
  });
  expect(compressed.length).toBeLessThan(MOST.brotli);
});

/** Bytes with gzip of the scripts that a page loads before it reacts, React and React Router (113,000) included. */
const FIRST_LOAD = { "/sign-in": 138_000, "/projects": 184_000 };

for (const [path, most] of Object.entries(FIRST_LOAD)) {
  test(`${path} loads few scripts before it reacts`, { tag: `@first-load-${path.slice(1)}` }, async ({ app, person }) => {
    const headers: Record<string, string> = path === "/sign-in" ? {} : { Cookie: person.cookieHeader };
    const files: string[] = [];
    const bytes = await firstLoadScripts(app.url + path, headers, (file) => {
      files.push(file);
      return readFile(`build/client${file}`);
    });
    expect(bytes, files.join("\n")).toBeLessThan(most);
    expect(files.join("\n"), "Convex's client is loaded after hydration").not.toMatch(/\/live(-session)?-/);
  });
}
