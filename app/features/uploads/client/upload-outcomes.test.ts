import { beforeEach, describe, expect, it, vi } from "vitest";
import { CONTINUES, PROBLEM_TEXTS } from "../upload-problem";
import { fakeTimers, file, uploadTarget, TestPage } from "./testing";
import type * as checksum from "./transfer/checksum";
import { NotSent } from "./transfer/transport";
import { stateText } from "./tray/upload-text";

vi.mock("./transfer/checksum", async (original) => {
  const { checksumOf } = await original<typeof checksum>();
  let last: Promise<unknown> = Promise.resolve();
  return { checksumOf: (chosen: File) => (last = last.then(() => checksumOf(chosen))) };
});

describe("upload outcomes", () => {
  fakeTimers();
  let page: TestPage;
  beforeEach(() => void (page = new TestPage()));

  it("resumes after each lost connection, and at once when the network is back", async () => {
    page.transport.onSend = async ({ onUrl, onProgress }) => {
      onUrl("/uploads/1");
      onProgress(4);
      throw new NotSent(null, null);
    };
    page.uploads.add(uploadTarget, [file("a.png")]);
    await expect.poll(page.states).toEqual(["interrupted"]);
    expect(stateText(page.first())).toContain("Waiting for connection");
    expect(page.first().sent).toBe(4);
    vi.advanceTimersByTime(500);
    await expect.poll(() => page.transport.sendings.length).toBe(2);
    await expect.poll(page.states).toEqual(["interrupted"]);
    expect(page.transport.sendings[1]?.url).toBe("/uploads/1");
    page.transport.onSend = () => Promise.resolve();
    page.window.dispatchEvent(new Event("online"));
    await expect.poll(page.states).toEqual(["added"]);
    expect(page.queue.names()).toEqual([]);
  });

  it("waits longer before each retry while none makes progress", async () => {
    page.transport.onSend = async ({ onUrl, onProgress }) => {
      onUrl("/uploads/1");
      onProgress(4);
      throw new NotSent(502, null);
    };
    page.uploads.add(uploadTarget, [file("a.png")]);
    for (const [tries, ms] of [
      [1, 500],
      [2, 1_000],
      [3, 2_000],
    ] as const) {
      await expect.poll(() => [page.transport.sendings.length, ...page.states()], { interval: 10 }).toEqual([tries, "interrupted"]);
      expect(page.first().problem).toBe(`${PROBLEM_TEXTS.proxyNoServer} ${CONTINUES}`);
      vi.advanceTimersByTime(0.6 * ms);
      expect(page.states()).toEqual(["interrupted"]);
      vi.advanceTimersByTime(0.4 * ms);
    }
    await expect.poll(() => page.transport.sendings.length).toBe(4);
  });

  it("retries finalize of the same upload while the deployment is unreachable", async () => {
    let requested = 0;
    page.transport.onFinish = () =>
      requested++ === 0
        ? Promise.resolve({ name: "a", ok: false, problem: PROBLEM_TEXTS.busy, again: true, soon: true })
        : requested === 2
          ? Promise.reject(new NotSent(503, { problem: PROBLEM_TEXTS.busy, again: true }))
          : Promise.resolve({ name: "a", ok: true, imageId: "i" });
    page.uploads.add(uploadTarget, [file("a.png")]);
    for (const [tries, ms] of [
      [1, 500],
      [2, 1_000],
    ] as const) {
      await expect.poll(() => [page.transport.finished.length, ...page.states()]).toEqual([tries, "interrupted"]);
      expect(page.first().problem).toBe(`${PROBLEM_TEXTS.busy} ${CONTINUES}`);
      vi.advanceTimersByTime(ms);
    }
    await expect.poll(page.states).toEqual(["added"]);
    expect(page.transport.finished).toEqual(["/uploads/1", "/uploads/1", "/uploads/1"]);
  });

  it("restarts an upload that the server lost", async () => {
    page.transport.onSend = async ({ onUrl, url }) => {
      if (page.transport.sendings.length === 1) {
        onUrl("/uploads/1");
        throw new NotSent(404, { problem: PROBLEM_TEXTS.unknown });
      }
      onUrl(url ?? "/uploads/2");
    };
    page.uploads.add(uploadTarget, [file("a.png")]);
    await expect.poll(page.states).toEqual(["interrupted"]);
    vi.advanceTimersByTime(500);
    await expect.poll(page.states).toEqual(["added"]);
    expect([page.transport.sendings[1]?.url, page.transport.finished]).toEqual([null, ["/uploads/2"]]);
  });

  it("shows the problem and retries only where that may help", async () => {
    const refusals = [
      new NotSent(404, { problem: PROBLEM_TEXTS.gone }),
      new NotSent(401, { problem: PROBLEM_TEXTS.signedOut }),
      new NotSent(413, { problem: "Full", again: true }),
    ];
    page.transport.onSend = () => Promise.reject(refusals[page.transport.sendings.length - 1] ?? new Error("Unexpected"));
    page.uploads.add(uploadTarget, [file("a.png"), file("b.png"), file("c.png")]);
    await expect.poll(page.states).toEqual(["failed", "failed", "failed"]);
    expect(page.all().map(({ problem, canRetry }) => [problem, canRetry])).toEqual([
      [PROBLEM_TEXTS.gone, false],
      [PROBLEM_TEXTS.signedOut, true],
      ["Full", true],
    ]);
    page.transport.onSend = async ({ onUrl }) => onUrl("/uploads/9");
    for (const { id } of page.all()) page.uploads.retry(id);
    await expect.poll(page.states).toEqual(["failed", "added", "added"]);
  });

  it("fails for a file that was deleted, instead of waiting for a connection", async () => {
    const gone = file("a.png");
    vi.spyOn(gone, "slice").mockReturnValue(
      Object.assign(new Blob(), { arrayBuffer: () => Promise.reject(new Error("NotReadableError")) }),
    );
    page.transport.onSend = () => Promise.reject(new NotSent(null, null));
    page.uploads.add(uploadTarget, [gone]);
    await expect.poll(page.states).toEqual(["failed"]);
    expect(page.first().problem).toContain("was changed or removed");
  });
});
