import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type * as checksum from "./checksum";
import { openLeftovers } from "./leftovers";
import { TEXTS } from "./problem";
import { NotSent, type Sending, type Transport } from "./transport";
import { stateText, type Upload, Uploads } from "./uploads";

// Checksums are made on several threads, and done in any order; here one after the other, so that files are sent in the order of their choice.
vi.mock("./checksum", async (original) => {
  const { checksumOf } = await original<typeof checksum>();
  let last: Promise<unknown> = Promise.resolve();
  return { checksumOf: (chosen: File) => (last = last.then(() => checksumOf(chosen))) };
});

const place = { designId: "d", designName: "Cover" };
const file = (name: string, text = "0123456789") => new File([text], name, { type: "image/png", lastModified: 7 });

/** A line that does what each test says. */
class Line implements Transport {
  readonly sendings: Sending[] = [];
  readonly discarded: string[] = [];
  readonly finished: string[] = [];
  readonly asked: string[] = [];
  hasAll: (url: string) => Promise<boolean> = () => Promise.resolve(false);
  onSend: (sending: Sending) => Promise<void> = async ({ onUrl, url }) => onUrl(url ?? `/uploads/${this.sendings.length}`);
  onFinish: Transport["finish"] = () => Promise.resolve({ name: "x", ok: true, imageId: "i" });

  /** The address that the file with this name was given when it was first sent. */
  urlOf = (name: string) => `/uploads/${this.sendings.findIndex(({ file }) => file.name === name) + 1}`;

  send(sending: Sending): Promise<void> {
    this.sendings.push(sending);
    return this.onSend(sending);
  }
  finish(...asked: Parameters<Transport["finish"]>) {
    this.finished.push(asked[0]);
    return this.onFinish(...asked);
  }
  hasArrived(url: string) {
    this.asked.push(url);
    return this.hasAll(url);
  }
  discard(url: string): void {
    this.discarded.push(url);
  }
}

