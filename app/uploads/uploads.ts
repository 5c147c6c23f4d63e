import { bytesText, type UploadResult } from "~/images/upload";
import { checksumOf } from "./checksum";
import { claim, isRestOf, type Leftover, type Leftovers, unclaimed } from "./leftovers";
import { createPace, leftText, type Pace } from "./pace";
import { refusedBeforehand } from "./refused-type";
import { TEXTS } from "./problem";
import { NotSent, remedyFor, type Transport } from "./transport";

/** Where files go. */
export type Place = { designId: string; designName: string };

/** One file on its way. */
export type Upload = Place & {
  id: string;
  name: string;
  /** Bytes. */
  size: number;
  /**
   * `interrupted`: something is in the way that time may mend, and it is tried again by itself. `looking`: all of it has arrived, and is being
   * looked at. `duplicate`: the design has this picture already, and somebody has to say what to do.
   */
  state: "waiting" | "sending" | "interrupted" | "paused" | "looking" | "added" | "duplicate" | "failed" | "cancelled";
  /** Bytes that the server has. */
  sent: number;
  /** Bytes a second; null while that cannot be said. */
  speed: number | null;
  /** Why it does not go on, or failed. */
  problem: string | null;
  /** Whether sending it once more may help. */
  again: boolean;
  imageId: string | null;
  duplicateOf: { imageId: string; name: string } | null;
};

/** More would only take the line from each other. */
const AT_ONCE = 4;

/** How long to wait before the first, second, … try, in ms; the last one counts for all that follow. */
const RETRY_MS = [500, 1_000, 2_000, 4_000, 8_000, 10_000];

/** How much longer pace and time left may be shown before they are told anew, in ms. */
const TOLD_EVERY_MS = 100;

type Item = {
  upload: Upload;
  /** Null where all of it arrived with an earlier page, which did not hear what became of it. */
  file: File | null;
  /** Where the server has it. */
  url: string | null;
  checksum: Promise<string | null> | null;
  anyway: boolean;
  tries: number;
  stop: AbortController | null;
  timer: ReturnType<typeof setTimeout> | null;
  release: () => void;
  pace: Pace;
  toldAt: number;
};

type Surroundings = {
  transport: Transport;
  leftovers: Leftovers;
  /** `Date.now`, and the browser's window for what is told to it; tests bring their own. */
  now?: () => number;
  window?: Pick<Window, "addEventListener" | "removeEventListener">;
};

/**
 * The files that this document is sending: beside the pages, so that they go on while somebody looks at another one. None of them is ever
 * forgotten in silence: each ends as an image, or with a reason, or by the wish of whoever chose it.
 */
export class Uploads {
  #items: Item[] = [];
  /** What earlier pages began, and nobody goes on with. */
  #rest: Leftover[] = [];
  /** Those of them of which the server has told that something is missing: only they are shown. */
  readonly #stopped = new Set<string>();
  #snapshot: { uploads: readonly Upload[]; rest: readonly Leftover[] } = { uploads: [], rest: [] };
  #guarded = false;
  readonly #listeners = new Set<() => void>();
  readonly #transport: Transport;
  readonly #leftovers: Leftovers;
  readonly #now: () => number;
  readonly #window: Pick<Window, "addEventListener" | "removeEventListener">;

  constructor({ transport, leftovers, now = Date.now, window = globalThis.window }: Surroundings) {
    this.#transport = transport;
    this.#leftovers = leftovers;
    this.#now = now;
    this.#window = window;
  }

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly snapshot = () => this.#snapshot;

