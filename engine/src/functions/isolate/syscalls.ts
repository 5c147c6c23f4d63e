/** The syscalls of `src/server/impl/*` in the client library. */
import type { Database, Transaction } from "../../transaction/types.ts";
import { FunctionError } from "../../values/errors.ts";
import { garbageCollector } from "../../memory/collect-garbage.ts";
import { MAX_DOCUMENT_BYTES } from "../../values/limits.ts";
import type { Json } from "../../values/types.ts";
import { cancelJob, scheduleJob } from "../../scheduler/jobs.ts";
import { schedulable } from "../schedulable.ts";
import { describeFailure } from "../failures.ts";
import { functionHandle, resolveAddress, showFunctionPath } from "../paths.ts";
import type { Registry } from "../registry.ts";
import { Run, invoke, runOfCaller } from "../transactor/run-function.ts";
import type { StoredFiles } from "../files/stored-files.ts";
import { asAddress, asObject, asNumber, asOptionalString, asString, type Arguments } from "./syscall-arguments.ts";
import { metricsOf, limitOf, checkLimit } from "../transactor/transaction-metrics.ts";
import type { Watch } from "./time-limit.ts";

export type Services = {
  database: Database;
  registry: Registry;
  files: StoredFiles;
  watch: Watch;
};

type Syscall = (run: Run, args: Arguments, services: Services) => string | Promise<string>;

const collectGarbage = garbageCollector();

const NEVER = new Promise<never>(() => undefined);

export function convexGlobal(services: () => Services, inSyscall: (inside: boolean) => void): object {
  const call = (run: Run, syscall: Syscall, args: Arguments): string | Promise<string> => {
    const { watch } = services();
    watch.enterSyscall();
    inSyscall(true);
    try {
      const result = syscall(run, args, services());
      if (run.limit) checkLimit(run.transaction.usage(), run.limit);
      return result;
    } catch (error) {
      throw services().database.reportDamage(error) ?? error;
    } finally {
      inSyscall(false);
      watch.leaveSyscall();
    }
  };
  return {
    syscall(op: string, text: string): string {
      const run = runOfCaller();
      if (!run) throw new Error("Convex's database and other services can only be used while a function runs.");
      if (run.finished) throw new Error("The function that called this has already ended.");
      const syscall = Object.hasOwn(SYNCHRONOUS, op) ? SYNCHRONOUS[op] : undefined;
      if (!syscall) throw unsupported(op);
      try {
        const result = call(run, syscall, parsed(text));
        if (typeof result !== "string") throw new TypeError(`The synchronous syscall ${op} returned a promise`);
        return result;
      } catch (error) {
        // The library wraps errors of asynchronous syscalls only.
        throw error instanceof FunctionError ? new Error(error.message) : error;
      }
    },
    async asyncSyscall(op: string, text: string): Promise<string> {
      const run = runOfCaller();
      if (!run) throw new Error("Convex's database and other services can only be used while a function runs.");
      const syscall = Object.hasOwn(ASYNCHRONOUS, op) ? ASYNCHRONOUS[op] : undefined;
      if (!syscall) throw unsupported(op);
      const args = parsed(text);
      while (run.busy) await run.idle;
      if (run.finished) return NEVER;
      return call(run, syscall, args);
    },
    jsSyscall(op: string): never {
      throw unsupported(op);
    },
  };
}

/** Collects garbage only for texts longer than any document, so that ordinary calls spend no time on it. */
function parsed(text: string): Arguments {
  if (text.length > 2 * MAX_DOCUMENT_BYTES) collectGarbage(text.length);
  return asObject(JSON.parse(text));
}

