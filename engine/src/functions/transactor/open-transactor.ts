import { join } from "node:path";
import { isDiskFull } from "../../storage/disk-full.ts";
import { checkDatabaseFile, checkNewestCommit } from "../../storage/last-commit.ts";
import { openDatabase } from "../../transaction/database.ts";
import type { Database } from "../../transaction/types.ts";
import { DamagedDataError, StorageError } from "../../values/errors.ts";
import type { Timestamp } from "../../values/types.ts";
import { loadCode } from "../bundles/bundle.ts";
import { isolateCode } from "../bundles/loaded-code.ts";
import { openModuleStore } from "../bundles/module-store.ts";
import { enterIsolate, refuseNodeModules } from "../isolate/environment.ts";
import { describeFailure } from "../failures.ts";
import { saveGlobals } from "../isolate/globals.ts";
import type { LoadedCode, TransactorData } from "./transactor-protocol.ts";
import { Registry } from "../registry.ts";
import { RemovedFiles } from "../files/removed-files.ts";
import { readEnvironment, secret } from "../settings.ts";
import { CurrentExecution } from "../isolate/current-execution.ts";
import { StoredFiles } from "../files/stored-files.ts";
import { convexGlobal, type Services } from "../isolate/syscalls.ts";
import { UPLOAD_KEY_BYTES, UploadTokens } from "../files/upload-tokens.ts";
import { Watch } from "../isolate/time-limit.ts";
import { separateComponents } from "../components/separate-components.ts";
import { runOfCaller } from "./run-function.ts";
import { Transactor } from "./transactor.ts";

type Opened = {
  transactor: Transactor;
  latest: Timestamp;
  hasAcceptedLoss: boolean;
  env: Record<string, string>;
  code: LoadedCode | null;
  restoreGlobals: () => void;
};

/** Prepares the thread; the returned function opens the database. Load engine code before, because the isolate removes globals. */
export async function openTransactor(data: TransactorData): Promise<() => Promise<Opened>> {
  const watch = new Watch(data.watch);
  const execution = new CurrentExecution();
  const convex = convexGlobal(
    () => execution.services(),
    (inside) => {
      execution.inSyscall = inside;
    },
  );
  const enter = async (code: LoadedCode | null, env: Record<string, string>): Promise<Registry> => {
    const environment = { ...env, CONVEX_CLOUD_URL: data.cloudUrl, CONVEX_SITE_URL: data.siteUrl };
    enterIsolate(() => execution.moment(), environment);
    Object.defineProperty(globalThis, "Convex", { value: convex, configurable: true });
    if (!code) return Registry.empty();
    refuseNodeModules(code.root);
    return Registry.load(
      isolateCode(code),
      separateComponents(code, environment, () => runOfCaller()?.component),
    );
  };
  const early = data.preload && (await enter(data.preload.code, data.preload.env));
  return async () => {
    let hasAcceptedLoss = checkDatabaseFile(data.dir, data.acceptLossUntil);
    const database = openDatabase(data.dir, {
      check(latest) {
        hasAcceptedLoss ||= checkNewestCommit(data.dir, latest, data.acceptLossUntil);
      },
      quick: data.preload === null,
      onProgress: () => watch.recordProgress(),
    });
    const env = readEnvironment(database.settings);
    const stored = early ? null : storedCode(database);
    const code = data.preload ? data.preload.code : stored && openModuleStore(data.dir, stored.bundle, stored.analysis);
    // Code that no longer loads must not prevent the start.
    const registry = early ?? (await enter(code, env).catch((error: unknown) => broken(code, error)));
    const folder = join(data.dir, "files");
    const files = new StoredFiles({
      folder,
      key: secret(database, "files", 16),
      tokens: new UploadTokens(secret(database, "uploads", UPLOAD_KEY_BYTES)),
      origin: data.cloudUrl,
      tables: () => database.tables().filter(({ name }) => name === "_storage"),
    });
    const services: Services = { database, registry, files, watch };
    execution.provide(services);
    const removed = new RemovedFiles(database.settings, folder, { hasBucket: data.hasFileBucket });
    removed.resume((name) => files.findByUuid(database.beginQuery(), name) !== null);
    database.flush();
    const transactor = new Transactor(data.dir, services, execution, removed, data.simulation);
    return { transactor, latest: database.latest(), hasAcceptedLoss, env, code, restoreGlobals: saveGlobals() };
  };
}

export function openingError(error: unknown, dir: string): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  return isDiskFull(error) ? new StorageError(`The disk of ${dir} is full. Free some space, then start again.`, error) : error;
}

function storedCode({ settings }: Database): ReturnType<typeof loadCode> {
  try {
    return loadCode(settings);
  } catch (error) {
    throw new DamagedDataError("the deployed code cannot be read", error);
  }
}

function broken(code: LoadedCode | null, error: unknown): Registry {
  if (!code) throw error;
  return Registry.broken(code.root, describeFailure(error, code.root).message);
}
