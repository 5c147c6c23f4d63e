import type { Identity, Json, LogLine } from "../../values/types.ts";
import type { ComponentPath } from "../paths.ts";
import type { LoadedCode } from "../transactor/transactor-protocol.ts";

export const HEARTBEAT_INTERVAL_MS = 100;
/** The heartbeat of a closed thread, which may still increase it. With a heartbeat near this value, a thread starts no work. */
export const CLOSED = -(2 ** 30);

export type ActionsData = { code: LoadedCode; env: Record<string, string>; heartbeat: SharedArrayBuffer };

type HttpRequest = { method: string; url: string; headers: [string, string][]; body: ReadableStream<Uint8Array> | null };
export type HttpResponse = {
  status: number;
  statusText: string;
  headers: [string, string][];
  body: ReadableStream<Uint8Array> | null;
};

export type OwnChecks = { checksArguments: boolean; checksResult: boolean };

export type ToActions =
  | ({
      kind: "run";
      id: number;
      path: string;
      component: ComponentPath;
      args: string;
      identity: Identity;
      requestId: string;
      jobId: string | null;
    } & OwnChecks)
  | { kind: "http"; id: number; request: HttpRequest; identity: Identity; requestId: string }
  | { kind: "reply"; call: number; answer: unknown }
  | { kind: "refusal"; call: number; message: string; data: Json | undefined }
  | { kind: "abandon"; id: number };

export type FromActions =
  | { kind: "done"; id: number; text: string; logLines: LogLine[] }
  | { kind: "failed"; id: number; message: string; data: Json | undefined; logLines: LogLine[] }
  | { kind: "response"; id: number; response: HttpResponse; logLines: LogLine[]; route: string | null; component: ComponentPath }
  | { kind: "ended"; id: number }
  | { kind: "syscall"; id: number; component: ComponentPath; call: number; op: string; args: string; argsText: string | null }
  | {
      kind: "store";
      id: number;
      component: ComponentPath;
      call: number;
      bytes: Uint8Array;
      contentType: string | null;
      sha256: string | null;
    };
