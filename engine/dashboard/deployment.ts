/** A value in Convex JSON: `{"$integer": …}`, `{"$bytes": …}` and `{"$float": …}` are not objects. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

export type Document = JsonObject & { _id: string; _creationTime: number };
export type DocumentPage = { page: Document[]; isDone: boolean; continueCursor: string };
export type Filter = { field: string; op: string; value: Json };

export type FunctionSpec =
  | {
      functionType: "Query" | "Mutation" | "Action";
      identifier: string;
      visibility: { kind: "public" | "internal" };
      args: string | Json;
      returns: string | Json;
    }
  | { functionType: "HttpAction"; path: string; method: string };
export type RunResult = { value: Json; logLines: string[] };

export type LogEntry = {
  udfType: string;
  identifier: string;
  componentPath: string | null;
  logLines: string[];
  timestamp: number;
  executionTime: number;
  error: string | null;
  requestId: string;
};

const REQUEST_ID = /^\[Request ID: \w+\] Server Error\n/;

export class WrongKeyError extends Error {}

/** Calls the deployment that serves this page, with the endpoints of the official command line. */
export class Deployment {
  readonly #key: string;
  /** Path of the component whose data and functions are shown; "" is the app. */
  readonly component: string;

  constructor(key: string, component: string) {
    this.#key = key;
    this.component = component;
  }

  in(component: string): Deployment {
    return new Deployment(this.#key, component);
  }

  query<T>(name: string, args: JsonObject = {}): Promise<T> {
    return this.#call<T>("/api/query", `_system/${name}`, args);
  }

  change<T>(name: string, args: JsonObject): Promise<T> {
    return this.#call<T>("/api/mutation", `_system/dashboard/${name}`, args);
  }

  async latest(): Promise<string> {
    const { ts }: { ts: string } = JSON.parse(await this.text("/api/query_ts"));
    return ts;
  }

  async run(path: string, args: JsonObject): Promise<RunResult> {
    return this.#post<RunResult>("/api/function", path, args);
  }

  async logs(cursor: number, signal: AbortSignal): Promise<{ entries: LogEntry[]; newCursor: number }> {
    return JSON.parse(await this.text(`/api/stream_function_logs?cursor=${cursor}`, { signal }));
  }

  async setVariable(name: string, value: string | null): Promise<void> {
    await this.text("/api/update_environment_variables", jsonRequest({ changes: [{ name, value }] }));
  }

  async upload(file: File): Promise<void> {
    const token = await this.change<string>("uploadToken", {});
    const headers = { "Content-Type": file.type || "application/octet-stream" };
    await this.text(`/api/storage/upload?token=${encodeURIComponent(token)}`, { method: "POST", headers, body: file });
  }

  async #call<T>(address: string, path: string, args: JsonObject): Promise<T> {
    return (await this.#post<{ value: T }>(address, path, args)).value;
  }

  async #post<T>(address: string, path: string, args: JsonObject): Promise<T> {
    const body = { path, args: [args], format: "convex_encoded_json", componentPath: this.component };
    const result: ({ status: "success" } & T) | { status: "error"; errorMessage: string } = JSON.parse(
      await this.text(address, jsonRequest(body)),
    );
    if (result.status === "error") throw new Error(result.errorMessage.replace(REQUEST_ID, ""));
    return result;
  }

  async text(address: string, options: RequestInit = {}): Promise<string> {
    const headers = new Headers(options.headers);
    headers.set("Authorization", `Convex ${this.#key}`);
    const response = await fetch(address, { ...options, headers }).catch((error: unknown) => {
      if (options.signal?.aborted) throw error;
      throw new Error("The deployment does not answer. Nothing was changed if it is stopped.", { cause: error });
    });
    const text = await response.text();
    if (response.ok) return text;
    const message = messageIn(text) ?? `The deployment answered with status ${response.status}.`;
    throw response.status === 401 || response.status === 403 ? new WrongKeyError(message) : new Error(message);
  }
}

const jsonRequest = (body: unknown): RequestInit => ({
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(body),
});

function messageIn(text: string): string | null {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null && "message" in body ? String(body.message) : null;
  } catch {
    return null;
  }
}

export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));
