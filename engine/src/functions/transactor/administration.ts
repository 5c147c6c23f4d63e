import { DamagedDataError, FunctionError } from "../../values/errors.ts";
import type { FunctionKind, Json } from "../../values/types.ts";
import { deployCrons } from "../../scheduler/cron-store.ts";
import { loadCode, saveAuthProviders, saveCode } from "../bundles/bundle.ts";
import { PlainError } from "../failures.ts";
import { APP } from "../paths.ts";
import type { TransactorRequest, RequestedFunction, StoredFile } from "./transactor-protocol.ts";
import { requestedPath } from "../registry.ts";
import { changeEnvironment, readEnvironment, secret } from "../settings.ts";
import { checkedArguments, checkedResult } from "../checked-values.ts";
import { editData } from "./edit-data.ts";
import type { SchemaChange, TablePage, TablePageOptions } from "../types.ts";
import { UPLOAD_KEY_BYTES } from "../files/upload-tokens.ts";
import type { OpenBatch, Transactor } from "./transactor.ts";

export function answerAdministration(transactor: Transactor, batch: OpenBatch, request: TransactorRequest): unknown {
  const { database } = transactor;
  switch (request.kind) {
    case "vectorSlice":
      return database.vectorSlice(request.params);
    case "kindOf":
      return kindOf(transactor, request.params);
    case "checkAction":
      return actionRefusal(transactor, request.params);
    case "checkActionResult":
      return refusalOf(() => {
        const target = transactor.services.registry.find(requestedPath(request.params), "action", "any");
        checkedResult(target, request.params.text, database.beginQuery().in(target.path.component));
      });
    case "prepare": {
      const { indexesAdded, indexesRemoved, indexesEnabled, indexesDisabled } = database.prepareSchema(
        request.params.schema,
        request.params.component,
      );
      return { indexesAdded, indexesRemoved, indexesEnabled, indexesDisabled } satisfies SchemaChange;
    }
    case "apply": {
      const { bundle, analysis } = request.params;
      database.applySchema(database.prepareSchema(analysis.schema));
      for (const { path, definition } of analysis.components.mounts)
        database.applySchema(database.prepareSchema(analysis.components.definitions[definition]?.schema ?? null, path));
      saveCode(database.settings, bundle, analysis);
      deployCrons(database.settings, analysis, Date.now());
      batch.ends = true;
      batch.committed = true;
      return { env: readEnvironment(database.settings) };
    }
    case "updateEnvironment": {
      const env = changeEnvironment(database.settings, request.params.changes);
      if (request.params.authProviders) saveAuthProviders(database.settings, request.params.authProviders);
      batch.ends = true;
      batch.committed = true;
      return { env };
    }
    case "current":
      return loadCode(database.settings);
    case "environment":
      return readEnvironment(database.settings);
    case "sizes":
      return database.sizes();
    case "components":
      return database.components();
    case "tables":
      return database
        .tables()
        .filter(({ component }) => component === request.params.component)
        .map(({ name }) => name)
        .filter((name) => !name.startsWith("_"));
    case "tableSize": {
      const { component, table } = request.params;
      const isStored = database.tables().some((stored) => stored.component === component && stored.name === table);
      return isStored ? database.beginQuery().in(component).count(table) : 0;
    }
    case "tablePage":
      return tablePage(transactor, request.params);
    case "editData":
      return editData(transactor, batch, request.params);
    case "importTarget":
      return database.importTarget();
    case "applyImport":
      return applyImport(transactor, batch, request.params);
    case "storeFile": {
      let undo = (): void => undefined;
      try {
        return transactor.transact(batch, (transaction) => {
          const stored = transactor.services.files.store(transaction.in(request.params.component), request.params);
          ({ undo } = stored);
          return stored.id;
        });
      } catch (error) {
        undo();
        throw error;
      }
    }
    case "findFile":
      return transactor.services.files.findByUuid(database.beginQuery(), request.params.uuid);
    case "checkpoint":
      return database.checkpoint();
    case "clearDeleted":
      return database.clearDeleted();
    case "hold":
      return transactor.hold();
    case "release":
      return transactor.release(request.params.hold);
    case "strayFiles": {
      // A file without a row may have one in the running backup.
      if (transactor.held.isOn) return [];
      const transaction = database.beginQuery();
      return request.params.names.filter((name) => !transactor.services.files.findByUuid(transaction, name));
    }
    case "deploymentId":
      return transactor.services.files.deploymentId();
    case "removedObjects":
      return transactor.removed.objects(request.params.limit);
    case "objectsRemoved":
      transactor.removed.objectsRemoved(request.params.names);
      return null;
    case "releaseLocal":
      if (transactor.held.isOn || !isStored(transactor, request.params.uuid)) return false;
      transactor.services.files.releaseLocal(request.params.uuid);
      return true;
    case "placeLocal":
      if (!isStored(transactor, request.params.uuid)) return false;
      transactor.services.files.placeLocal(request.params.uuid, request.params.temporary);
      return true;
    case "isHeld":
      return transactor.held.isOn;
    case "findFileById": {
      const { files } = transactor.services;
      const row = files.find(database.beginQuery().in(request.params.component), request.params.id);
      return row && ({ ...row, ...files.placeOf(row.id) } satisfies StoredFile);
    }
    case "uploadUrl":
      return transactor.services.files.uploadUrl(request.params.component);
    case "uploadKey":
      return secret(database, "uploads", UPLOAD_KEY_BYTES).toString("base64");
    case "isDamaged":
      return database.isDamaged;
    case "reportDamage":
      database.reportDamage(new DamagedDataError(request.params.what));
      return null;
    case "deleteFile": {
      transactor.transact(batch, (transaction, removedFiles) => {
        removedFiles.push(transactor.services.files.remove(transaction.in(request.params.component), request.params.id));
      });
      return null;
    }
    default:
      throw new Error(`Unknown request ${request.kind}.`);
  }
}

