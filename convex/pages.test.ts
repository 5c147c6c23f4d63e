import { glob, readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Backend, backends, type Person, signUp } from "../tests/convex/backends.ts";
import { refused } from "../tests/convex/expect.ts";
import { api } from "./_generated/api";

describe.each(backends)("pages:load on $name", ({ start }) => {
  let backend: Backend;
  let ada: Person;
  beforeAll(async () => {
    backend = await start();
    ada = await signUp(backend, "ada");
  });
  afterAll(() => backend.close());

  it("returns the same results as separate queries, also when one is refused", async () => {
    const id = await ada.mutation(api.projects.create, { name: "Poster" });
    const queries = [
      { name: "projects:getProjects", args: { sort: "name" } },
      { name: "projects:getProjectById", args: { id: "none" } },
      { name: "projects:getProjectById", args: { id } },
    ];
    expect(await ada.query(api.pages.load, { queries })).toEqual([
      { value: await ada.query(api.projects.getProjects, { sort: "name" }) },
      { refusal: { code: "not_found" } },
      { value: await ada.query(api.projects.getProjectById, { id }) },
    ]);
  });

  it.each(["jobs/sweep:run", "accounts/store:findMany", "model/access:nothing"])(
    "refuses %s, which is no query of a page",
    async (name) => {
      expect(await refused(ada.query(api.pages.load, { queries: [{ name, args: {} }] }))).toMatchObject({ code: "invalid" });
    },
  );

  it("rejects arguments that the query would reject", async () => {
    const queries = [{ name: "projects:getProjectById", args: { id: 1 } }];
    await expect(ada.query(api.pages.load, { queries })).rejects.toBeInstanceOf(Error);
  });

  it("answers every query that a loader preloads", async () => {
    const preloaded = new Set<string>();
    for await (const path of glob("app/**/*.{ts,tsx}"))
      for (const [, name = ""] of (await readFile(path, "utf8")).matchAll(/\.preload\(\s*api\.([\w.]+)/g)) preloaded.add(name);
    expect(preloaded.size).toBeGreaterThan(40);
    for (const path of preloaded) {
      const name = path.replace(/\.(\w+)$/, ":$1").replaceAll(".", "/");
      const answer = await ada.query(api.pages.load, { queries: [{ name, args: {} }] }).catch(String);
      expect(JSON.stringify(answer), name).not.toContain("is not a query of a page");
    }
  });
});
