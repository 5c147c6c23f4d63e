import type { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { sameChecksum } from "../functions/files/file-names.ts";
import { APP, nameIn, type ComponentPath } from "../functions/paths.ts";
import { checkIdentifier } from "../storage/catalog.ts";
import { CREATION_STEP_MS } from "../storage/clock.ts";
import { checkUserFields } from "../transaction/fields.ts";
import type { ImportTarget, TargetTable } from "../transaction/import/import-target.ts";
import { createStaging, type StagedImport, type StagedTable, type Staging } from "../transaction/import/staged-import.ts";
import { Schema } from "../transaction/schema/schema.ts";
import type { JsonObject } from "../values/canonical.ts";
import { FunctionError } from "../values/errors.ts";
import { newId, tableNumberOf } from "../values/ids.ts";
import { parseRows, type Row, type RowFormat } from "./parse-rows.ts";
import { openArchive, type ArchivedFile } from "./read-archive.ts";
import { STORAGE } from "./archive-paths.ts";

/** `IMPORT_MODES` and `IMPORT_FORMATS` are the values of the command line (`convex/src/cli/lib/convexImport.ts`). */
export const IMPORT_MODES = ["requireEmpty", "append", "replace", "replaceAll"] as const;
export const IMPORT_FORMATS = ["csv", "jsonLines", "jsonArray", "zip"] as const;
export type ImportRequest = {
  table: string | null;
  component: ComponentPath;
  mode: (typeof IMPORT_MODES)[number];
  format: (typeof IMPORT_FORMATS)[number];
};

export type StageOptions = {
  id: string;
  request: ImportRequest;
  target: ImportTarget;
  file: string;
  staged: string;
  folder: string;
};

type Source = {
  component: ComponentPath;
  name: string;
  number: number | null;
  prefix: string;
  rows: () => AsyncIterable<Row>;
};
type PlannedTable = { source: Source; staged: StagedTable; existing: TargetTable | undefined };

const FIRST_USER_TABLE = 10_001;
const MAX_TABLE_NUMBER = 0xffff_ffff;
const FILES_AT_ONCE = 8;

/** Checks an import and writes it to the staged file. Changes nothing in the deployment. @throws {FunctionError} for bad input */
export async function stageImport(options: StageOptions): Promise<StagedImport> {
  const { request, file } = options;
  if (request.format !== "zip") return stage(options, [rowsOf(request, request.format, file)], new Map());
  const archive = await openArchive(file);
  try {
    const inside = (component: ComponentPath): ComponentPath =>
      component === APP || request.component === APP ? request.component + component : nameIn(request.component, component);
    const sources = archive.tables.map(({ component, name, path, number, open }): Source => {
      const prefix = `${path}, `;
      return { component: inside(component), name, number, prefix, rows: () => rowsIn("jsonLines", open, prefix) };
    });
    const files = new Map([...archive.files].map(([component, own]) => [inside(component), own]));
    for (const [component, own] of files)
      if (!sources.some((source) => source.name === STORAGE && source.component === component))
        sources.push(withoutMetadata(component, own));
    return await stage(options, sources, files);
  } finally {
    archive.close();
  }
}

function rowsOf({ table, component }: ImportRequest, format: RowFormat, file: string): Source {
  if (table === null) throw new FunctionError("A table must be named.");
  if (table.startsWith("_")) throw new FunctionError(`Table "${table}" is a system table, so it can't be imported alone.`);
  return { component, name: table, number: null, prefix: "", rows: () => rowsIn(format, async () => createReadStream(file)) };
}

async function* rowsIn(format: RowFormat, open: () => Promise<AsyncIterable<Uint8Array>>, prefix = ""): AsyncGenerator<Row> {
  try {
    yield* parseRows(format, await open());
  } catch (error) {
    throw error instanceof FunctionError ? new FunctionError(prefix + error.message) : error;
  }
}

function withoutMetadata(component: ComponentPath, files: Map<string, ArchivedFile>): Source {
  return {
    component,
    name: STORAGE,
    number: null,
    prefix: "",
    async *rows() {
      for (const [id, { path }] of files) yield { place: path, fields: { _id: id } };
    },
  };
}

type Files = Map<ComponentPath, Map<string, ArchivedFile>>;

async function stage({ id, request, target, staged: path, folder }: StageOptions, sources: Source[], files: Files): Promise<StagedImport> {
  const tables = await planTables(request, target, sources);
  const cleared = request.mode === "replaceAll" ? othersOf(tables, request.component, target) : [];
  checkNumbers(tables, cleared, target);
  const namesOf = numberNames(tables, target);
  const staging = createStaging(path);
  try {
    for (const [position, table] of tables.entries()) {
      const { component, name } = table.source;
      if (name === STORAGE) await stageFiles(staging, position, table, files.get(component) ?? new Map(), folder);
      else {
        const schema = new Schema(target.schemas[component] ?? null, {
          tableOf: (id) => namesOf.get(component)?.get(tableNumberOf(id) ?? 0) ?? null,
        });
        await stageRows(staging, position, table, schema);
      }
    }
    const documents = tables.reduce((sum, { staged }) => sum + staged.documents, 0);
    const plan = { id, fingerprint: target.fingerprint, tables: tables.map(({ staged }) => staged), cleared, documents };
    staging.finish(plan);
    return plan;
  } finally {
    staging.close();
  }
}

const isSame = (a: { component: string; name: string }, b: { component: string; name: string }): boolean =>
  a.component === b.component && a.name === b.name;

async function planTables({ mode }: ImportRequest, target: ImportTarget, sources: Source[]): Promise<PlannedTable[]> {
  const planned: PlannedTable[] = [];
  const missing: StagedTable[] = [];
  for (const source of sources) {
    const { component, name } = source;
    if (name !== STORAGE && name.startsWith("_")) throw new FunctionError(`${source.prefix}"${name}" is not a table that can be imported.`);
    if (name !== STORAGE) checkIdentifier(name, "table");
    if (planned.some((table) => isSame(table.source, source))) throw new FunctionError(`Table "${nameIn(component, name)}" occurs twice.`);
    const existing = target.tables.find((table) => isSame(table, source));
    const documents = existing?.documents ?? 0;
    if (mode === "requireEmpty" && documents > 0)
      throw new FunctionError(
        `Table "${nameIn(component, name)}" already has ${countText(documents)}. Pass --append to add to them, or --replace to delete them.`,
      );
    const isAppended = mode === "append" && documents > 0;
    const number = isAppended ? existing?.number : (source.number ?? (await firstNumber(source)) ?? existing?.number);
    const staged: StagedTable = {
      component,
      name,
      number: number ?? 0,
      isReplaced: mode === "replace" || mode === "replaceAll",
      mustBeEmpty: mode === "requireEmpty",
      documents: 0,
    };
    if (number === undefined) missing.push(staged);
    else if (number < 1 || number > MAX_TABLE_NUMBER) throw new FunctionError(`${source.prefix}${number} is not the number of a table.`);
    planned.push({ source, staged, existing });
  }
  let next = Math.max(FIRST_USER_TABLE - 1, ...target.tables.map(({ number }) => number), ...planned.map(({ staged }) => staged.number));
  for (const staged of missing) staged.number = ++next;
  return planned;
}

async function firstNumber({ rows }: Source): Promise<number | undefined> {
  for await (const { fields } of rows()) return typeof fields["_id"] === "string" ? (tableNumberOf(fields["_id"]) ?? undefined) : undefined;
  return undefined;
}

function othersOf(tables: PlannedTable[], component: ComponentPath, target: ImportTarget): { component: string; name: string }[] {
  const isInside = (path: ComponentPath) => component === APP || path === component || path.startsWith(`${component}/`);
  return target.tables
    .filter((table) => table.documents > 0 && !table.name.startsWith("_") && isInside(table.component))
    .filter((table) => !tables.some(({ source }) => isSame(source, table)))
    .map(({ component, name }) => ({ component, name }));
}

function checkNumbers(tables: PlannedTable[], cleared: { component: string; name: string }[], target: ImportTarget): void {
  const byNumber = new Map<number, Source>();
  for (const { source, staged } of tables) {
    const name = nameIn(source.component, source.name);
    const other = byNumber.get(staged.number);
    if (other)
      throw new FunctionError(
        `The IDs of the tables "${nameIn(other.component, other.name)}" and "${name}" have the same table number ${staged.number}, which is unique in this deployment. Import the tables of each component alone.`,
      );
    byNumber.set(staged.number, source);
    const occupant = target.tables.find((table) => table.number === staged.number && !isSame(table, source));
    const isKept =
      occupant !== undefined &&
      occupant.documents > 0 &&
      !cleared.some((table) => isSame(table, occupant)) &&
      !tables.some((table) => isSame(table.source, occupant) && table.staged.isReplaced);
    if (isKept)
      throw new FunctionError(
        `The IDs of table "${name}" belong to table "${nameIn(occupant.component, occupant.name)}" of this deployment, which has ${countText(occupant.documents)}.`,
      );
  }
}

function numberNames(tables: PlannedTable[], target: ImportTarget): Map<ComponentPath, Map<number, string>> {
  const imported = new Set(tables.map(({ staged }) => staged.number));
  const kept = target.tables.filter((table) => !imported.has(table.number) && !tables.some(({ source }) => isSame(source, table)));
  const names = new Map<ComponentPath, Map<number, string>>();
  for (const { component, name, number } of [...kept, ...tables.map(({ staged }) => staged)])
    names.set(component, (names.get(component) ?? new Map<number, string>()).set(number, name));
  return names;
}

const indexesOf = ({ existing }: PlannedTable) => existing?.indexes ?? [{ name: "by_creation_time", fields: ["_creationTime"] }];

async function stageRows(staging: Staging, position: number, table: PlannedTable, schema: Schema): Promise<void> {
  const { source, staged } = table;
  const add = staging.table(position, indexesOf(table));
  const identify = identifier(staged);
  for await (const { place, fields } of source.rows()) {
    try {
      const { _id, _creationTime, ...own } = fields;
      checkUserFields(own);
      const fault = schema.faultOf(source.name, own);
      if (fault !== null) throw new FunctionError(`The document does not match the schema: ${fault}`);
      add({ ...own, ...identify(fields) });
    } catch (error) {
      throw located(error, source, place);
    }
    staged.documents += 1;
  }
}

function identifier({ component, name, number }: StagedTable): (fields: JsonObject) => { _id: string; _creationTime: number } {
  let last = 0;
  return ({ _id = newId(number), _creationTime }) => {
    if (typeof _id !== "string" || tableNumberOf(_id) === null) throw new FunctionError(`\`_id\` is not an ID: ${JSON.stringify(_id)}.`);
    if (tableNumberOf(_id) !== number)
      throw new FunctionError(
        `The ID "${_id}" does not belong to table "${nameIn(component, name)}", whose IDs have the table number ${number}.`,
      );
    if (_creationTime === undefined) last = Math.max(Date.now(), last + CREATION_STEP_MS);
    else if (typeof _creationTime !== "number") throw new FunctionError("`_creationTime` is not a number of milliseconds since 1970.");
    return { _id, _creationTime: typeof _creationTime === "number" ? _creationTime : last };
  };
}

async function stageFiles(
  staging: Staging,
  position: number,
  table: PlannedTable,
  files: Map<string, ArchivedFile>,
  folder: string,
): Promise<void> {
  const { source, staged } = table;
  const add = staging.table(position, indexesOf(table));
  const identify = identifier(staged);
  const found = new Set<string>();
  const rows = source.rows()[Symbol.asyncIterator]();
  const stageNext = async (): Promise<void> => {
    for (let next = await rows.next(); !next.done; next = await rows.next()) {
      const { place, fields } = next.value;
      try {
        const { _id, _creationTime } = identify(fields);
        const file = files.get(_id);
        if (!file) throw new FunctionError(`The archive has no file ${STORAGE}/${_id}.`);
        found.add(_id);
        const { size, digest } = await copy(file, join(folder, _id));
        const { sha256, size: expected, contentType } = fields;
        if ((typeof expected === "number" && expected !== size) || (typeof sha256 === "string" && !sameChecksum(sha256, digest)))
          throw new FunctionError(`${file.path} does not match its size or sha256.`);
        const row = { _id, _creationTime, sha256: digest.toString("base64"), size };
        add(typeof contentType === "string" ? { ...row, contentType } : row);
      } catch (error) {
        throw located(error, source, place);
      }
      staged.documents += 1;
    }
  };
  await Promise.all(Array.from({ length: FILES_AT_ONCE }, stageNext));
  for (const [id, { path }] of files) if (!found.has(id)) throw new FunctionError(`${path} has no line in ${STORAGE}/documents.jsonl.`);
}

async function copy({ path, open: openSource }: ArchivedFile, to: string): Promise<{ size: number; digest: Buffer }> {
  const file = await open(to, "wx", 0o600);
  const hash = createHash("sha256");
  let size = 0;
  try {
    for await (const chunk of await openSource()) {
      const bytes: Buffer = chunk;
      hash.update(bytes);
      await file.writeFile(bytes);
      size += bytes.length;
    }
    await file.sync();
  } catch (error) {
    if (error instanceof Error && "code" in error) throw error;
    throw new FunctionError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
  } finally {
    await file.close();
  }
  return { size, digest: hash.digest() };
}

const located = (error: unknown, { prefix }: Source, place: string): unknown =>
  error instanceof FunctionError ? new FunctionError(`${prefix}${place}: ${error.message}`) : error;

export const countText = (documents: number): string => `${documents} ${documents === 1 ? "document" : "documents"}`;
