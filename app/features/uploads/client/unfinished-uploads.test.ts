import { beforeEach, describe, expect, it, vi } from "vitest";
import { PROBLEM_TEXTS } from "../upload-problem";
import { FakeTransport, fakeTimers, file, hang, uploadTarget, TestPage } from "./testing";
import type * as checksum from "./transfer/checksum";
import { NotSent } from "./transfer/transport";

vi.mock("./transfer/checksum", async (original) => {
  const { checksumOf } = await original<typeof checksum>();
  let last: Promise<unknown> = Promise.resolve();
  return { checksumOf: (chosen: File) => (last = last.then(() => checksumOf(chosen))) };
});

describe("unfinished uploads", () => {
  fakeTimers();
  let page: TestPage;
  beforeEach(() => void (page = new TestPage()));

  it(
    "resumes an unfinished upload when the same file is selected again",
    { tags: "@resumes-unfinished-upload-when-same-file" },
    async () => {
      page.transport.onSend = (sending) => {
        sending.onUrl(`/uploads/${sending.file.name}`.replace(".", ""));
        return hang(sending);
      };
      page.uploads.add(uploadTarget, [file("a.png"), file("b.png")]);
      await expect.poll(() => page.queue.urls()).toContain("/uploads/bpng");

      page.open();
      await page.uploads.restoreUnfinished();
      await expect
        .poll(() => page.uploads.snapshot().unfinished.map(({ name, designName }) => [name, designName]))
        .toEqual([
          ["a.png", "Cover"],
          ["b.png", "Cover"],
        ]);
      page.transport.onSend = () => Promise.resolve();
      const other = file("a.png", "another length");
      expect(page.uploads.resumeWith([other, file("a.png")])).toEqual([other]);
      await expect.poll(page.states).toEqual(["added"]);
      expect(page.transport.sendings.at(-1)?.url).toBe("/uploads/apng");
      page.uploads.add(uploadTarget, [file("b.png")]);
      await expect.poll(page.states).toEqual(["added"]);
      expect(page.transport.sendings.at(-1)?.url).toBe("/uploads/bpng");
      expect([page.uploads.snapshot().unfinished, page.queue.uploads.size]).toEqual([[], 0]);
    },
  );

  describe("from an earlier page", () => {
    const offers: string[][] = [];
    const leave = async (...names: string[]) => {
      page.transport.onSend = (sending) => {
        sending.onUrl(`/uploads/${sending.file.name}`.replace(".", ""));
        return hang(sending);
      };
      page.uploads.add(
        uploadTarget,
        names.map((name) => file(name)),
      );
      await expect.poll(() => page.queue.urls()).toHaveLength(names.length);
      page.open();
      offers.length = 0;
      page.uploads.subscribe(() => offers.push(page.uploads.snapshot().unfinished.map(({ name }) => name)));
    };

    it("are finished when complete, and offered for resumption when not", async () => {
      await leave("a.png", "b.png");
      const answer = Promise.withResolvers<void>();
      page.transport.hasAll = async (url) => answer.promise.then(() => url === "/uploads/apng");
      page.transport.onFinish = () => Promise.resolve({ name: "a.png", ok: true, imageId: "i" });
      await page.uploads.restoreUnfinished();
      expect([page.transport.queried, page.uploads.snapshot().unfinished]).toEqual([["/uploads/apng", "/uploads/bpng"], []]);
      answer.resolve();
      await expect.poll(page.states).toEqual(["added"]);
      expect([page.first().name, page.first().imageId, page.transport.finished, page.transport.sendings.length]).toEqual([
        "a.png",
        "i",
        ["/uploads/apng"],
        2,
      ]);
      expect(new Set(offers.map(String))).toEqual(new Set(["b.png"]));
      expect(page.queue.names()).toEqual(["b.png"]);
      page.uploads.discardUnfinished();
      expect([page.transport.discarded, page.queue.uploads.size]).toEqual([["/uploads/bpng"], 0]);
    });

    it("do not query the server when there are none", async () => {
      await page.uploads.restoreUnfinished();
      expect([page.transport.queried, page.all()]).toEqual([[], []]);
    });

    it("are queried until the server sends a final answer", async () => {
      await leave("a.png");
      page.transport.hasAll = () => Promise.reject(new NotSent(page.transport.queried.length === 1 ? null : 503, null));
      await page.uploads.restoreUnfinished();
      for (const [queries, ms] of [
        [1, 500],
        [2, 1_000],
      ] as const) {
        await expect.poll(() => vi.getTimerCount()).toBe(1);
        expect([page.transport.queried.length, page.uploads.snapshot().unfinished]).toEqual([queries, []]);
        page.transport.hasAll = queries === 1 ? page.transport.hasAll : () => Promise.reject(new NotSent(401, null));
        vi.advanceTimersByTime(ms);
      }
      await expect.poll(() => page.transport.queried.length).toBe(3);
      expect([page.uploads.snapshot().unfinished, vi.getTimerCount()]).toEqual([[], 0]);
    });

    it("resume with the selected file while the server is still queried", async () => {
      await leave("a.png");
      const answer = Promise.withResolvers<boolean>();
      page.transport.hasAll = () => answer.promise;
      await page.uploads.restoreUnfinished();
      page.transport.onSend = () => Promise.resolve();
      page.uploads.add(uploadTarget, [file("a.png")]);
      answer.resolve(true);
      await expect.poll(page.states).toEqual(["added"]);
      expect([page.transport.sendings.at(-1)?.url, page.transport.finished]).toEqual(["/uploads/apng", ["/uploads/apng"]]);
    });

    it("wait, fail and ask about duplicates like uploads of selected files", async () => {
      await leave("a.png", "b.png", "c.png", "d.png");
      page.transport.hasAll = () => Promise.resolve(true);
      const duplicateOf = { imageId: "i", name: "fig.jpg" };
      page.transport.onFinish = (url, anyway) => {
        if (url === "/uploads/apng" && page.transport.finished.filter((each) => each === url).length === 1)
          return Promise.reject(new NotSent(503, { problem: PROBLEM_TEXTS.busy, again: true }));
        if (url === "/uploads/bpng" && !anyway)
          return Promise.resolve({ name: "b.png", ok: false, problem: "Already here", again: false, duplicateOf });
        if (url === "/uploads/cpng") return Promise.reject(new NotSent(404, { problem: PROBLEM_TEXTS.unknown }));
        if (url === "/uploads/dpng") return Promise.resolve({ name: "d.png", ok: false, problem: "Damaged", again: true, damaged: true });
        return Promise.resolve({ name: "x", ok: true, imageId: "i" });
      };
      await page.uploads.restoreUnfinished();
      await expect.poll(page.states).toEqual(["interrupted", "duplicate", "failed", "failed"]);
      expect(page.all().map(({ canRetry }) => canRetry)).toEqual([false, false, false, false]);
      vi.advanceTimersByTime(500);
      page.uploads.addAnyway(page.all()[1]?.id ?? "");
      await expect.poll(page.states).toEqual(["added", "added", "failed", "failed"]);
      expect([page.transport.sendings.length, page.queue.uploads.size]).toEqual([4, 0]);
    });
  });

  describe("of a closed page, whose files this browser stores", () => {
    const leave = async (names: string[]) => {
      page.queue.storesFiles = true;
      page.transport.onSend = hang;
      page.uploads.add(
        uploadTarget,
        names.map((name) => file(name)),
      );
      page.uploads.pause(page.all()[1]?.id ?? "");
      const transport = new FakeTransport();
      transport.onSend = async ({ onUrl, file }) => onUrl(`/uploads/${file.name}`);
      page.open(transport);
    };

    it("resume automatically in order, except paused ones", { tags: "@resumes-stored-uploads" }, async () => {
      await leave(["a.png", "b.png", "c.png", "d.png", "e.png", "f.png"]);
      const ids = [...page.queue.uploads.keys()];
      await page.uploads.restoreUnfinished();
      await expect.poll(page.states).toEqual(["added", "paused", "added", "added", "added", "added"]);
      const sent = page.transport.batches.flat();
      expect(sent.map(({ entry }) => `${entry.chosenAs?.index} ${entry.name}`)).toEqual([
        "0 a.png",
        "2 c.png",
        "3 d.png",
        "4 e.png",
        "5 f.png",
      ]);
      expect(sent[0]?.file).toMatchObject({ name: "a.png", type: "image/png", lastModified: 7 });
      expect(sent[0]?.entry.key).toBe(ids[0]);
      expect(page.queue.names()).toEqual(["b.png"]);
    });

    it("wait for the user when another page may send them too", async () => {
      await leave(["a.png", "b.png"]);
      page.queue.isExclusive = false;
      await page.uploads.restoreUnfinished();
      expect([page.all(), page.uploads.snapshot().unfinished.map(({ name }) => name)]).toEqual([[], ["a.png", "b.png"]]);
      page.queue.remove(page.uploads.snapshot().unfinished[1]?.id ?? "");
      await page.uploads.resumeUnfinished();
      await expect.poll(page.states).toEqual(["added"]);
      expect(page.uploads.snapshot().unfinished).toEqual([]);
    });

    it("resume from file handles once the user permits it", async () => {
      await leave(["a.png", "b.png"]);
      let answer: PermissionState = "denied";
      const handle = { requestPermission: () => Promise.resolve(answer), getFile: () => Promise.resolve(file("a.png")) };
      for (const id of page.queue.uploads.keys()) page.queue.change(id, { isStored: false, paused: false, handle: handle as never });
      await page.uploads.restoreUnfinished();
      await page.uploads.resumeUnfinished();
      expect(page.all()).toEqual([]);
      answer = "granted";
      await page.uploads.resumeUnfinished();
      await expect.poll(page.states).toEqual(["added"]);
      expect(page.uploads.snapshot().unfinished.map(({ name }) => name)).toEqual(["b.png"]);
    });
  });
});
