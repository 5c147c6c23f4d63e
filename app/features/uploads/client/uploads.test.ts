import { beforeEach, describe, expect, it, vi } from "vitest";
import { fakeTimers, file, hang, uploadTarget, TestPage } from "./testing";
import type * as checksum from "./transfer/checksum";
import { NotSent } from "./transfer/transport";

vi.mock("./transfer/checksum", async (original) => {
  const { checksumOf } = await original<typeof checksum>();
  let last: Promise<unknown> = Promise.resolve();
  return { checksumOf: (chosen: File) => (last = last.then(() => checksumOf(chosen))) };
});

describe("uploads", () => {
  fakeTimers();
  let page: TestPage;
  beforeEach(() => void (page = new TestPage()));

  it("notifies once of all changes within an interval", () => {
    let notifications = 0;
    page.uploads.subscribe(() => notifications++);
    page.uploads.add(
      uploadTarget,
      Array.from({ length: 15 }, (_, index) => file(`${index}.png`)),
    );
    for (const { id } of page.all()) page.uploads.pause(id);
    expect(notifications).toBe(0);
    vi.advanceTimersByTime(250);
    expect(notifications).toBe(1);
  });

  it("adds many files in several tasks, in the order chosen", () => {
    page.transport.onBatch = () => new Promise(() => {});
    page.uploads.add(
      uploadTarget,
      Array.from({ length: 120 }, (_, index) => file(`${index}.png`)),
    );
    const counts = [page.all().length];
    while ((counts.at(-1) ?? 0) < 120) {
      vi.advanceTimersToNextTimer();
      if (page.all().length !== counts.at(-1)) counts.push(page.all().length);
    }
    expect(counts).toEqual([16, 32, 48, 64, 80, 96, 112, 120]);
    const queued = [...page.queue.uploads.values()];
    expect(new Set(queued.map(({ batch }) => batch)).size).toBe(1);
    expect(queued.every(({ name, index }) => name === `${index}.png`)).toBe(true);
  });

  it("starts the next file when one is paused", async () => {
    page.transport.onSend = (sending) => {
      sending.onUrl(sending.url ?? `/uploads/${page.transport.sendings.length}`);
      return hang(sending);
    };
    page.uploads.add(
      uploadTarget,
      ["a", "b", "c", "d", "e"].map((name) => file(`${name}.png`)),
    );
    await expect.poll(() => page.transport.sendings.length).toBe(4);
    page.uploads.pause(page.first().id);
    await expect.poll(() => page.transport.sendings.length).toBe(5);
    expect(page.states()).toEqual(["paused", "sending", "sending", "sending", "sending"]);
    page.transport.onSend = () => Promise.resolve();
    page.uploads.cancel(page.all()[1]?.id ?? "");
    page.uploads.resume(page.first().id);
    await expect.poll(page.states).toEqual(["added", "cancelled", "sending", "sending", "sending"]);
    expect(page.transport.sendings[5]?.url).toBe(page.transport.urlOf("a.png"));
    expect(page.transport.discarded).toEqual([page.transport.urlOf("b.png")]);
  });

  it("reports a duplicate picture before and after it was sent", async () => {
    const duplicateOf = { imageId: "i", name: "fig.jpg" };
    page.transport.onSend = async ({ metadata, onUrl }) => {
      if (metadata["filename"] === "a.png" && !metadata["anyway"]) throw new NotSent(409, { problem: "Already here", duplicateOf });
      onUrl(`/uploads/${metadata["filename"]}`.replace(".", ""));
    };
    page.transport.onFinish = (_, anyway) =>
      Promise.resolve(
        anyway ? { name: "x", ok: true, imageId: "j" } : { name: "x", ok: false, problem: "Already here", again: false, duplicateOf },
      );
    page.uploads.add(uploadTarget, [file("a.png"), file("b.png"), file("c.png")]);
    await expect.poll(page.states).toEqual(["duplicate", "duplicate", "duplicate"]);
    const [a, b, c] = page.all().map(({ id }) => id);
    page.uploads.addAnyway(a ?? "");
    page.uploads.addAnyway(b ?? "");
    page.uploads.dismiss(c);
    await expect.poll(page.states).toEqual(["added", "added"]);
    expect(page.transport.discarded).toEqual(["/uploads/bpng", "/uploads/cpng"]);
  });

  it("rejects files that cannot be pictures, with a reason for each", () => {
    const files = [
      new File([], "nothing.png", { type: "image/png" }),
      new File(["x"], "film.mp4", { type: "video/mp4" }),
      new File(["x"], "brief.docx", { type: "application/x-word" }),
      new File(["x"], "poster.psd", { type: "application/octet-stream" }),
    ];
    page.uploads.add(uploadTarget, files);
    expect(page.all().map(({ problem }) => problem)).toEqual([
      "The file is empty.",
      "Unsupported file type (video). Export a frame as a JPEG, or an animation as a GIF or WebP.",
      "Unsupported file type (.docx). Choose a JPEG, PNG, WebP, GIF, AVIF, HEIC, SVG or PDF file.",
      "Unsupported file type (Photoshop). Export it as a PNG or PDF.",
    ]);
    expect(page.transport.sendings).toEqual([]);
  });

  it("asks before the page is left only while an upload is active", async () => {
    const leaves = () => page.window.dispatchEvent(new Event("beforeunload", { cancelable: true }));
    const end = Promise.withResolvers<void>();
    page.transport.onSend = ({ onUrl }) => {
      onUrl("/uploads/1");
      return end.promise;
    };
    expect(leaves()).toBe(true);
    page.uploads.add(uploadTarget, [file("a.png")]);
    expect(leaves()).toBe(false);
    end.resolve();
    await expect.poll(page.states).toEqual(["added"]);
    expect(leaves()).toBe(true);
  });
});
