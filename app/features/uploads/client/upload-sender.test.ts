import { beforeEach, describe, expect, it, vi } from "vitest";
import type { UploadOutcome } from "../upload-result";
import { fakeTimers, file, uploadTarget, TestPage } from "./testing";
import type { BatchFile } from "./transfer/batch";
import type * as checksum from "./transfer/checksum";
import { NotSent } from "./transfer/transport";

vi.mock("./transfer/checksum", async (original) => {
  const { checksumOf } = await original<typeof checksum>();
  let last: Promise<unknown> = Promise.resolve();
  return { checksumOf: (chosen: File) => (last = last.then(() => checksumOf(chosen))) };
});

describe("upload sender", () => {
  fakeTimers();
  let page: TestPage;
  beforeEach(() => void (page = new TestPage()));

  it("sends four files at a time with checksums and queues the rest", async () => {
    const ends: (() => void)[] = [];
    page.transport.onSend = ({ onUrl }) =>
      new Promise((resolve) => {
        onUrl(`/uploads/${page.transport.sendings.length}`);
        ends.push(resolve);
      });
    page.uploads.add(
      uploadTarget,
      ["a", "b", "c", "d", "e"].map((name) => file(`${name}.png`)),
    );
    await expect.poll(page.states).toEqual(["sending", "sending", "sending", "sending", "waiting"]);
    await expect.poll(() => ends.length).toBe(4);
    ends[0]?.();
    await expect.poll(page.states).toEqual(["added", "sending", "sending", "sending", "sending"]);
    expect(page.transport.sendings[0]?.metadata).toEqual({
      design: "d",
      filename: "a.png",
      checksum: "84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882",
      batch: expect.any(String),
      index: "0",
    });
  });

  it("sends without a checksum on a fast line", async () => {
    page.transport.isFast = true;
    page.uploads.add(uploadTarget, [file("a.png")]);
    await expect.poll(page.states).toEqual(["added"]);
    expect(page.transport.sendings[0]?.metadata).toEqual({ design: "d", filename: "a.png", batch: expect.any(String), index: "0" });
  });

  it("sends many small files in few requests, and a large one alone", async () => {
    const small = Array.from({ length: 40 }, (_, index) => file(`${index}.png`));
    page.uploads.add(uploadTarget, [...small.slice(0, 20), file("large.png", "x".repeat(40_000)), ...small.slice(20)]);
    await expect.poll(() => page.states().filter((state) => state === "added").length).toBe(41);
    expect(page.transport.sendings.map(({ file: sent }) => sent.name)).toEqual(["large.png"]);
    expect(page.transport.batches.map((batch) => batch.length).toSorted((a, b) => b - a)).toEqual([16, 15, 9]);
    const entries = page.transport.batches.flat().map(({ entry }) => entry);
    expect(entries.map(({ chosenAs }) => chosenAs?.index).toSorted((a = 0, b = 0) => a - b)).toEqual(
      Array.from({ length: 41 }, (_, index) => index).filter((index) => index !== 20),
    );
    expect(entries.find(({ name }) => name === "0.png")).toEqual({
      key: expect.stringMatching(/^[\w-]{8,64}$/),
      name: "0.png",
      checksum: "84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882",
      anyway: false,
      chosenAs: { batch: expect.any(String), index: 0 },
    });
    expect(page.queue.names()).toEqual([]);
  });

  it("sends the files of a lost batch again with the same keys", async () => {
    page.transport.onBatch = () => Promise.reject(new NotSent(null, null));
    page.uploads.add(
      uploadTarget,
      Array.from({ length: 10 }, (_, index) => file(`${index}.png`)),
    );
    await expect.poll(page.states).toEqual(Array(10).fill("interrupted"));
    page.transport.onBatch = (files) => Promise.resolve(files.map(() => ({ ok: true, imageId: "i" })));
    vi.advanceTimersByTime(500);
    await expect.poll(page.states).toEqual(Array(10).fill("added"));
    const keys = (batches: BatchFile[][]) => batches.flat().map(({ entry: { key, name } }) => `${name} ${key}`);
    expect(keys(page.transport.batches.slice(1)).toSorted()).toEqual(keys(page.transport.batches.slice(0, 1)).toSorted());
    expect(page.transport.sendings).toEqual([]);
  });

  it("shows the outcome of each file of a batch", async () => {
    const problem = "The file is damaged.";
    const duplicateOf = { imageId: "j", name: "other.png" };
    const failures: UploadOutcome[] = [
      { ok: false, problem, again: false },
      { ok: false, problem: "Duplicate", again: false, duplicateOf },
    ];
    page.transport.onBatch = (files) => Promise.resolve(files.map((_, index) => failures[index] ?? { ok: true, imageId: "i" }));
    page.uploads.add(
      uploadTarget,
      Array.from({ length: 8 }, (_, index) => file(`${index}.png`)),
    );
    await expect.poll(page.states).toEqual(["failed", "duplicate", ...Array(6).fill("added")]);
    page.transport.onBatch = (files) => Promise.resolve(files.map(() => ({ ok: true, imageId: "k" })));
    page.uploads.addAnyway(page.all()[1]?.id ?? "");
    await expect.poll(() => page.states()[1]).toBe("added");
    expect(page.transport.batches[1]?.map(({ entry }) => entry.anyway)).toEqual([true]);
    expect(page.transport.sendings).toEqual([]);
  });
});