const isStored = ({ services, database }: Transactor, uuid: string): boolean =>
  services.files.findByUuid(database.beginQuery(), uuid) !== null;

function applyImport(transactor: Transactor, batch: OpenBatch, { staged, folder }: { staged: string; folder: string }) {
  const { files } = transactor.services;
  let undo = (): void => undefined;
  try {
    const documents = transactor.database.applyImport(staged, (imported, removed) => {
      ({ undo } = files.storeImported(imported, folder));
      transactor.removeFiles(
        batch,
        removed.map((id) => files.uuidOf(id)),
      );
    });
    batch.ends = true;
    batch.committed = true;
    return { documents };
  } catch (error) {
    undo();
    if (error instanceof FunctionError) return { refused: error.message };
    throw error;
  }
}

function kindOf({ services }: Transactor, params: RequestedFunction): FunctionKind | null {
  try {
    return services.registry.lookUp(requestedPath(params), params.visibility)?.kind ?? null;
  } catch {
    return null;
  }
}

function actionRefusal({ services, database }: Transactor, params: RequestedFunction & { args: string | null }) {
  let refused: "path" | "arguments" = "path";
  const message = refusalOf(() => {
    const target = services.registry.find(requestedPath(params), "action", params.visibility);
    refused = "arguments";
    if (params.args !== null) checkedArguments(target, params.args, database.beginQuery().in(target.path.component));
  });
  return message === null ? null : { message, refused };
}

function refusalOf(check: () => void): string | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof PlainError) return error.message;
    throw error;
  }
}

function tablePage(transactor: Transactor, params: TablePageOptions): TablePage {
  const { table, order, index = null, filter = null } = params;
  const transaction = transactor.database.beginQuery().in(params.component ?? APP);
  const source: Json =
    index === null
      ? { type: "FullTableScan", tableName: table, order }
      : { type: "IndexRange", indexName: `${table}.${index}`, range: [], order };
  const query = { source, operators: filter === null ? [] : [{ filter }] };
  const page: { page: Json[]; isDone: boolean; continueCursor: string } = JSON.parse(
    transaction.queryPage({ query, cursor: params.cursor, endCursor: null, pageSize: params.numItems, maximumRowsRead: null }),
  );
  return { page: page.page, isDone: page.isDone, continueCursor: page.continueCursor };
}
