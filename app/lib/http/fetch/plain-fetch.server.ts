import { Agent, type IncomingMessage, request as httpRequest } from "node:http";
import { globalAgent, request as httpsRequest } from "node:https";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";

/** Milliseconds. Shorter than the servers' own timeout, so that no closing connection is reused. */
const IDLE_MS = 4_000;
const agent = new Agent({ keepAlive: true, timeout: IDLE_MS });

/** Fetches JSON over persistent connections, at a third of the cost of `fetch`. Passes other requests to `fetch`. */
export function plainFetch(input: Parameters<typeof fetch>[0], init: RequestInit | undefined, timeoutMs: number): Promise<Response> {
  const address = input instanceof Request ? null : String(input);
  const body = init?.body ?? null;
  if (address === null || init?.signal || (body !== null && typeof body !== "string"))
    return fetch(input, { ...init, signal: AbortSignal.timeout(timeoutMs) });
  return new Promise((resolve, reject) => {
    const headers = init?.headers === undefined ? {} : Object.fromEntries(new Headers(init.headers));
    const options = { method: init?.method ?? "GET", headers };
    const read = (answer: IncomingMessage) => {
      readResponse(answer)
        .then(resolve, reject)
        .finally(() => clearTimeout(timer));
    };
    // Node's own agent for https follows the settings of a proxy.
    const outgoing = address.startsWith("https:")
      ? httpsRequest(address, { ...options, headers: { ...headers, "Accept-Encoding": "gzip" }, agent: globalAgent }, read)
      : httpRequest(address, { ...options, agent }, read);
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
  const bytes = Buffer.concat(chunks);
  const text = answer.headers["content-encoding"] === "gzip" ? await promisify(gunzip)(bytes) : bytes;
  return new BufferedResponse(text.toString(), answer.statusCode ?? 0);
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