  /** Starts sending files to a place. What an earlier page began (`findRest`) goes on where it stopped. */
  add(place: Place, files: readonly File[]): void {
    // A new batch: what became well of the one before has been seen.
    if (!this.#items.some(({ upload }) => isUnderWay(upload)))
      this.#items = this.#items.filter(({ upload }) => upload.state === "failed" || upload.state === "duplicate");
    for (const file of files) {
      const rest = this.#rest.find((each) => each.designId === place.designId && isRestOf(each, file)) ?? null;
      this.#push(place, file, rest);
      this.#rest = this.#rest.filter((each) => each !== rest);
    }
    this.#next();
  }

  /** Looks for what earlier pages left, and no other tab is at work on; the server is asked what is missing of it. */
  async findRest(): Promise<void> {
    const mine = new Set(this.#items.map(({ url }) => url));
    this.#rest = (await unclaimed(this.#leftovers.all())).filter(({ url }) => !mine.has(url));
    void this.#sortRest();
  }

  /** Goes on with what earlier pages left, with the files that were chosen again; answers those that belong to nothing of it. */
  takeUp(files: readonly File[]): File[] {
    const others: File[] = [];
    for (const file of files) {
      const rest = this.#rest.find((each) => isRestOf(each, file));
      if (!rest) {
        others.push(file);
        continue;
      }
      this.#push(rest, file, rest);
      this.#rest = this.#rest.filter((each) => each !== rest);
    }
    this.#next();
    return others;
  }

  /** Forgets what earlier pages left, here and on the server. */
  discardRest(): void {
    for (const { url } of this.#snapshot.rest) {
      this.#leftovers.remove(url);
      this.#transport.discard(url);
    }
    this.#rest = this.#rest.filter(({ url }) => !this.#stopped.has(url));
    this.#publish();
  }

  pause(id: string): void {
    const item = this.#find(id);
    if (!item || !canPause(item.upload)) return;
    this.#halt(item);
    this.#change(item, { state: "paused", problem: null, speed: null });
    this.#next();
  }

  resume(id: string): void {
    const item = this.#find(id);
    if (item?.upload.state !== "paused" && item?.upload.state !== "interrupted") return;
    this.#halt(item);
    this.#change(item, { state: "waiting", problem: null });
    this.#next();
  }

  cancel(id: string): void {
    const item = this.#find(id);
    if (!item || !canCancel(item.upload)) return;
    this.#halt(item);
    this.#forget(item, { discard: true });
    this.#change(item, { state: "cancelled", problem: null, again: canGoOn(item), duplicateOf: null, sent: 0, speed: null });
    this.#next();
  }

  retry(id: string): void {
    const item = this.#find(id);
    if (!item?.upload.again || isUnderWay(item.upload)) return;
    item.tries = 0;
    this.#change(item, { state: "waiting", problem: null, again: false });
    this.#next();
  }

  /** Adds a picture that the design has already. */
  addAnyway(id: string): void {
    const item = this.#find(id);
    if (item?.upload.state !== "duplicate") return;
    item.anyway = true;
    this.#change(item, { state: "waiting", problem: null, duplicateOf: null });
    this.#next();
  }

  /** Forgets those that are over, one or all; a picture that is there already is thereby skipped. */
  dismiss(id?: string): void {
    const goes = ({ upload }: Item) => !isUnderWay(upload) && (id === undefined || upload.id === id);
    for (const item of this.#items.filter(goes)) this.#forget(item, { discard: item.url !== null && item.upload.state !== "added" });
    this.#items = this.#items.filter((item) => !goes(item));
    this.#publish();
  }

  /**
   * Of what an earlier page left the server may have all, because that page was gone before it heard of it: such a file is finished, and its owner
   * is told. They are asked for what the server has only a part of. Until it has answered nothing is said, and it is asked again.
   */
  async #sortRest(tries = 0): Promise<void> {
    const asked = this.#rest;
    if (asked.length === 0) return;
    try {
      const arrived = new Set<Leftover>();
      const ask = async (rest: Leftover) => (await this.#transport.hasArrived(rest.url)) && arrived.add(rest);
      await Promise.all(asked.map(ask));
      // What was chosen again in between has gone on already.
      for (const rest of asked.filter((each) => this.#rest.includes(each)))
        if (arrived.has(rest)) this.#push(rest, rest, rest);
        else this.#stopped.add(rest.url);
      this.#rest = this.#rest.filter((each) => !arrived.has(each));
      this.#next();
    } catch (error) {
      if (!(error instanceof NotSent)) throw error;
      if (remedyFor(error).kind === "wait")
        setTimeout(() => void this.#sortRest(tries + 1), RETRY_MS[Math.min(tries, RETRY_MS.length - 1)]);
    }
  }

  #push(place: Place, given: File | Leftover, rest: Leftover | null): void {
    const file = given instanceof File ? given : null;
    const refused = file && refusedBeforehand(file);
    const upload: Upload = {
      designId: place.designId,
      designName: place.designName,
      id: crypto.randomUUID(),
      name: given.name,
      size: given.size,
      state: refused === null ? "waiting" : "failed",
      sent: 0,
      speed: null,
      problem: refused,
      again: false,
      imageId: null,
      duplicateOf: null,
    };
    const release = rest ? claim(rest.url) : () => {};
    const url = rest?.url ?? null;
    this.#items.push({
      upload,
      file,
      url,
      checksum: null,
      anyway: false,
      tries: 0,
      stop: null,
      timer: null,
      release,
      pace: createPace(),
      toldAt: 0,
    });
  }

  #find(id: string) {
    return this.#items.find(({ upload }) => upload.id === id);
  }

  #next(): void {
    let busy = this.#items.filter(({ stop }) => stop !== null).length;
    for (const item of this.#items) {
      if (busy >= AT_ONCE) break;
      if (item.upload.state !== "waiting") continue;
      void this.#send(item);
      busy++;
    }
    this.#publish();
  }

  async #send(item: Item): Promise<void> {
    const stop = new AbortController();
    item.stop = stop;
    const { file, upload } = item;
    try {
      if (file) await this.#sendBytes(item, file, stop.signal);
      this.#change(item, { state: "looking", sent: upload.size, problem: null, speed: null });
      if (item.url === null) throw new Error("A file that was sent has an address");
      this.#end(item, await this.#transport.finish(item.url, item.anyway, stop.signal));
    } catch (error) {
      // Whoever halted it has said what becomes of it.
      if (item.stop !== stop) return;
      const why = error instanceof NotSent ? error : null;
      const gone = why?.status === null && file !== null && !(await isReadable(file));
      if (item.stop !== stop) return;
      if (why === null) console.error(error);
      if (gone) this.#change(item, { state: "failed", problem: GONE, again: false, speed: null });
      else this.#failed(item, why ?? new NotSent(500, { problem: TEXTS.failed }));
    }
    item.stop = null;
    this.#next();
  }

