/** Emulates Convex's runtime (docs.convex.dev/functions/runtimes), so that code which works here works on other deployments. */
import { randomBytes } from "node:crypto";
import { registerHooks, isBuiltin } from "node:module";
import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import { pathToFileURL } from "node:url";
import { replaceClock } from "../../simulation/replace-clock.ts";
import type { LogLine } from "../../values/types.ts";
import { captureConsole } from "./console.ts";
import { isolateCrypto } from "./isolate-crypto.ts";
import { compileWebAssemblyAtOnce } from "./web-assembly.ts";

export type ExecutionState = { now: number; random: () => number; logLines: LogLine[] };

const refusal = (name: string): Error =>
  new Error(
    `Can't use ${name} in queries and mutations. Please consider using an action. See https://docs.convex.dev/functions/actions for more details.`,
  );

/** Returns a generator of random numbers (sfc32, seeded with 16 bytes). */
export function seededRandom(seed: Uint8Array = randomBytes(16)): () => number {
  const words = new Int32Array(4);
  words.set(new Int32Array(seed.slice(0, 16).buffer));
  let [a = 0, b = 0, c = 0, d = 0] = words;
  return () => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return (t >>> 0) / 4_294_967_296;
  };
}

/** Replaces and removes globals of this thread permanently. Engine code that needs them must be loaded before. */
export function enterIsolate(moment: () => ExecutionState | undefined, env: Record<string, string>): void {
  freezeTime(moment);
  const chance = Math.random;
  Math.random = () => (moment()?.random ?? chance)();

  for (const name of ["fetch", "setTimeout", "setInterval"] as const) {
    define(name, () => {
      throw refusal(name === "fetch" ? "fetch()" : name);
    });
  }
  for (const name of ["clearTimeout", "clearInterval"] as const) define(name, () => undefined);
  define(
    "crypto",
    isolateCrypto(() => void moment()?.random(), refusal),
  );
  define(
    "console",
    captureConsole(() => moment()?.logLines),
  );
  define("process", { env: { ...env } });
  compileWebAssemblyAtOnce();
  for (const [name, value] of Object.entries({ AsyncLocalStorage, AsyncResource })) define(name, value);
  const originals = new Map(NODE_ONLY.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]));
  for (const name of NODE_ONLY) Reflect.deleteProperty(globalThis, name);
  for (const name of LOADED_LATE) loadLate(name, originals);
}

/** Node loads these lazily with its own globals, which are restored meanwhile. Loading all at start would double the start time. */
const LOADED_LATE = ["Headers", "Request", "Response", "FormData", "MessageEvent", "CloseEvent"];

function loadLate(name: string, replaced: Map<string, PropertyDescriptor | undefined>): void {
  const current = Object.getOwnPropertyDescriptor(globalThis, name);
  if (!current?.get) return;
  const get = (): unknown => {
    for (const [global, descriptor] of replaced) if (descriptor) Object.defineProperty(globalThis, global, descriptor);
    try {
      const value: unknown = current.get?.call(globalThis);
      define(name, value);
      return value;
    } finally {
      for (const global of replaced.keys()) Reflect.deleteProperty(globalThis, global);
    }
  };
  const set = (value: unknown): void => {
    define(name, value);
  };
  Object.defineProperty(globalThis, name, { get, set, configurable: true, enumerable: false });
}

const NODE_ONLY = [
  "Buffer",
  "global",
  "setImmediate",
  "clearImmediate",
  "MessageChannel",
  "MessagePort",
  "BroadcastChannel",
  "WebSocket",
  "EventSource",
  "Worker",
  "navigator",
  "localStorage",
  "sessionStorage",
  "gc",
];

function define(name: string, value: unknown): void {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true, enumerable: false });
}

function freezeTime(moment: () => ExecutionState | undefined): void {
  replaceClock((actual) => moment()?.now ?? actual());
  const elapsed = performance.now.bind(performance);
  Object.defineProperty(performance, "now", { value: () => (moment() ? 0 : elapsed()), configurable: true, writable: true });
}

/** The only module that pushed code imports from the engine (`bundles/inline-query.ts`). */
const INLINE_WRAPPERS = new URL("../bundles/inline-wrappers.ts", import.meta.url).href;

/** Refuses imports of `node:*`, which on Convex only "use node" files have, and of files that were not pushed. */
export function refuseNodeModules(root: string): void {
  const prefix = `${pathToFileURL(root).href}/`;
  registerHooks({
    resolve(specifier, context, next) {
      const isPushed = context.parentURL?.startsWith(prefix) || context.parentURL?.startsWith("data:");
      if (!isPushed) return next(specifier, context);
      if (isBuiltin(specifier)) throw new Error(`The Node.js module ${specifier} is only available in files that begin with "use node".`);
      const resolved = next(specifier, context);
      if (resolved.url.startsWith("file:") && !resolved.url.startsWith(prefix) && resolved.url !== INLINE_WRAPPERS)
        throw new Error(`The module ${specifier} was not pushed.`);
      return resolved;
    },
  });
}
