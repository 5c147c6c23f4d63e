import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConvexClient, ConvexHttpClient } from "convex/browser";
import { anyApi } from "convex/server";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { deployFixture, pushProject, type Deployed } from "./deployed.ts";
import { convex, startConvex } from "./harness.ts";

let deployed: Deployed;
beforeAll(async () => {
  deployed = await deployFixture("push");
});
afterAll(() => deployed.end());

const version = anyApi.version!;
const messages = anyApi.messages!;
const http = () => new ConvexHttpClient(deployed.deployment.url, { logger: false });

const undo: (() => void)[] = [];
function edit(file: string, change: (source: string) => string): void {
  const path = join(deployed.project, "convex", file);
  const before = readFileSync(path, "utf8");
  writeFileSync(path, change(before));
  undo.push(() => writeFileSync(path, before));
}
afterEach(() => undo.splice(0).forEach((revert) => revert()));
const setVersion = (n: number) => edit("version.ts", (source) => source.replace(/VERSION = \d+/, `VERSION = ${n}`));

describe("a push under load", { timeout: 60_000 }, () => {
  it("runs each call and transition on old or new code, and loses no mutation", { tags: "slow" }, async () => {
    const client = new ConvexClient(deployed.deployment.url, {
      webSocketConstructor: WebSocket as unknown as typeof globalThis.WebSocket,
      logger: false,
      unsavedChangesWarning: false,
    });
    const shown: unknown[][] = [];
    client.onUpdate(version.one!, {}, () => undefined);
    client.onUpdate(version.two!, {}, () => undefined);
    client.client.addOnTransitionHandler(() => {
      const pair = ["version:one", "version:two"].map((path) => client.client.localQueryResult(path, {}));
      if (!pair.includes(undefined)) shown.push(pair);
    });
    const stopping = new AbortController();
    const pairs: string[] = [];
    const sent: string[] = [];
    const load = Array.from({ length: 4 }, async (_, worker) => {
      for (let i = 0; !stopping.signal.aborted; i += 1) {
        const body = `${worker} ${i}`;
        const isSent = i < 90;
        const sending = isSent ? client.mutation(messages.send!, { channel: `pushed ${worker}`, body }) : null;
        const [pair] = await Promise.all([client.mutation(version.both!, {}), sending]);
        pairs.push(pair);
        if (isSent) sent.push(body);
        await new Promise((resolve) => setTimeout(resolve, 40));
      }
    });
    for (const n of [2, 3, 4]) {
      setVersion(n);
      await pushProject(deployed.deployment, deployed.project);
      const called = pairs.length;
      await expect.poll(() => pairs.length).toBeGreaterThan(called);
    }
    stopping.abort();
    await Promise.all(load);
    await expect.poll(() => shown.at(-1)).toEqual([4, 4]);
    expect(shown.filter(([one, two]) => one !== two)).toEqual([]);
    expect(pairs.map((pair) => pair.split(" ")).filter(([one, two]) => one !== two)).toEqual([]);
    expect(new Set(pairs).size).toBeGreaterThan(1);
    const stored = await Promise.all([0, 1, 2, 3].map((worker) => http().query(messages.list!, { channel: `pushed ${worker}` })));
    expect(
      stored
        .flat()
        .map(({ body }: { body: string }) => body)
        .toSorted(),
    ).toEqual(sent.toSorted());
    await client.close();
  });
});

describe("the running command line", { timeout: 60_000 }, () => {
  it("pushes each change with `dev`", { tags: "slow" }, async () => {
    const dev = await startConvex(deployed.project, deployed.deployment, ["dev", "--typecheck", "disable", "--tail-logs", "disable"]);
    let output = "";
    dev.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()));
    await expect.poll(() => output, { timeout: 20_000 }).toContain("Convex functions ready");
    setVersion(77);
    await expect.poll(() => http().query(version.one!, {}), { timeout: 20_000 }).toBe(77);
    dev.kill();
  });

  it("pushes again when the data fits the schema", { tags: "slow" }, async () => {
    const id = await http().mutation(anyApi.counters!.add!, { name: "misfit", by: 1 });
    expect(id).toBe(1);
    edit("schema.ts", (source) => source.replace("value: v.number() })", "value: v.number(), unit: v.string() })"));
    edit(
      "counters.ts",
      (source) => `${source}
export const repair = mutation({
  args: {},
  handler: async (ctx) => {
    for (const counter of await ctx.db.query("counters").take(100)) await ctx.db.patch(counter._id, { unit: "pieces" });
  },
});
`,
    );
    edit("schema.ts", (source) => source.replace("unit: v.string()", "unit: v.optional(v.string())"));
    await pushProject(deployed.deployment, deployed.project);
    edit("schema.ts", (source) => source.replace("unit: v.optional(v.string())", "unit: v.string()"));
    const dev = await startConvex(deployed.project, deployed.deployment, ["dev", "--typecheck", "disable", "--tail-logs", "disable"]);
    let output = "";
    dev.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()));
    await expect.poll(() => output, { timeout: 20_000 }).toContain("Schema validation failed");
    // The command line reads the data after it reports the failure, so earlier changes do not count.
    const repaired = async () => {
      await http().mutation(anyApi.counters!.repair!, {});
      return output;
    };
    await expect.poll(repaired, { timeout: 20_000, interval: 500 }).toContain("Convex functions ready");
    dev.kill();
  });

  it("follows a query with `run --watch`", async () => {
    const watching = await startConvex(deployed.project, deployed.deployment, ["run", "messages:list", '{"channel":"watched"}', "--watch"]);
    let output = "";
    watching.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
    await expect.poll(() => output, { timeout: 20_000 }).toContain("[]");
    await http().mutation(messages.send!, { channel: "watched", body: "seen live" });
    await expect.poll(() => output).toContain("seen live");
    watching.kill();
  });

  it("pushes first with `run --push`", async () => {
    setVersion(99);
    const { code, stdout } = await convex(deployed.project, deployed.deployment, [
      "run",
      "version:one",
      "--push",
      "--typecheck",
      "disable",
    ]);
    expect([code, stdout.trim()]).toEqual([0, "99"]);
  });
});