  async #sendBytes(item: Item, file: File, signal: AbortSignal): Promise<void> {
    this.#change(item, { state: "sending", problem: null, speed: null });
    const checksum = await (item.checksum ??= checksumOf(file));
    signal.throwIfAborted();
    await this.#transport.send({
      file,
      url: item.url,
      metadata: { design: item.upload.designId, filename: file.name, ...(checksum && { checksum }), ...(item.anyway && { anyway: "1" }) },
      signal,
      onUrl: (url) => this.#began(item, file, url),
      onProgress: (bytes) => this.#progress(item, bytes),
    });
  }

  #began(item: Item, file: File, url: string): void {
    if (item.url === url) return;
    this.#forget(item, { discard: false });
    item.url = url;
    item.release = claim(url);
    const { designId, designName, name, size } = item.upload;
    this.#leftovers.add({ url, designId, designName, name, size, modified: file.lastModified, at: this.#now() });
  }

  #progress(item: Item, bytes: number): void {
    const now = this.#now();
    item.tries = 0;
    item.pace.note(bytes, now);
    if (item.upload.state !== "sending" || (now - item.toldAt < TOLD_EVERY_MS && bytes < item.upload.size)) return;
    item.toldAt = now;
    this.#change(item, { sent: bytes, speed: item.pace.speed(now) });
  }

  #end(item: Item, result: UploadResult): void {
    if (result.ok) {
      this.#forget(item, { discard: false });
      return this.#change(item, { state: "added", imageId: result.imageId });
    }
    const { problem, again, duplicateOf = null, damaged = false, soon = false } = result;
    if (soon) return this.#wait(item, problem);
    if (duplicateOf) return this.#change(item, { state: "duplicate", problem, duplicateOf });
    if (damaged || !again) this.#forget(item, { discard: false });
    this.#change(item, { state: "failed", problem, again: again && canGoOn(item) });
  }

  #failed(item: Item, why: NotSent): void {
    const { told } = why;
    if (told?.duplicateOf) return this.#change(item, { state: "duplicate", problem: told.problem, duplicateOf: told.duplicateOf, sent: 0 });
    const { kind, problem, again } = remedyFor(why);
    if (kind === "give up") {
      if (!again) this.#forget(item, { discard: false });
      return this.#change(item, { state: "failed", problem, again, speed: null });
    }
    if (kind === "begin anew") this.#forget(item, { discard: false });
    if (!canGoOn(item)) return this.#change(item, { state: "failed", problem: LOST, again: false });
    this.#wait(item, problem);
  }

  #wait(item: Item, problem: string): void {
    const delay = RETRY_MS[Math.min(item.tries++, RETRY_MS.length - 1)];
    this.#change(item, { state: "interrupted", problem, speed: null });
    item.timer = setTimeout(() => this.resume(item.upload.id), delay);
  }

  /** Ends what is going on with a file, without a word about what becomes of it. */
  #halt(item: Item): void {
    const { stop } = item;
    item.stop = null;
    stop?.abort();
    if (item.timer !== null) clearTimeout(item.timer);
    item.timer = null;
  }

  #forget(item: Item, { discard }: { discard: boolean }): void {
    item.release();
    item.release = () => {};
    if (item.url === null) return;
    this.#leftovers.remove(item.url);
    if (discard) this.#transport.discard(item.url);
    item.url = null;
  }

  #change(item: Item, change: Partial<Upload>): void {
    item.upload = { ...item.upload, ...change };
    this.#publish();
  }

  #publish(): void {
    const rest = this.#rest.filter(({ url }) => this.#stopped.has(url));
    this.#snapshot = { uploads: this.#items.map(({ upload }) => upload), rest };
    this.#guard(this.#snapshot.uploads.some(isUnderWay));
    for (const listener of this.#listeners) listener();
  }

  /** While something is under way the browser asks before it leaves, and what was interrupted goes on as soon as there is a network. */
  #guard(needed: boolean): void {
    if (needed === this.#guarded) return;
    this.#guarded = needed;
    if (needed) {
      this.#window.addEventListener("beforeunload", stay);
      this.#window.addEventListener("online", this.#resumeInterrupted);
    } else {
      this.#window.removeEventListener("beforeunload", stay);
      this.#window.removeEventListener("online", this.#resumeInterrupted);
    }
  }

  readonly #resumeInterrupted = () => {
    for (const { upload } of this.#items) if (upload.state === "interrupted") this.resume(upload.id);
  };
}

