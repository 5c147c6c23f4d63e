import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { storeLastCommit, readLastCommit } from "../../storage/last-commit.ts";
import { emptyQuarantine, quarantineStrayFiles, strayLimit } from "./stray-files.ts";
import { Fixture } from "../testing.ts";

const SOURCES = {
  "files.ts": `
    import { mutationGeneric as mutation, queryGeneric as query, anyApi } from "convex/server";
    export const remove = mutation({ args: {}, handler: async (ctx, { id }) => { await ctx.storage.delete(id); } });
    export const removeAndFail = mutation({ args: {}, handler: async (ctx, { id }) => {
      await ctx.storage.delete(id);
      throw new Error("after the deletion");
    } });
    export const removeNested = mutation({ args: {}, handler: async (ctx, { id }) => {
      await ctx.runMutation(anyApi.files.removeAndFail, { id }).catch(() => undefined);
    } });`.replaceAll("args: {}, ", ""),
};

let fixture: Fixture;
beforeEach(async () => {
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
  fixture = await Fixture.start();
  await fixture.push(SOURCES);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await fixture.remove();
});

const names = (folder = "files") => (existsSync(join(fixture.dir, folder)) ? readdirSync(join(fixture.dir, folder)) : []);
async function store(): Promise<string> {
  const body = (async function* () {
    yield Buffer.from("bytes");
  })();
  return fixture.runner.files.store(body, { contentType: null });
}

describe("the bytes of a deleted file", () => {
  test("are removed with its row", async () => {
    const id = await store();
    await fixture.value("files:remove", { id });
    expect(names()).toEqual([]);
  });

  test("stay when the nested mutation that deleted its row has failed", { tags: "slow" }, async () => {
    const id = await store();
    await fixture.value("files:removeNested", { id });
    expect(names()).toHaveLength(1);
    await fixture.failure("files:removeAndFail", { id });
    expect(names()).toHaveLength(1);
  });

  test("are removed at the next start when they could not be removed at once", async () => {
    const id = await store();
    const [name = ""] = names();
    const path = join(fixture.dir, "files", name);
    // A folder cannot be removed like a file, which simulates a crash before the removal.
    rmSync(path);
    mkdirSync(path);
    await fixture.value("files:remove", { id });
    await fixture.runner.close();
    rmdirSync(path);
    writeFileSync(path, "bytes");
    await fixture.open();
    expect(names()).toEqual([]);
    expect(names("quarantine")).toEqual([]);
  });
});

describe("files without a row", () => {
  test("are moved to a quarantine folder of the day at start", { tags: "slow" }, async () => {
    await store();
    await fixture.runner.close();
    writeFileSync(join(fixture.dir, "files", "00000000-0000-0000-0000-000000000000"), "x");
    writeFileSync(join(fixture.dir, "uploads", "half"), "x");
    await fixture.open();
    const today = new Date().toISOString().slice(0, 10);
    await vi.waitFor(() => expect(names(`quarantine/${today}`)).toEqual(["00000000-0000-0000-0000-000000000000"]), 30_000);
    expect([names().length, names("uploads")]).toEqual([1, []]);
    expect(console.warn).toHaveBeenCalledWith(expect.stringMatching(/^1 of 2 stored files have no row .* kept for 30 days\.$/));
  });

  test("are allowed up to 1% of all files, at least ten or half of all, at most 100", () => {
    expect([1, 2, 8, 20, 1_000, 5_000, 10_000, 1_000_000].map(strayLimit)).toEqual([1, 1, 4, 10, 10, 50, 100, 100]);
  });

  test("are searched for among 100 names at a time, until the deployment closes", async () => {
    const dir = await mkdtemp(join(tmpdir(), "engine-strays-"));
    mkdirSync(join(dir, "files"));
    for (let each = 0; each < 1000; each++) writeFileSync(join(dir, "files", `${each}`), "");
    const closing = new AbortController();
    const requested: number[] = [];
    const transactor = {
      request: async (_kind: string, { names }: { names: string[] }) => {
        requested.push(names.length);
        if (requested.length === 3) closing.abort();
        return names;
      },
    };
    const log = vi.fn<(line: string) => void>();
    const options = { dir, transactor: transactor as never, acceptLossUntil: Date.now(), hasAcceptedLoss: false, log };
    await quarantineStrayFiles({ ...options, signal: closing.signal });
    expect([requested, log.mock.calls, existsSync(join(dir, "quarantine"))]).toEqual([[100, 100, 100], [], false]);
    rmSync(dir, { recursive: true });
  });

  test("leave the quarantine after 30 days", async () => {
    for (const date of ["2026-01-01", "2026-01-02", "not a date"]) mkdirSync(join(fixture.dir, "quarantine", date), { recursive: true });
    await emptyQuarantine(fixture.dir, Date.parse("2026-02-01T00:00:00Z"));
    expect(names("quarantine")).toEqual(["2026-01-02", "not a date"]);
  });
});

describe("the timestamp of the last commit", () => {
  test("is written at once, every minute and at the end", async () => {
    vi.useFakeTimers();
    try {
      const dir = await mkdtemp(join(tmpdir(), "engine-last-commit-"));
      let latest = 1n;
      const end = storeLastCommit(dir, () => latest, console.error);
      expect(readLastCommit(dir)).toBe(1n);
      latest = 2n;
      vi.advanceTimersByTime(59_000);
      expect(readLastCommit(dir)).toBe(1n);
      vi.advanceTimersByTime(1_000);
      expect(readLastCommit(dir)).toBe(2n);
      latest = 3n;
      end();
      expect(readLastCommit(dir)).toBe(3n);
    } finally {
      vi.useRealTimers();
    }
  });
});
