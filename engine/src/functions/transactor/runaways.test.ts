import { afterAll, beforeAll, beforeEach, expect, test, vi, type MockInstance } from "vitest";
import { OUT_OF_MEMORY, TIMED_OUT } from "../error-messages.ts";
import { call, Fixture } from "../testing.ts";

const SOURCE = `
  import { queryGeneric as query, mutationGeneric as mutation } from "convex/server";
  import { v } from "convex/values";
  export const trivial = query({ args: {}, handler: async () => "done" });
  export const loops = query({ args: { lane: v.number() }, handler: async () => { for (;;) {} } });
  export const loopsToo = mutation({ args: { lane: v.number() }, handler: async () => { for (;;) {} } });
  export const fills = query({ args: { mebibytes: v.number() }, handler: async (ctx, { mebibytes }) => {
    const blocks = [];
    while (blocks.length < mebibytes) blocks.push(new Uint8Array(1024 * 1024).fill(1));
    return blocks.length;
  } });
`;

let fixture: Fixture;
let warn: MockInstance<typeof console.warn>;
beforeAll(async () => {
  warn = vi.spyOn(console, "warn").mockReturnValue();
  fixture = await Fixture.start();
  await fixture.push({ "work.ts": SOURCE });
});
beforeEach(() => void warn.mockClear());
afterAll(async () => {
  await fixture.remove();
  warn.mockRestore();
});

test.each<["query" | "mutation", string]>([
  ["query", "work:loops"],
  ["mutation", "work:loopsToo"],
])("a call waits for one looping %s only, not for all of them", async (kind, path) => {
  const { runner } = fixture;
  let ended = 0;
  const looping = [1, 2, 3].map(async (lane) => {
    const loop = call(path, { lane });
    const outcome = kind === "query" ? (await runner.queries([loop]))[0] : await runner.mutation(loop);
    ended += 1;
    return outcome;
  });
  const endedBefore = runner.queries([call("work:trivial")]).then(() => ended);
  expect(await Promise.all(looping)).toMatchObject([1, 2, 3].map(() => ({ ok: false, message: TIMED_OUT })));
  expect(await endedBefore).toBeLessThanOrEqual(1);
  expect(warn.mock.calls).toEqual([1, 2, 3].map(() => [`${path}: ${TIMED_OUT}`]));
});

test("a query with too many typed arrays is stopped and named in the log", async () => {
  expect((await fixture.failure("work:fills", { mebibytes: 3_000 })).message).toBe(OUT_OF_MEMORY);
  expect(warn.mock.calls).toEqual([[`work:fills: ${OUT_OF_MEMORY}`]]);
  expect(await fixture.value("work:fills", { mebibytes: 48 })).toBe(48);
});