const GONE = "The file on your machine has changed, or gone, since it was chosen. Choose it again.";

const LOST = "The server has nothing of this file any more. Add it once more.";

/** What its server has forgotten begins anew only where the file itself is at hand. */
const canGoOn = ({ file, url }: Item): boolean => file !== null || url !== null;

/** A file that was changed or deleted meanwhile fails as a lost line does; reading a byte of it tells which. */
async function isReadable(file: File): Promise<boolean> {
  return file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    );
}

const stay = (event: Event) => event.preventDefault();

const UNDER_WAY = new Set<Upload["state"]>(["waiting", "sending", "interrupted", "paused", "looking"]);

export const isUnderWay = ({ state }: Upload): boolean => UNDER_WAY.has(state);

/** What has arrived is an image in a moment, or has a reason why not. */
export const canCancel = (upload: Upload): boolean => (isUnderWay(upload) && upload.state !== "looking") || upload.state === "duplicate";

export const canPause = ({ state }: Upload): boolean => state === "waiting" || state === "sending" || state === "interrupted";

/** "45% of 3.2 MiB, 1.1 MiB/s, 8 s left": how far a file has come, in words. */
export function stateText({ state, sent, size, speed, problem }: Upload): string {
  switch (state) {
    case "waiting":
      return "Waiting for its turn";
    case "sending":
      return [`${Math.floor((100 * sent) / size)}% of ${bytesText(size)}`, paceText(size - sent, speed)].filter(Boolean).join(", ");
    case "paused":
      return `Paused at ${Math.floor((100 * sent) / size)}% of ${bytesText(size)}`;
    case "looking":
      return "Being looked at";
    case "added":
      return "Added";
    case "cancelled":
      return "Cancelled";
    case "interrupted":
    case "duplicate":
    case "failed":
      return problem ?? "Failed";
  }
}

/** "1.1 MiB/s, 8 s left"; "" while that cannot be said. */
export function paceText(rest: number, speed: number | null): string {
  return speed === null || speed < 1 ? "" : `${bytesText(speed)}/s, ${leftText(rest / speed)}`;
}