const SYNCHRONOUS: Record<string, Syscall> = {
  "1.0/queryStream": ({ transaction }, { query }) => JSON.stringify({ queryId: transaction.queryStream(query ?? null) }),
  "1.0/queryCleanup": ({ transaction }, { queryId }) => {
    transaction.queryCleanup(asNumber(queryId));
    return "{}";
  },
  "1.0/db/normalizeId": ({ transaction }, { table, idString }) =>
    JSON.stringify({ id: transaction.normalizeId(asString(table), asString(idString)) }),
  "1.0/getSnapshotTs": ({ execution, transaction }) => {
    execution.volatile = true;
    return JSON.stringify(integerJson(transaction.snapshot));
  },
};

const ASYNCHRONOUS: Record<string, Syscall> = {
  "1.0/get": ({ transaction }, { id, table, isSystem }) =>
    transaction.get({ id: asString(id), table: asOptionalString(table), isSystem: isSystem === true }),
  "1.0/count": ({ transaction }, { table }) => JSON.stringify(transaction.count(asString(table))),
  "1.0/queryStreamNext": ({ transaction }, { queryId }) => transaction.queryStreamNext(asNumber(queryId)),
  "1.0/queryPage": queryPage,

  "1.0/insert": (run, { table, value }) => JSON.stringify({ _id: writable(run).insert(asString(table), value ?? null) }),
  "1.0/shallowMerge": (run, { id, value, table }) =>
    writable(run).shallowMerge({ id: asString(id), value: value ?? null, table: asOptionalString(table) }),
  "1.0/replace": (run, { id, value, table }) =>
    writable(run).replace({ id: asString(id), value: value ?? null, table: asOptionalString(table) }),
  "1.0/remove": (run, { id, table }) => writable(run).remove({ id: asString(id), table: asOptionalString(table) }),

  "1.0/getUserIdentity": ({ execution, identity }) => {
    if (identity === execution.identity) execution.readIdentity = true;
    if (identity.kind === "user") return JSON.stringify(identity.user);
    return JSON.stringify((identity.kind === "admin" ? identity.actingAs : undefined) ?? null);
  },

  "1.0/runUdf": runNested,
  "1.0/createFunctionHandle": ({ component }, args, { registry }) => {
    const { path, visibility } = resolveAddress(asAddress(args), component);
    if (!registry.lookUp(path, visibility)) throw registry.notFound(path, visibility);
    return JSON.stringify(functionHandle(path));
  },

  "1.0/schedule": (run, args, { registry }) => {
    const id = scheduleJob(writable(run), {
      path: schedulable(asAddress(args), run.component, registry),
      args: args["args"] ?? {},
      at: asNumber(args["ts"]) * 1_000,
    });
    run.execution.jobsChanged = true;
    return JSON.stringify(id);
  },
  "1.0/cancel_job": (run, { id }) => {
    cancelJob(writable(run), asString(id), Date.now());
    run.execution.jobsChanged = true;
    return "null";
  },

  "1.0/storageGetUrl": (run, { storageId }, { files }) => JSON.stringify(files.url(run.transaction, asString(storageId))),
  "1.0/storageGetMetadata": (run, { storageId }, { files }) => JSON.stringify(files.metadata(run.transaction, asString(storageId))),
  "1.0/storageGenerateUploadUrl": (run, _args, { files }) => {
    writable(run);
    return JSON.stringify(files.uploadUrl(run.component));
  },
  "1.0/storageDelete": (run, { storageId }, { files }) => {
    run.execution.removedFiles.push(files.remove(writable(run), asString(storageId)));
    return "null";
  },

  "1.0/getTransactionMetrics": (run) => JSON.stringify(metricsOf(run.transaction.usage())),
  "1.0/getFunctionMetadata": ({ target }) => JSON.stringify({ name: showFunctionPath(target.path), componentPath: target.path.component }),
  "1.0/getDeploymentMetadata": () => JSON.stringify({ name: "embedded", region: null, class: "s16" }),
  "1.0/getRequestMetadata": ({ execution }) =>
    JSON.stringify({ ip: null, userAgent: null, requestId: execution.requestId, scheduledFunctionId: execution.jobId, authToken: null }),
};

