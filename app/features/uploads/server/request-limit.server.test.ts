import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openRequestLimit } from "./request-limit.server";

const MIB = 1024 * 1024;

describe("request limit", () => {
  let folder: string;
  let path: string;
  let now = 0;
  const open = () => openRequestLimit(path, () => now);
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "request-limit-"));
    path = join(folder, "limit.json");
    now = 1_000;
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("is unknown until a page reports a rejected request", async () => {
    const limit = open();
    await limit.arrived(MIB);
    expect(limit.known()).toBeNull();
    await limit.arrived(MIB, 2 * MIB);
    expect(limit.known()).toBe(MIB);
  });

  it("returns the largest request that passed", async () => {
    const limit = open();
    await limit.arrived(MIB / 2, 2 * MIB);
    await limit.arrived(MIB, 2 * MIB);
    await limit.arrived(1000, 2 * MIB);
    expect(limit.known()).toBe(MIB);
    await limit.arrived(1.5 * MIB);
    expect(limit.known()).toBe(1.5 * MIB);
  });

  it("is lowered by a later report", async () => {
    const limit = open();
    await limit.arrived(4 * MIB, 8 * MIB);
    await limit.arrived(MIB, 2 * MIB);
    expect(limit.known()).toBe(MIB);
  });

  it("is dropped when a request of the rejected size passes", async () => {
    const limit = open();
    await limit.arrived(MIB, 2 * MIB);
    await limit.arrived(2 * MIB);
    expect(limit.known()).toBeNull();
  });

  it("is never below the smallest chunk, for any reported size", async () => {
    const limit = open();
    await limit.arrived(1, 2);
    expect(limit.known()).toBe(MIB / 2);
  });

  it("ignores a report that the request itself disproves", async () => {
    const limit = open();
    await limit.arrived(2 * MIB, MIB);
    expect(limit.known()).toBeNull();
  });

  it("survives a restart and expires after a day", async () => {
    await open().arrived(MIB, 2 * MIB);
    expect(open().known()).toBe(MIB);
    const later = open();
    now += 24 * 60 * 60_000;
    expect(later.known()).toBeNull();
  });
});
