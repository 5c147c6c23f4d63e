import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FinishedUpload, openOutcomes } from "./upload-outcomes.server";
import { createOwnerIndex } from "./owner-index";

const MANY = 100_000;

describe("openOutcomes", () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "outcomes-"));
    path = join(folder, "outcomes.jsonl");
  });
  afterEach(() => rm(folder, { recursive: true }));

  const make = (ownerId = "ada", expiresAt = Date.now() + 60_000): FinishedUpload => ({
    id: randomUUID(),
    ownerId,
    length: 3,
    expiresAt,
    outcome: { ok: true, imageId: "i" },
  });
  const linesIn = async () => (await readFile(path, "utf8")).split("\n").filter(Boolean);

  it("keeps memory and file bounded after 100,000 finished uploads", async () => {
    const limits = { mostOfPerson: 100, most: 1000 };
    const outcomes = openOutcomes(path, limits);
    for (let batch = 0; batch < MANY / 1000; batch++) {
      await Promise.all(Array.from({ length: 1000 }, (_, each) => outcomes.add(make(`person ${(batch * 1000 + each) % 50}`))));
      expect(outcomes.size()).toBeLessThanOrEqual(limits.most);
    }
    expect([outcomes.size(), await readdir(folder)]).toEqual([1000, ["outcomes.jsonl"]]);
    expect((await linesIn()).length).toBeLessThanOrEqual(2 * limits.most + 1000);
  });

  it("reads no more than its limits from a file with 100,000 outcomes", async () => {
    await writeFile(path, Array.from({ length: MANY }, (_, each) => `\n${JSON.stringify(make(`person ${each % 1000}`))}`).join(""));
    const outcomes = openOutcomes(path, { mostOfPerson: 100, most: 1000 });
    expect((await outcomes.owners()).length).toBeLessThanOrEqual(1000);
    expect(outcomes.size()).toBe(1000);
    await outcomes.sweep();
    expect((await linesIn()).length).toBe(1000);
  });

  it("evicts a person's oldest outcomes and nobody else's", async () => {
    const outcomes = openOutcomes(path, { mostOfPerson: 2, most: 10 });
    const eves = make("eve");
    const all = [make(), make(), make()];
    for (const each of [eves, ...all]) await outcomes.add(each);
    const found = await Promise.all([eves, ...all].map(({ id, ownerId }) => outcomes.find(id, ownerId)));
    expect(found.map((each) => each !== null)).toEqual([true, false, true, true]);
  });

  it("removes expired and removed outcomes from the file", async () => {
    const outcomes = openOutcomes(path);
    const [expired, removed, eves, kept] = [make("ada", Date.now() - 1), make(), make("eve"), make()];
    await Promise.all([expired, removed, eves, kept].map((each) => outcomes.add(each)));
    expect(await outcomes.find(expired.id, "ada")).toBeNull();
    await outcomes.remove(removed.id);
    await outcomes.removeOwner("eve");
    await outcomes.sweep();
    expect((await linesIn()).map((line) => JSON.parse(line))).toEqual([kept]);
  });

  it("reads all complete lines after an incomplete one", async () => {
    const [first, torn, last] = [make(), make(), make()];
    const outcomes = openOutcomes(path);
    await outcomes.add(first);
    await outcomes.add(torn);
    await truncate(path, (await readFile(path)).length - 10);
    await openOutcomes(path).add(last);
    const again = openOutcomes(path);
    const found = await Promise.all([first, torn, last].map(({ id }) => again.find(id, "ada")));
    expect(found).toEqual([first, null, last]);
  });
});

describe("createOwnerIndex", () => {
  it("reads only the owner's entries among 100,000", () => {
    let reads = 0;
    const index = createOwnerIndex<{ id: string; ownerId: string; length: number }>();
    for (let each = 0; each < MANY; each++) {
      index.set({
        id: `${each}`,
        ownerId: each % 50_000 === 0 ? "ada" : "eve",
        get length() {
          reads++;
          return 1;
        },
      });
    }
    expect([...index.of("ada")].reduce((sum, { length }) => sum + length, 0)).toBe(2);
    expect([reads, index.countOf("ada"), index.size()]).toEqual([2, 2, MANY]);
    index.delete("0");
    index.delete("50000");
    expect([index.owners(), [...index.of("ada")]]).toEqual([["eve"], []]);
  });
});
