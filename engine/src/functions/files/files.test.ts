import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Fixture } from "../testing.ts";

const SOURCES = {
  "files.ts": `
    import { actionGeneric as action, mutationGeneric as mutation } from "convex/server";
    export const read = action({ handler: async (ctx, { id }) => (await (await ctx.storage.get(id)).text()) });
    export const write = mutation({ handler: async (ctx) => { await ctx.db.insert("rows", {}); } });`,
};

let fixture: Fixture;
beforeEach(async () => {
  fixture = await Fixture.start();
  await fixture.push(SOURCES);
});
afterEach(() => fixture.remove());

test("a damaged file is not returned to an action and stops writes", async () => {
  const body = (async function* () {
    yield Buffer.from("content");
  })();
  const id = await fixture.runner.files.store(body, { contentType: null });
  expect(await fixture.value("files:read", { id })).toBe("content");
  await fixture.value("files:write");
  writeFileSync(join(fixture.dir, "files", readdirSync(join(fixture.dir, "files"))[0] ?? ""), "c0ntent");
  expect((await fixture.failure("files:read", { id })).message).toMatch(/does not match its sha256/);
  await expect(fixture.value("files:write")).rejects.toThrow("The data is damaged");
});