describe("uploads", () => {
  let line: Line;
  let uploads: Uploads;
  let store: Map<string, string>;
  let window: EventTarget;

  const leftovers = () => {
    const kept = store;
    return openLeftovers("ada", {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => void kept.set(key, value),
      removeItem: (key) => void kept.delete(key),
    });
  };
  const open = () => new Uploads({ transport: line, leftovers: leftovers(), window });
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    line = new Line();
    store = new Map();
    window = new EventTarget();
    // Locks are given free with the page that holds them; here all pages are one.
    vi.stubGlobal("navigator", {});
    uploads = open();
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  const all = () => uploads.snapshot().uploads;
  const states = () => all().map(({ state }) => state);
  const first = () => all()[0] ?? expect.fail("There is no upload");
  const hang = ({ signal }: { signal: AbortSignal }) =>
    new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

  it("sends four at a time, each with its checksum, and the rest in their turn", async () => {
    const ends: (() => void)[] = [];
    line.onSend = ({ onUrl }) =>
      new Promise((resolve) => {
        onUrl(`/uploads/${line.sendings.length}`);
        ends.push(resolve);
      });
    uploads.add(
      place,
      ["a", "b", "c", "d", "e"].map((name) => file(`${name}.png`)),
    );
    await expect.poll(states).toEqual(["sending", "sending", "sending", "sending", "waiting"]);
    await expect.poll(() => ends.length).toBe(4);
    ends[0]?.();
    await expect.poll(states).toEqual(["added", "sending", "sending", "sending", "sending"]);
    expect(line.sendings[0]?.metadata).toEqual({
      design: "d",
      filename: "a.png",
      checksum: "84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882",
    });
  });

  it("goes on by itself, where it stopped, after the line was lost: however often, and at once when the network is back", async () => {
    line.onSend = async ({ onUrl, onProgress }) => {
      onUrl("/uploads/1");
      onProgress(4);
      throw new NotSent(null, null);
    };
    uploads.add(place, [file("a.png")]);
    await expect.poll(states).toEqual(["interrupted"]);
    expect(stateText(first())).toContain("The connection was lost. It goes on by itself");
    expect(first().sent).toBe(4);
    vi.advanceTimersByTime(500);
    await expect.poll(() => line.sendings.length).toBe(2);
    await expect.poll(states).toEqual(["interrupted"]);
    expect(line.sendings[1]?.url).toBe("/uploads/1");
    line.onSend = () => Promise.resolve();
    window.dispatchEvent(new Event("online"));
    await expect.poll(states).toEqual(["added"]);
    expect([...store]).toEqual([]);
  });

  it("waits for a deployment that is gone while it finishes, and asks again for the same upload", async () => {
    let asked = 0;
    line.onFinish = () =>
      asked++ === 0
        ? Promise.resolve({ name: "a", ok: false, problem: TEXTS.busy, again: true, soon: true })
        : asked === 2
          ? Promise.reject(new NotSent(503, { problem: TEXTS.busy, again: true }))
          : Promise.resolve({ name: "a", ok: true, imageId: "i" });
    uploads.add(place, [file("a.png")]);
    for (const [tries, ms] of [
      [1, 500],
      [2, 1_000],
    ] as const) {
      await expect.poll(() => [line.finished.length, ...states()]).toEqual([tries, "interrupted"]);
      expect(first().problem).toBe(TEXTS.busy);
      vi.advanceTimersByTime(ms);
    }
    await expect.poll(states).toEqual(["added"]);
    expect(line.finished).toEqual(["/uploads/1", "/uploads/1", "/uploads/1"]);
  });

  it("begins anew where the server has lost it, without asking anybody", async () => {
    line.onSend = async ({ onUrl, url }) => {
      if (line.sendings.length === 1) {
        onUrl("/uploads/1");
        throw new NotSent(404, { problem: TEXTS.unknown });
      }
      onUrl(url ?? "/uploads/2");
    };
    uploads.add(place, [file("a.png")]);
    await expect.poll(states).toEqual(["interrupted"]);
    vi.advanceTimersByTime(500);
    await expect.poll(states).toEqual(["added"]);
    expect([line.sendings[1]?.url, line.finished]).toEqual([null, ["/uploads/2"]]);
  });

  it("says what is wrong, and tries again only where that may help", async () => {
    const refusals = [
      new NotSent(404, { problem: TEXTS.gone }),
      new NotSent(401, { problem: TEXTS.signedOut }),
      new NotSent(413, { problem: "Full", again: true }),
    ];
    line.onSend = () => Promise.reject(refusals[line.sendings.length - 1] ?? new Error("Unexpected"));
    uploads.add(place, [file("a.png"), file("b.png"), file("c.png")]);
    await expect.poll(states).toEqual(["failed", "failed", "failed"]);
    expect(all().map(({ problem, again }) => [problem, again])).toEqual([
      [TEXTS.gone, false],
      [TEXTS.signedOut, true],
      ["Full", true],
    ]);
    line.onSend = async ({ onUrl }) => onUrl("/uploads/9");
    for (const { id } of all()) uploads.retry(id);
    await expect.poll(states).toEqual(["failed", "added", "added"]);
  });

  it("pauses and resumes, and a file that is paused leaves its turn to the next", async () => {
    line.onSend = (sending) => {
      sending.onUrl(sending.url ?? `/uploads/${line.sendings.length}`);
      return hang(sending);
    };
    uploads.add(
      place,
      ["a", "b", "c", "d", "e"].map((name) => file(`${name}.png`)),
    );
    await expect.poll(() => line.sendings.length).toBe(4);
    uploads.pause(first().id);
    await expect.poll(() => line.sendings.length).toBe(5);
    expect(states()).toEqual(["paused", "sending", "sending", "sending", "sending"]);
    line.onSend = () => Promise.resolve();
    uploads.cancel(all()[1]?.id ?? "");
    uploads.resume(first().id);
    await expect.poll(states).toEqual(["added", "cancelled", "sending", "sending", "sending"]);
    // Files get their addresses in the order in which their checksums are done.
    expect(line.sendings[5]?.url).toBe(line.urlOf("a.png"));
    expect(line.discarded).toEqual([line.urlOf("b.png")]);
  });

  it("asks about a picture that the design has already, before or after it was sent", async () => {
    const duplicateOf = { imageId: "i", name: "fig.jpg" };
    line.onSend = async ({ metadata, onUrl }) => {
      if (metadata["filename"] === "a.png" && !metadata["anyway"]) throw new NotSent(409, { problem: "Already here", duplicateOf });
      onUrl(`/uploads/${metadata["filename"]}`.replace(".", ""));
    };
    line.onFinish = (_, anyway) =>
      Promise.resolve(
        anyway ? { name: "x", ok: true, imageId: "j" } : { name: "x", ok: false, problem: "Already here", again: false, duplicateOf },
      );
    uploads.add(place, [file("a.png"), file("b.png"), file("c.png")]);
    await expect.poll(states).toEqual(["duplicate", "duplicate", "duplicate"]);
    const [a, b, c] = all().map(({ id }) => id);
    uploads.addAnyway(a ?? "");
    uploads.addAnyway(b ?? "");
    uploads.dismiss(c);
    await expect.poll(states).toEqual(["added", "added"]);
    expect(line.discarded).toEqual(["/uploads/cpng"]);
  });

  it("remembers beyond the page what it did not finish, and goes on when the same file is chosen again", async () => {
    line.onSend = (sending) => {
      sending.onUrl(`/uploads/${sending.file.name}`.replace(".", ""));
      return hang(sending);
    };
    uploads.add(place, [file("a.png"), file("b.png")]);
    await expect.poll(() => store.get("uploads:ada") ?? "").toContain("bpng");

    uploads = open();
    await uploads.findRest();
    await expect
      .poll(() => uploads.snapshot().rest.map(({ name, designName }) => [name, designName]))
      .toEqual([
        ["a.png", "Cover"],
        ["b.png", "Cover"],
      ]);
    line.onSend = () => Promise.resolve();
    const other = file("a.png", "another length");
    expect(uploads.takeUp([other, file("a.png")])).toEqual([other]);
    await expect.poll(states).toEqual(["added"]);
    expect(line.sendings.at(-1)?.url).toBe("/uploads/apng");
    // Added to the design as if it were new, it goes on as well.
    uploads.add(place, [file("b.png")]);
    await expect.poll(states).toEqual(["added"]);
    expect(line.sendings.at(-1)?.url).toBe("/uploads/bpng");
    expect([uploads.snapshot().rest, store.size]).toEqual([[], 0]);
  });

  describe("that an earlier page left", () => {
    const offers: string[][] = [];
    const leave = async (...names: string[]) => {
      line.onSend = (sending) => {
        sending.onUrl(`/uploads/${sending.file.name}`.replace(".", ""));
        return hang(sending);
      };
      uploads.add(
        place,
        names.map((name) => file(name)),
      );
      await expect.poll(() => leftovers().all()).toHaveLength(names.length);
      uploads = open();
      offers.length = 0;
      uploads.subscribe(() => offers.push(uploads.snapshot().rest.map(({ name }) => name)));
    };

    it("are asked of the server: what it has whole is finished and told, and nothing but the rest ever offered", async () => {
      await leave("a.png", "b.png");
      const answer = Promise.withResolvers<void>();
      line.hasAll = async (url) => answer.promise.then(() => url === "/uploads/apng");
      line.onFinish = () => Promise.resolve({ name: "a.png", ok: true, imageId: "i" });
      await uploads.findRest();
      expect([line.asked, uploads.snapshot().rest]).toEqual([["/uploads/apng", "/uploads/bpng"], []]);
      answer.resolve();
      await expect.poll(states).toEqual(["added"]);
      expect([first().name, first().imageId, line.finished, line.sendings.length]).toEqual(["a.png", "i", ["/uploads/apng"], 2]);
      expect(new Set(offers.map(String))).toEqual(new Set(["b.png"]));
      expect(
        leftovers()
          .all()
          .map(({ name }) => name),
      ).toEqual(["b.png"]);
      // What is not offered is not discarded either.
      uploads.discardRest();
      expect([line.discarded, store.size]).toEqual([["/uploads/bpng"], 0]);
    });

    it("are nobody's question where there are none", async () => {
      await uploads.findRest();
      expect([line.asked, all()]).toEqual([[], []]);
    });

    it("are asked for again while there is no answer, and not where there will be none", async () => {
      await leave("a.png");
      line.hasAll = () => Promise.reject(new NotSent(line.asked.length === 1 ? null : 503, null));
      await uploads.findRest();
      for (const [asked, ms] of [
        [1, 500],
        [2, 1_000],
      ] as const) {
        await expect.poll(() => vi.getTimerCount()).toBe(1);
        expect([line.asked.length, uploads.snapshot().rest]).toEqual([asked, []]);
        line.hasAll = asked === 1 ? line.hasAll : () => Promise.reject(new NotSent(401, null));
        vi.advanceTimersByTime(ms);
      }
      await expect.poll(() => line.asked.length).toBe(3);
      expect([uploads.snapshot().rest, vi.getTimerCount()]).toEqual([[], 0]);
    });

    it("go on with the file that is chosen while the server is still asked", async () => {
      await leave("a.png");
      const answer = Promise.withResolvers<boolean>();
      line.hasAll = () => answer.promise;
      await uploads.findRest();
      line.onSend = () => Promise.resolve();
      uploads.add(place, [file("a.png")]);
      answer.resolve(true);
      await expect.poll(states).toEqual(["added"]);
      expect([line.sendings.at(-1)?.url, line.finished]).toEqual(["/uploads/apng", ["/uploads/apng"]]);
    });

    it("are waited for, asked about and given up as others are, though their files are not at hand", async () => {
      await leave("a.png", "b.png", "c.png", "d.png");
      line.hasAll = () => Promise.resolve(true);
      const duplicateOf = { imageId: "i", name: "fig.jpg" };
      line.onFinish = (url, anyway) => {
        if (url === "/uploads/apng" && line.finished.filter((each) => each === url).length === 1)
          return Promise.reject(new NotSent(503, { problem: TEXTS.busy, again: true }));
        if (url === "/uploads/bpng" && !anyway)
          return Promise.resolve({ name: "b.png", ok: false, problem: "Already here", again: false, duplicateOf });
        if (url === "/uploads/cpng") return Promise.reject(new NotSent(404, { problem: TEXTS.unknown }));
        if (url === "/uploads/dpng") return Promise.resolve({ name: "d.png", ok: false, problem: "Damaged", again: true, damaged: true });
        return Promise.resolve({ name: "x", ok: true, imageId: "i" });
      };
      await uploads.findRest();
      await expect.poll(states).toEqual(["interrupted", "duplicate", "failed", "failed"]);
      expect(all().map(({ again }) => again)).toEqual([false, false, false, false]);
      vi.advanceTimersByTime(500);
      uploads.addAnyway(all()[1]?.id ?? "");
      await expect.poll(states).toEqual(["added", "added", "failed", "failed"]);
      expect([line.sendings.length, store.size]).toEqual([4, 0]);
    });
  });

  it("sends nothing of what can be no picture, and says so for each", () => {
    const files = [
      new File([], "nothing.png", { type: "image/png" }),
      new File(["x"], "film.mp4", { type: "video/mp4" }),
      new File(["x"], "brief.pdf", { type: "application/pdf" }),
    ];
    uploads.add(place, files);
    expect(all().map(({ problem }) => problem)).toEqual([
      "The file is empty.",
      "This is a video. Choose a JPEG, PNG, WebP, GIF, AVIF or SVG file.",
      "This is a PDF. Choose a JPEG, PNG, WebP, GIF, AVIF or SVG file.",
    ]);
    expect(line.sendings).toEqual([]);
  });

  it("tells how far a file has come, how fast, and how long it will take", () => {
    const upload: Upload = {
      ...place,
      id: "1",
      name: "a.png",
      size: 4 * 1024 * 1024,
      state: "sending",
      sent: 1024 * 1024,
      speed: 512 * 1024,
      problem: null,
      again: false,
      imageId: null,
      duplicateOf: null,
    };
    expect(stateText(upload)).toBe("25% of 4 MiB, 512 KiB/s, 6 s left");
    expect(stateText({ ...upload, speed: null })).toBe("25% of 4 MiB");
    expect(stateText({ ...upload, state: "paused" })).toBe("Paused at 25% of 4 MiB");
  });

  it("says that a file is gone from the machine, rather than waiting for a line that was never lost", async () => {
    const gone = file("a.png");
    vi.spyOn(gone, "slice").mockReturnValue(
      Object.assign(new Blob(), { arrayBuffer: () => Promise.reject(new Error("NotReadableError")) }),
    );
    line.onSend = () => Promise.reject(new NotSent(null, null));
    uploads.add(place, [gone]);
    await expect.poll(states).toEqual(["failed"]);
    expect(first().problem).toContain("has changed, or gone");
  });

  it("asks before the page is left while something is under way, and not afterwards", async () => {
    const leaves = () => window.dispatchEvent(new Event("beforeunload", { cancelable: true }));
    const end = Promise.withResolvers<void>();
    line.onSend = ({ onUrl }) => {
      onUrl("/uploads/1");
      return end.promise;
    };
    expect(leaves()).toBe(true);
    uploads.add(place, [file("a.png")]);
    expect(leaves()).toBe(false);
    end.resolve();
    await expect.poll(states).toEqual(["added"]);
    expect(leaves()).toBe(true);
  });
});
