import { ConvexHttpClient } from "convex/browser";
import { anyApi } from "convex/server";
import { afterAll, describe, expect, it } from "vitest";
import { openDatabase } from "@atelier/engine/testing/database";
import { checkIntegrity } from "@atelier/engine/integrity";
import { pushFixture } from "@atelier/engine/testing/deployed";
import { ADMIN_KEY, createIssuer, removeFolder, startEngine, temporaryFolder } from "@atelier/engine/testing/harness";

const folders: string[] = [];
afterAll(() => folders.forEach(removeFolder));
const folder = (name: string): string => {
  const path = temporaryFolder(name);
  folders.push(path);
  return path;
};

describe("two processes on one folder", () => {
  it("rejects a second process; a killed process leaves no lock", { timeout: 90_000 }, async () => {
    const data = folder("shared");
    const first = await startEngine(data, ADMIN_KEY);
    folders.push(await pushFixture(first, await createIssuer()));
    const client = new ConvexHttpClient(first.url, { logger: false });
    const add = () => client.mutation(anyApi["counters"]!["add"]!, { name: "shared", by: 1 });
    await add();
    await Promise.all(
      Array.from({ length: 2 }, () => expect(startEngine(data, ADMIN_KEY)).rejects.toThrow("Another process is using the data")),
    );
    expect(() => openDatabase(data)).toThrow("Another process is using the data");
    expect(await add()).toBe(2);
    await first.stop("SIGKILL");
    const next = await startEngine(data, ADMIN_KEY);
    expect(await new ConvexHttpClient(next.url, { logger: false }).query(anyApi["counters"]!["get"]!, { name: "shared" })).toBe(2);
    await next.stop();
    expect(checkIntegrity(data)).toEqual([]);
  });
});

describe("a clock that is set back", () => {
  it("never decreases timestamps or creation times, even after a restart", () => {
    const data = folder("clock");
    let now = Date.UTC(2030, 0, 1);
    const seen: { ts: bigint; created: number }[] = [];
    let db = openDatabase(data, { now: () => now });
    const insert = () => {
      const transaction = db.beginMutation();
      const id = transaction.insert("rows", { n: seen.length });
      const { ts } = db.commit(transaction);
      db.flush();
      const row: { _creationTime: number } = JSON.parse(db.beginQuery().get({ id, isSystem: false }));
      seen.push({ ts, created: row._creationTime });
    };
    const hour = 3_600_000;
    for (const step of [0, 1_000, -hour, -24 * hour, 1_000, 2 * hour]) {
      now += step;
      insert();
      db.close();
      db = openDatabase(data, { now: () => now });
      insert();
    }
    db.close();
    for (const [i, { ts, created }] of seen.entries()) {
      if (i === 0) continue;
      expect(ts > (seen[i - 1]?.ts ?? 0n)).toBe(true);
      expect(created).toBeGreaterThan(seen[i - 1]?.created ?? 0);
    }
    expect(checkIntegrity(data)).toEqual([]);
  });
});
