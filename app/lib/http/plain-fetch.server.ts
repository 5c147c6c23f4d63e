import { Agent, type IncomingMessage, request } from "node:http";

/** Milliseconds. Shorter than the servers' own timeout, so that no closing connection is reused. */
const IDLE_MS = 4_000;
const agent = new Agent({ keepAlive: true, timeout: IDLE_MS });

/** Fetches JSON over http at a third of the cost of `fetch`, which handles all other requests. */
export function plainFetch(input: Parameters<typeof fetch>[0], init: RequestInit | undefined, timeoutMs: number): Promise<Response> {
  const address = input instanceof Request ? null : String(input);
  const body = init?.body ?? null;
  if (address === null || !address.startsWith("http:") || init?.signal || (body !== null && typeof body !== "string"))
    return fetch(input, { ...init, signal: AbortSignal.timeout(timeoutMs) });
  return new Promise((resolve, reject) => {
    const headers = init?.headers === undefined ? {} : Object.fromEntries(new Headers(init.headers));
    const outgoing = request(address, { agent, method: init?.method ?? "GET", headers }, (answer) => {
      readResponse(answer)
        .then(resolve, reject)
        .finally(() => clearTimeout(timer));
    });
    const timer = setTimeout(() => outgoing.destroy(new Error(`No answer within ${timeoutMs} ms`)), timeoutMs);
    outgoing.once("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    outgoing.end(body);
  });
}

async function readResponse(answer: IncomingMessage): Promise<Response> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  return new BufferedResponse(Buffer.concat(chunks).toString(), answer.statusCode ?? 0);
}

class BufferedResponse extends Response {
  readonly #text: string;

  constructor(text: string, status: number) {
    super(null, { status });
    this.#text = text;
  }

  override async text(): Promise<string> {
    return this.#text;
  }

  override async json(): Promise<unknown> {
    return JSON.parse(this.#text);
  }

  override clone(): Response {
    return new BufferedResponse(this.#text, this.status);
  }
}
