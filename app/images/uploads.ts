import { bytesText, isUploadAnswer, tooLargeText, UPLOAD_FIELDS, type UploadAnswer } from "./upload";

/** One file on its way. */
export type Upload = {
  id: string;
  designId: string;
  name: string;
  /** Bytes. */
  size: number;
  state: "waiting" | "sending" | "looking" | "added" | "failed" | "cancelled";
  /** How much has been sent, 0 to 1. */
  sent: number;
  /** Why it failed. */
  problem: string | null;
  /** Whether sending it once more may help. */
  again: boolean;
  imageId: string | null;
};

/** More would only take the line from each other. */
const AT_ONCE = 4;

const MESSAGES = {
  lost: "The connection was lost. Nothing of this file was kept: try again when you are back online.",
  signedOut: "Your session has ended. Sign in in another tab, then try again.",
  gone: "The design is no longer here. Somebody may have deleted it meanwhile.",
  busy: "The server does not answer. Nothing of this file was kept: try again in a moment.",
  failed: "Something failed on our side. Nothing of this file was kept: try again.",
};

type Item = { upload: Upload; file: File; request: XMLHttpRequest | null; lost: boolean };

/**
 * The files that this document is sending: beside the pages, so that they go on while somebody looks at another one. Each is sent on its own,
 * to tell how far it has come; its id stays the same however often it is sent, so that a file whose answer was lost makes one image, not two.
 */
export class Uploads {
  #items: Item[] = [];
  #snapshot: readonly Upload[] = [];
  readonly #listeners = new Set<() => void>();
  #announced = false;

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly snapshot = () => this.#snapshot;

  /** Starts sending files into a design. Those that are refused anyway are not sent: `maxBytes` is the limit of one file. */
  add(designId: string, files: readonly File[], maxBytes: number): void {
    // A new batch: what became well of the one before has been seen.
    if (!this.#snapshot.some(isUnderWay)) this.#items = this.#items.filter(({ upload }) => upload.state === "failed");
    for (const file of files) {
      const upload: Upload = {
        id: crypto.randomUUID(),
        designId,
        name: file.name,
        size: file.size,
        state: "waiting",
        sent: 0,
        problem: null,
        again: false,
        imageId: null,
      };
      if (file.size > maxBytes) Object.assign(upload, { state: "failed", problem: tooLargeText(file.size, maxBytes) });
      this.#items.push({ upload, file, request: null, lost: false });
    }
    this.#next();
  }

  cancel(id: string): void {
    const item = this.#find(id);
    if (!item || !isUnderWay(item.upload)) return;
    item.request?.abort();
    this.#change(item, { state: "cancelled", problem: null, again: true });
    this.#next();
  }

  retry(id: string): void {
    const item = this.#find(id);
    if (!item?.upload.again || isUnderWay(item.upload)) return;
    this.#change(item, { state: "waiting", sent: 0, problem: null, again: false });
    this.#next();
  }

  /** Forgets a design's files that are not under way. */
  dismiss(designId: string): void {
    this.#items = this.#items.filter(({ upload }) => upload.designId !== designId || isUnderWay(upload));
    this.#publish();
  }

  #find(id: string) {
    return this.#items.find(({ upload }) => upload.id === id);
  }

  #next(): void {
    let sending = this.#items.filter(({ upload }) => upload.state === "sending" || upload.state === "looking").length;
    for (const item of this.#items) {
      if (sending >= AT_ONCE) break;
      if (item.upload.state !== "waiting") continue;
      this.#send(item);
      sending++;
    }
    this.#publish();
  }

  #send(item: Item): void {
    const { upload, file } = item;
    const form = new FormData();
    form.append(UPLOAD_FIELDS.sending, upload.id);
    form.append(UPLOAD_FIELDS.files, file);

    const request = new XMLHttpRequest();
    item.request = request;
    item.lost = false;
    request.open("POST", `/uploads?${new URLSearchParams({ design: upload.designId })}`);
    request.upload.addEventListener("progress", ({ loaded, total }) => this.#change(item, { sent: total > 0 ? loaded / total : 0 }));
    request.upload.addEventListener("load", () => this.#change(item, { state: "looking", sent: 1 }));
    request.addEventListener("load", () => this.#end(item, outcomeOf(request)));
    request.addEventListener("error", () => {
      item.lost = true;
      this.#end(item, { state: "failed", problem: MESSAGES.lost, again: true });
    });
    request.send(form);
    this.#change(item, { state: "sending", sent: 0 });
  }

  #end(item: Item, outcome: Partial<Upload>): void {
    item.request = null;
    this.#change(item, outcome);
    this.#next();
  }

  #change(item: Item, change: Partial<Upload>): void {
    item.upload = { ...item.upload, ...change };
    this.#publish();
  }

  #publish(): void {
    this.#snapshot = this.#items.map(({ upload }) => upload);
    this.#guard(this.#snapshot.some(isUnderWay));
    for (const listener of this.#listeners) listener();
  }

  /** While something is under way the browser asks before it leaves, and what was lost is sent again once there is a network. */
  #guard(needed: boolean): void {
    const waiting = needed || this.#items.some(({ lost }) => lost);
    if (waiting === this.#announced) return;
    this.#announced = waiting;
    const change = waiting ? window.addEventListener : window.removeEventListener;
    change("beforeunload", this.#stay);
    change("online", this.#retryLost);
  }

  readonly #stay = (event: Event) => {
    if (this.#snapshot.some(isUnderWay)) event.preventDefault();
  };

  readonly #retryLost = () => {
    for (const item of this.#items) if (item.lost) this.retry(item.upload.id);
  };
}

export function isUnderWay({ state }: Upload): boolean {
  return state === "waiting" || state === "sending" || state === "looking";
}

function outcomeOf(request: XMLHttpRequest): Partial<Upload> {
  const failed = (problem: string, again = true): Partial<Upload> => ({ state: "failed", problem, again });
  // The way to sign in was followed.
  if (request.responseURL && new URL(request.responseURL).pathname !== "/uploads") return failed(MESSAGES.signedOut);
  if (request.status === 404) return failed(MESSAGES.gone, false);
  if (request.status === 503 || request.status === 502 || request.status === 504) return failed(MESSAGES.busy);
  const answer = readAnswer(request.responseText);
  const result = answer?.results[0];
  if (!result) return failed(answer?.problem ?? MESSAGES.failed);
  return result.ok ? { state: "added", sent: 1, imageId: result.imageId } : failed(result.problem, result.again);
}

function readAnswer(text: string): UploadAnswer | null {
  try {
    const answer: unknown = JSON.parse(text);
    return isUploadAnswer(answer) ? answer : null;
  } catch {
    return null;
  }
}

/** "Sending 45% of 3.2 MiB": how far a file has come, in words. */
export function stateText({ state, sent, size, problem }: Upload): string {
  switch (state) {
    case "waiting":
      return "Waiting for its turn";
    case "sending":
      return `${Math.round(sent * 100)}% of ${bytesText(size)}`;
    case "looking":
      return "Being looked at";
    case "added":
      return "Added";
    case "cancelled":
      return "Cancelled";
    case "failed":
      return problem ?? "Failed";
  }
}

let uploads: Uploads | null = null;

/** The browser's one `Uploads`; only for the browser. */
export function documentUploads(): Uploads {
  return (uploads ??= new Uploads());
}
