type Handler = ((event: Event) => void) | null;

/** Bytes of one request; nginx rejects more than 1 MiB by default. */
const BATCH_LENGTH = 128 * 1024;

/** The part of `WebSocket` that the Convex client uses, over HTTP (`server/http/forwarding/sync-stream.ts`). */
export class HttpSocket extends EventTarget {
  readyState: number = WebSocket.CONNECTING;
  onopen: Handler = null;
  onmessage: Handler = null;
  onerror: Handler = null;
  onclose: Handler = null;
  readonly #url: string;
  readonly #stop = new AbortController();
  #session: string | null = null;
  #unsent: string[] = [];
  #isSending = false;

  constructor(url: string) {
    super();
    this.#url = `${url.replace(/^ws/, "http")}-stream`;
    void this.#receive();
  }

  send(message: string): void {
    this.#unsent.push(message);
    void this.#sendAll();
  }

  close(): void {
    this.#end(1000);
  }

  /** Sends no credentials, so that browsers use separate connections: over HTTP/1.1, six streams would block all pages. */
  async #receive(): Promise<void> {
    try {
      const { ok, body } = await fetch(this.#url, { method: "POST", credentials: "omit", cache: "no-store", signal: this.#stop.signal });
      if (!ok || !body) return this.#end(1006);
      const reader = body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return this.#end(1006);
        const events = (rest + value).split("\n\n");
        rest = events.pop() ?? "";
        for (const event of events) this.#received(event.replace("data: ", ""));
      }
    } catch {
      this.#end(1006);
    }
  }

  #received(data: string): void {
    if (this.readyState === WebSocket.OPEN) return this.#dispatch(new MessageEvent("message", { data }), this.onmessage);
    this.#session = data;
    this.readyState = WebSocket.OPEN;
    this.#dispatch(new Event("open"), this.onopen);
    void this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    if (this.#isSending || this.#session === null) return;
    this.#isSending = true;
    try {
      while (this.#unsent.length > 0) {
        const headers = { "Content-Type": "text/plain", "X-Sync-Session": this.#session };
        const answer = await fetch(this.#url, { method: "POST", headers, body: this.#nextBatch(), signal: this.#stop.signal });
        await answer.arrayBuffer();
        if (!answer.ok) return this.#end(1006);
      }
      this.#isSending = false;
    } catch {
      this.#end(1006);
    }
  }

  #nextBatch(): string {
    let length = 0;
    const isWithin = (message: string) => (length += message.length) <= BATCH_LENGTH;
    const count = this.#unsent.findIndex((message) => !isWithin(message));
    return this.#unsent.splice(0, count === -1 ? this.#unsent.length : Math.max(1, count)).join("\n");
  }

  #end(code: number): void {
    if (this.readyState === WebSocket.CLOSED) return;
    this.readyState = WebSocket.CLOSED;
    this.#stop.abort();
    this.#dispatch(new CloseEvent("close", { code }), this.onclose);
  }

  #dispatch(event: Event, handle: Handler): void {
    this.dispatchEvent(event);
    handle?.call(this, event);
  }
}