const NOT_OFFERED: Record<string, string> = {
  "1.0/signJwt": "ctx.auth.signJwt()",
  "1.0/auditLog": "log.audit()",
  "1.0/createServiceToken": "getServiceToken()",
  "1.0/getServiceUrl": "getServiceUrl()",
};

const ACTIONS_ONLY: Record<string, string> = {
  "1.0/actions/vectorSearch": "ctx.vectorSearch()",
  "1.0/storageStore": "ctx.storage.store()",
  "1.0/storageGet": "ctx.storage.get()",
  "storage/storeBlob": "ctx.storage.store()",
  "storage/getBlob": "ctx.storage.get()",
};

export function unsupported(op: string): Error {
  const missing = NOT_OFFERED[op];
  if (missing !== undefined) return new Error(`${missing} is not offered by this deployment.`);
  const actionSyscall = ACTIONS_ONLY[op];
  if (actionSyscall !== undefined) return new Error(`${actionSyscall} can only be used in actions.`);
  return new Error(`Unknown async operation "${op}" is not offered by this deployment.`);
}

function writable(run: Run): Transaction {
  if (run.kind !== "mutation" || run.transaction.kind !== "mutation") {
    throw new Error("Queries cannot write to the database, schedule functions or change files. Use a mutation.");
  }
  return run.transaction;
}

/** Reads a page. A rerun ends it at the journal's cursor, so that pages neither overlap nor leave gaps (`src/browser/sync/protocol.ts`). */
function queryPage(run: Run, args: Arguments): string {
  if (run.paginated) {
    throw new Error(
      "This query or mutation function ran multiple paginated queries. Convex only supports a single paginated query in each function.",
    );
  }
  run.paginated = true;
  const { execution, transaction } = run;
  const journal = execution.journalOut === null ? endCursorOf(execution.journalIn) : null;
  const endCursor = args["endCursor"] ?? journal;
  const text = transaction.queryPage({ ...args, endCursor });
  const { continueCursor }: { continueCursor: Json } = JSON.parse(text);
  execution.journalOut ??= JSON.stringify({ endCursor: continueCursor });
  return text;
}

function endCursorOf(journal: string | null): string | null {
  if (journal === null) return null;
  try {
    const parsed: unknown = JSON.parse(journal);
    const cursor: unknown = typeof parsed === "object" && parsed !== null && "endCursor" in parsed ? parsed.endCursor : null;
    return typeof cursor === "string" ? cursor : null;
  } catch {
    return null;
  }
}

async function runNested(run: Run, args: Arguments, { registry, database }: Services): Promise<string> {
  const type = asString(args["udfType"]);
  const kind = type === "mutation" ? "mutation" : "query";
  if (kind === "mutation") writable(run);
  const { path, visibility } = resolveAddress(asAddress(args), run.component);
  const calledFunction = registry.find(path, kind, visibility);
  const text = JSON.stringify(args["args"] ?? {});
  const stale = type === "snapshotQuery";
  const transaction = stale ? database.beginQuery(run.transaction.snapshot) : run.transaction;
  const limit = limitOf(args["transactionLimits"], transaction.usage());
  const nested = new Run(run.execution, calledFunction, run, transaction, limit);
  const savepoint = kind === "mutation" ? transaction.savepoint() : null;
  const done = Promise.withResolvers<void>();
  run.busy = true;
  run.idle = done.promise;
  try {
    // Ends the syscall first, so that the nested function counts towards the limit of user time.
    await Promise.resolve();
    return await invoke(nested, { args: text });
  } catch (error) {
    if (savepoint !== null) transaction.rollbackTo(savepoint);
    throw nestedFailure(error, registry.root);
  } finally {
    run.busy = false;
    done.resolve();
  }
}

function nestedFailure(error: unknown, root: string | null): Error {
  const { message, data } = describeFailure(error, root);
  return Object.assign(new Error(message), data === undefined ? {} : { data });
}

const integerJson = (value: bigint): Json => {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigInt64(0, value, true);
  return { $integer: btoa(String.fromCharCode(...bytes)) };
};
