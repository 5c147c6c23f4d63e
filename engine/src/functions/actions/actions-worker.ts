/** Runs actions and HTTP actions concurrently; the asynchronous context identifies the run of a syscall or log line. */
import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import type { Identity, Json, LogLine } from "../../values/types.ts";
import { actionsPort } from "./actions-port.ts";
import { HEARTBEAT_INTERVAL_MS, type ToActions } from "./actions-protocol.ts";
import { limitedStream, MAX_HTTP_BODY_BYTES } from "./body-limit.ts";
import { captureConsole } from "../isolate/console.ts";
import { refuseNodeModules } from "../isolate/environment.ts";
import { checkedArguments, checkedResult, NO_ID_TABLES } from "../checked-values.ts";
import { detachArguments } from "../call.ts";
import { describeFailure } from "../failures.ts";
import { routedPaths } from "../components/http-routing.ts";
import { separateComponents } from "../components/separate-components.ts";
import { APP, functionHandle, parseFunctionPath, resolveAddress, shownPath, type ComponentPath } from "../paths.ts";
import { saveGlobals } from "../isolate/globals.ts";
import type { StoredFile } from "../transactor/transactor-protocol.ts";
import { Registry } from "../registry.ts";
import { measureResponses } from "./response-sizes.ts";
import { garbageCollector, LARGE_MESSAGE_BYTES } from "../../memory/collect-garbage.ts";
import { asAddress, asObject, asString } from "../isolate/syscall-arguments.ts";
import { isolateCode, nodeCode } from "../bundles/loaded-code.ts";
import { unsupported } from "../isolate/syscalls.ts";

type Run = {
  id: number;
  name: string;
  component: ComponentPath;
  identity: Identity;
  requestId: string;
  jobId: string | null;
  logLines: LogLine[];
  abandoned: boolean;
};

const port = actionsPort();
const { code, env, isNode, post, beat } = port;
const collectGarbage = garbageCollector();
const later = setImmediate;
const runs = new AsyncLocalStorage<Run>();
const running = new Map<number, Run>();
const waiting = new Map<number, { resolve: (answer: unknown) => void; reject: (error: Error) => void }>();
let calls = 0;

const every = setInterval;
const stopBeating = clearInterval;
let beating: NodeJS.Timeout | null = null;

// A late failure of one action must not end the others.
process.on("unhandledRejection", () => undefined);
process.on("uncaughtException", () => undefined);
globalThis.console = Object.assign(
  globalThis.console,
  captureConsole(() => runs.getStore()?.logLines),
);
Object.assign(globalThis, { AsyncLocalStorage, AsyncResource });
Object.defineProperty(globalThis, "Convex", { value: { syscall, asyncSyscall, jsSyscall } });
if (!isNode) leaveNode();
const responseSize = isNode ? null : measureResponses();
const registry = loadRegistry();
let restoreGlobals = (): void => {};
registry.then(
  () => (restoreGlobals = saveGlobals()),
  () => undefined,
);

port.onMessage((message: ToActions) => {
  if (message.kind === "run") {
    const { id, path, component, identity, requestId, jobId } = message;
    begin({ id, name: shownPath(path), component, identity, requestId, jobId }, () => runAction(message));
  } else if (message.kind === "http") {
    const { id, identity, requestId, request } = message;
    begin({ id, name: "http", component: APP, identity, requestId, jobId: null }, (run) => runHttp(run, request));
  } else if (message.kind === "abandon") {
    const run = running.get(message.id);
    if (run) run.abandoned = true;
    end(message.id);
  } else {
    const requested = waiting.get(message.call);
    waiting.delete(message.call);
    if (message.kind === "reply") requested?.resolve(message.answer);
    else requested?.reject(Object.assign(new Error(message.message), message.data === undefined ? {} : { data: message.data }));
  }
});

/** As on Convex, only code of "use node" files has Node's modules and its `process`. */
function leaveNode(): void {
  refuseNodeModules(code.root);
  Object.defineProperty(globalThis, "process", { value: { env: { ...env } }, configurable: true, writable: true, enumerable: false });
}

