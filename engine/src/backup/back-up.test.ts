import { existsSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { constants } from "node:fs";
import { copyFile, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openDatabase } from "../transaction/database.ts";
import { backUp } from "./back-up.ts";
import { copyDurably } from "./copy.ts";

let root: string;
let from: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "engine-backup-"));
  from = join(root, "data");
  openDatabase(from).close();
  mkdirSync(join(from, "files"));
  for (const name of ["one", "two"]) writeFileSync(join(from, "files", name), `content of ${name}`);
  writeFileSync(join(from, "admin-key"), "test|00");
});
afterEach(() => rmSync(root, { recursive: true }));

describe("a backup of a stopped deployment", () => {
  it.each([
    ["the same folder", "copy"],
    ["another folder", "other"],
  ])("rejects a second backup at the same time, into %s", async (_what, other) => {
    const [first, second] = await Promise.allSettled(["copy", other].map((name) => backUp({ from, to: join(root, name) })));
    expect(first).toEqual({ status: "fulfilled", value: { running: false } });
    expect(second).toMatchObject({ status: "rejected", reason: { message: expect.stringMatching(/^Another backup uses .*data\./) } });
    expect(readFileSync(join(root, "copy", "files", "one"), "utf8")).toBe("content of one");
    expect([existsSync(join(root, "other")), existsSync(join(root, "copy.partial"))]).toEqual([false, false]);
    expect(await backUp({ from, to: join(root, "later") })).toEqual({ running: false });
  });

  it.runIf(process.platform === "linux")("syncs every file and folder before the backup has its name", async () => {
    const target = join(root, "copy");
    const synced: string[] = [];
    const handle = await open(join(from, "admin-key"));
    const prototype: { sync(this: typeof handle): Promise<void> } = Object.getPrototypeOf(handle);
    await handle.close();
    const sync: (this: typeof handle) => Promise<void> = Reflect.get(prototype, "sync");
    vi.spyOn(prototype, "sync").mockImplementation(function (this: typeof handle) {
      synced.push(readlinkSync(`/proc/self/fd/${this.fd}`));
      return sync.call(this);
    });
    await backUp({ from, to: target });
    const partial = `${target}.partial`;
    const copied = ["deployment.sqlite3", "files/one", "files/two", "files", "admin-key", ""].map((name) => join(partial, name));
    for (const path of copied) expect(synced).toContain(path.replace(/\/$/, ""));
    expect(synced.slice(-2)).toEqual([partial, root]);
  });
});

describe("a copy of a file", () => {
  it("is independent where the file system does not share blocks", async ({ skip }) => {
    const [source, copy] = [join(from, "files", "one"), join(root, "copy")];
    const isShared = await copyFile(source, join(root, "clone"), constants.COPYFILE_FICLONE_FORCE).then(
      () => true,
      () => false,
    );
    skip(isShared, "this file system shares blocks (reflink)");
    await copyDurably(source, copy);
    writeFileSync(source, "changed");
    expect(readFileSync(copy, "utf8")).toBe("content of one");
  });
});
