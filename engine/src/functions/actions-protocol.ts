/** What travels between the main thread and the actions thread. */
import type { Identity, Json, LogLine } from "../values/types.ts";
import type { LoadedCode } from "./protocol.ts";

export type ActionsData = { code: LoadedCode; heartbeat: SharedArrayBuffer };

type HttpRequest = { method: string; url: string; headers: [string, string][]; body: ReadableStream<Uint8Array> | null };
export type HttpResponse = {
  status: number;
  statusText: string;
  headers: [string, string][];
  body: ReadableStream<Uint8Array> | null;
};

export type ToActions =
  | { kind: "run"; id: number; path: string; args: string; identity: Identity; requestId: string; jobId: string | null }
  | { kind: "http"; id: number; request: HttpRequest; identity: Identity; requestId: string }
  | { kind: "reply"; call: number; answer: unknown }
  | { kind: "refusal"; call: number; message: string; data: Json | undefined }
  /** Nobody waits for this run any more; what it still asks is refused. */
  | { kind: "abandon"; id: number };

export type FromActions =
  | { kind: "done"; id: number; text: string; logLines: LogLine[] }
  | { kind: "failed"; id: number; message: string; data: Json | undefined; logLines: LogLine[] }
  | { kind: "response"; id: number; response: HttpResponse; logLines: LogLine[]; route: string }
  /** The body of an HTTP action's response has been read or given up. */
  | { kind: "ended"; id: number }
  | { kind: "syscall"; id: number; call: number; op: string; args: string }
  | { kind: "store"; id: number; call: number; bytes: Uint8Array; contentType: string | null; sha256: string | null };