async function loadRegistry(): Promise<Registry> {
  if (isNode) return Registry.load(nodeCode(code));
  return Registry.load(
    isolateCode(code),
    separateComponents(code, env, () => runs.getStore()?.component),
  );
}

function begin(metadata: Omit<Run, "logLines" | "abandoned">, execute: (run: Run) => Promise<void>): void {
  if (beat() < 0) return;
  const run: Run = { ...metadata, logLines: [], abandoned: false };
  running.set(run.id, run);
  beating ??= every(beat, HEARTBEAT_INTERVAL_MS);
  runs
    .run(run, () => execute(run))
    .catch((error: unknown) => {
      post({ kind: "failed", id: run.id, data: undefined, ...describeFailure(error, code.root), logLines: run.logLines });
    })
    .finally(() => end(run.id));
}

function end(id: number): void {
  running.delete(id);
  if (running.size > 0) return;
  if (beating) stopBeating(beating);
  beating = null;
  restoreGlobals();
}

async function runAction(message: Extract<ToActions, { kind: "run" }>): Promise<void> {
  const { id, path, component, requestId, checksArguments, checksResult } = message;
  const { length } = message.args;
  const target = (await registry).find(parseFunctionPath(path, component), "action", "any");
  if (checksArguments) checkedArguments(target, message.args, NO_ID_TABLES);
  if (length >= LARGE_MESSAGE_BYTES) collectGarbage(length);
  try {
    const text = await target.invoke(detachArguments(message), requestId);
    if (checksResult) checkedResult(target, text, NO_ID_TABLES);
    post({ kind: "done", id, text, logLines: runs.getStore()?.logLines ?? [] });
  } finally {
    collectLater(length);
  }
}

const TOO_LARGE = `The response of an HTTP action is larger than ${MAX_HTTP_BODY_BYTES / (1024 * 1024)} MiB.`;

type Router = {
  lookup(path: string, method: string): readonly [{ invokeHttpAction(request: Request): Promise<unknown> }, string, string] | null;
};

async function runHttp(run: Run, { method, url, headers, body }: Extract<ToActions, { kind: "http" }>["request"]): Promise<void> {
  const { pathname } = new URL(url);
  const loaded = await registry;
  const routers = routedPaths(pathname, code.analysis.components).flatMap(({ component, path }) => {
    const router = routerOf(loaded.module("http", component));
    return router ? [{ component, match: router.lookup(path, method) }] : [];
  });
  const { component, match } = routers.find((router) => router.match) ?? { component: APP, match: null };
  if (!match) {
    const text = routers.length > 0 ? `No HttpAction routed for ${pathname}` : "This Convex deployment does not have HTTP actions enabled.";
    return respond(run, new Response(text, { status: 404 }), null);
  }
  const [handler, routeMethod, route] = match;
  run.name = `${routeMethod} ${route}`;
  run.component = component;
  if (component !== APP) run.identity = { kind: "none" };
  const request = new Request(url, { method, headers, body, ...(body ? { duplex: "half" } : {}) });
  const response = await handler.invokeHttpAction(request);
  if (!(response instanceof Response)) throw new TypeError("HTTP actions must return a Response object.");
  if (response.body && (responseSize?.(response) ?? declaredSize(response)) > MAX_HTTP_BODY_BYTES) throw new Error(TOO_LARGE);
  respond(run, response, run.name);
}

const declaredSize = (response: Response): number => Number(response.headers.get("content-length") ?? 0);

function respond({ id, component, logLines }: Run, response: Response, route: string | null): void {
  const ended = (): void => post({ kind: "ended", id });
  const body = response.body && limitedStream(response.body, MAX_HTTP_BODY_BYTES, ended);
  const head = { status: response.status, statusText: response.statusText, headers: [...response.headers] };
  post({ kind: "response", id, response: { ...head, body }, logLines, route, component }, body ? [body] : []);
  if (!body) ended();
}

function routerOf(exports: object | undefined): Router | null {
  const router: unknown = exports && Reflect.get(exports, "default");
  return isRouter(router) ? router : null;
}

const isRouter = (value: unknown): value is Router =>
  typeof value === "object" && value !== null && "isRouter" in value && "lookup" in value;

function syscall(op: string): never {
  throw unsupported(op);
}

