import { join } from "node:path";
import { openDatabase } from "../transaction/database.ts";
import type { Timestamp } from "../values/types.ts";
import { loadCode } from "./bundle.ts";
import { codeOnDisk } from "./code.ts";
import { enterIsolate, refuseNodeModules } from "./environment.ts";
import { describeFailure } from "./failures.ts";
import { rememberGlobals } from "./globals.ts";
import type { LoadedCode, TransactorData } from "./protocol.ts";
import { Registry } from "./registry.ts";
import { readEnvironment, secret } from "./settings.ts";
import { Stage } from "./stage.ts";
import { StoredFiles } from "./stored-files.ts";
import { convexGlobal, type Services } from "./syscalls.ts";
import { UPLOAD_KEY_BYTES, UploadTokens } from "./upload-tokens.ts";
import { Watch } from "./watch.ts";
import { Transactor } from "./work.ts";

/** `tidy` takes out of the globals what calls have left there. */
type Opened = { transactor: Transactor; latest: Timestamp; env: Record<string, string>; code: LoadedCode | null; tidy: () => void };

/**
 * Prepares the thread: globals, and the code if it is known already. What it answers opens the database.
 * Everything of the engine's own that the isolate takes away has been imported by then.
 */
export async function openTransactor(data: TransactorData): Promise<() => Promise<Opened>> {
  const watch = new Watch(data.watch);
  const stage = new Stage();
  const convex = convexGlobal(
    () => stage.services(),
    (inside) => {
      stage.inSyscall = inside;
    },
  );
  const enter = async (code: LoadedCode | null, env: Record<string, string>): Promise<Registry> => {
    enterIsolate(() => stage.moment(), { ...env, CONVEX_CLOUD_URL: data.cloudUrl, CONVEX_SITE_URL: data.siteUrl });
    Object.defineProperty(globalThis, "Convex", { value: convex, configurable: true });
    if (!code) return Registry.empty();
    refuseNodeModules(code.root);
    return Registry.load(isolateOnly(code));
  };
  const early = data.preload && (await enter(data.preload.code, data.preload.env));
  return async () => {
    const database = openDatabase(data.dir);
    const env = readEnvironment(database.settings);
    const stored = early ? null : loadCode(database.settings);
    const code = data.preload ? data.preload.code : stored && codeOnDisk(data.dir, stored.bundle, stored.analysis);
    // Code that loaded when it was pushed and does not now must not keep the deployment from starting.
    const registry = early ?? (await enter(code, env).catch((error: unknown) => broken(code, error)));
    const files = new StoredFiles({
      folder: join(data.dir, "files"),
      key: secret(database, "files", 16),
      tokens: new UploadTokens(secret(database, "uploads", UPLOAD_KEY_BYTES)),
      origin: data.cloudUrl,
      storageTable: database.tables().find(({ name }) => name === "_storage")?.number ?? 0,
    });
    const services: Services = { database, registry, files, watch };
    stage.provide(services);
    const transactor = new Transactor(data.dir, services, stage);
    return { transactor, latest: database.latest(), env, code, tidy: rememberGlobals() };
  };
}

function broken(code: LoadedCode | null, error: unknown): Registry {
  if (!code) throw error;
  return Registry.broken(code.root, describeFailure(error, code.root).message);
}

/** Files that begin with "use node" hold actions only, and are none of the transactor's. */
function isolateOnly(code: LoadedCode): LoadedCode {
  const node = new Set(code.nodeModules);
  return { ...code, modules: code.modules.filter((path) => !node.has(path)) };
}