async function asyncSyscall(op: string, text: string): Promise<string> {
  const run = caller();
  switch (op) {
    case "1.0/getUserIdentity": {
      const { identity } = run;
      return JSON.stringify((identity.kind === "user" ? identity.user : identity.kind === "admin" ? identity.actingAs : null) ?? null);
    }
    case "1.0/createFunctionHandle": {
      const { path, visibility } = resolveAddress(asAddress(asObject(JSON.parse(text))), run.component);
      const loaded = await registry;
      if (!loaded.lookUp(path, visibility)) throw loaded.notFound(path, visibility);
      return JSON.stringify(functionHandle(path));
    }
    case "1.0/getFunctionMetadata":
      return JSON.stringify({ name: run.name, componentPath: run.component });
    case "1.0/getDeploymentMetadata":
      return JSON.stringify({ name: "embedded", region: null, class: "s16" });
    case "1.0/getRequestMetadata":
      return JSON.stringify({ ip: null, userAgent: null, requestId: run.requestId, scheduledFunctionId: run.jobId, authToken: null });
    case "1.0/actions/query":
    case "1.0/actions/mutation":
    case "1.0/actions/action": {
      collectLater(text.length);
      return asString((await callFunction(run, op, text)) as Json);
    }
    case "1.0/actions/vectorSearch":
    case "1.0/actions/schedule":
    case "1.0/actions/cancel_job":
    case "1.0/storageGetUrl":
    case "1.0/storageGetMetadata":
    case "1.0/storageGenerateUploadUrl":
    case "1.0/storageDelete": {
      const { id, component } = run;
      const answer = await callHost((call) => post({ kind: "syscall", id, component, call, op, args: text, argsText: null }));
      return asString(answer as Json);
    }
    default:
      throw unsupported(op);
  }
}

function callFunction({ id, component }: Run, op: string, text: string): Promise<unknown> {
  const { args = {}, ...address } = asObject(JSON.parse(text));
  return callHost((call) =>
    post({ kind: "syscall", id, component, call, op, args: JSON.stringify(address), argsText: JSON.stringify(args) }),
  );
}

function collectLater(bytes: number): void {
  if (bytes >= LARGE_MESSAGE_BYTES) later(() => collectGarbage(bytes));
}

const READ_ATTEMPTS = 3;

async function jsSyscall(
  op: string,
  syscallArgs: { blob?: unknown; options?: { sha256?: string }; storageId?: unknown },
): Promise<unknown> {
  const { id, component } = caller();
  if (op === "storage/storeBlob") {
    const { blob, options } = syscallArgs;
    if (!(blob instanceof Blob)) {
      throw new Error(
        "store() expects a Blob. If you are trying to store a Request, `await request.blob()` will give you the correct input.",
      );
    }
    const bytes = new Uint8Array(await blob.arrayBuffer());
    const contentType = blob.type === "" ? null : blob.type;
    return callHost((call) =>
      post({ kind: "store", id, component, call, bytes, contentType, sha256: options?.sha256 ?? null }, [bytes.buffer]),
    );
  }
  if (op === "storage/getBlob") {
    const args = JSON.stringify({ storageId: syscallArgs.storageId ?? null });
    for (let attempt = 1; ; attempt += 1) {
      const file = (await callHost((call) =>
        post({ kind: "syscall", id, component, call, op, args, argsText: null }),
      )) as StoredFile | null;
      if (!file) return null;
      try {
        return new Blob([await port.readStoredFile(file.path)], { type: file.contentType ?? "" });
      } catch (error) {
        // The file can move between the disk and a bucket meanwhile.
        if (attempt === READ_ATTEMPTS || !(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
      }
    }
  }
  throw unsupported(op);
}

function caller(): Run {
  const run = runs.getStore();
  if (!run) throw new Error("Convex's database and other services can only be used while a function runs.");
  if (run.abandoned) throw new Error("The action that called this has already ended.");
  return run;
}

function callHost(send: (call: number) => void): Promise<unknown> {
  const call = ++calls;
  return new Promise((resolve, reject) => {
    waiting.set(call, { resolve, reject });
    send(call);
  });
}
