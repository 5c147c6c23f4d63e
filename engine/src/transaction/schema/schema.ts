import type { AnyIndex, Namespace, Table } from "../../storage/catalog.ts";
import { checkIdentifier } from "../../storage/catalog.ts";
import type { JsonObject } from "../../values/canonical.ts";
import { FunctionError } from "../../values/errors.ts";
import {
  MAX_INDEX_FIELDS,
  MAX_INDEXES_PER_TABLE,
  MAX_SEARCH_FILTERS,
  MAX_VECTOR_DIMENSIONS,
  MAX_VECTOR_FILTER_FIELDS,
  MAX_VECTOR_INDEXES_PER_TABLE,
  MIN_VECTOR_DIMENSIONS,
} from "../../values/limits.ts";
import type { Json } from "../../values/types.ts";
import { parseValidator, type ValidatorJson } from "../../values/validator-json.ts";
import { findFault, type IdTables } from "../../values/validators.ts";

export type DatabaseDefinition = { type: "database"; name: string; fields: string[] };
export type SearchDefinition = { type: "search"; name: string; searchField: string; filterFields: string[] };
export type VectorDefinition = { type: "vector"; name: string; vectorField: string; dimensions: number; filterFields: string[] };
/** A staged index is filled, but not available to queries. */
export type IndexDefinition = (DatabaseDefinition | SearchDefinition | VectorDefinition) & { staged?: true };
export type TableDefinition = {
  name: string;
  validator: ValidatorJson;
  validatorText: string;
  indexes: IndexDefinition[];
};

/** `defineSchema(...).export()` (`convex/src/server/schema.ts`); null accepts everything. */
export class Schema {
  readonly json: Json | null;
  readonly validates: boolean;
  readonly tables: Map<string, TableDefinition>;
  private readonly ids: IdTables;

  constructor(json: Json | null, ids: IdTables) {
    this.json = json;
    this.ids = ids;
    const { tables = [], schemaValidation = json !== null } = json === null ? {} : objectOf(json, "schema");
    this.validates = schemaValidation !== false;
    this.tables = new Map(
      listOf(tables, "tables")
        .map(readTable)
        .map((table) => [table.name, table]),
    );
  }

  check(table: string, fields: JsonObject): void {
    const fault = this.faultOf(table, fields);
    if (fault === null) return;
    throw new FunctionError(`Failed to insert or update a document in table "${table}" because it does not match the schema: ${fault}`);
  }

  faultOf(table: string, fields: JsonObject): string | null {
    const definition = this.validates ? this.tables.get(table) : undefined;
    return definition === undefined ? null : findFault(definition.validator, fields, this.ids);
  }
}

/** An index whose definition changed is in `add` and `remove`. `enable` were staged before, and `disable` are staged now. */
export type TableDiff = Record<"add" | "remove" | "enable" | "disable", IndexDefinition[]> & { table: string };

export function diffIndexes(schema: Schema, namespace: Namespace): TableDiff[] {
  const names = new Set([...schema.tables.keys(), ...namespace.list().flatMap((table) => (table.isSystem ? [] : [table.name]))]);
  return [...names].map((name) => {
    const target = schema.tables.get(name)?.indexes ?? [];
    const existing = declaredIndexes(namespace.find(name));
    const staged = new Set(existing.filter((index) => index.staged).map(definitionText));
    const remaining = target.filter((index) => !missing([index], existing).includes(index));
    return {
      table: name,
      add: missing(target, existing),
      remove: missing(existing, target),
      enable: remaining.filter((index) => !index.staged && staged.has(definitionText(index))),
      disable: remaining.filter((index) => index.staged && !staged.has(definitionText(index))),
    };
  });
}

function declaredIndexes(table: Table | undefined): IndexDefinition[] {
  if (table === undefined) return [];
  const { byId, byCreationTime, indexes, searchIndexes, vectorIndexes } = table;
  const declared = [...indexes.values()].filter((index) => index !== byId && index !== byCreationTime);
  return [...declared, ...searchIndexes.values(), ...vectorIndexes.values()].map((index) => ({
    ...definitionOf(index),
    ...(index.staged && { staged: true }),
  }));
}

function definitionOf(index: AnyIndex): IndexDefinition {
  const { name } = index;
  if (index.kind === "database") return { type: "database", name, fields: index.fields.slice(0, -1) };
  const filterFields = [...index.filterFields];
  if (index.kind === "search") return { type: "search", name, searchField: index.searchField, filterFields };
  return { type: "vector", name, vectorField: index.vectorField, dimensions: index.dimensions, filterFields };
}

function missing(target: IndexDefinition[], existing: IndexDefinition[]): IndexDefinition[] {
  const texts = new Set(existing.map(definitionText));
  return target.filter((definition) => !texts.has(definitionText(definition)));
}

const definitionText = (definition: IndexDefinition): string => JSON.stringify({ ...definition, staged: undefined });

const asStaged = (definition: IndexDefinition): IndexDefinition => ({ ...definition, staged: true });

function readTable(json: Json): TableDefinition {
  const table = objectOf(json, "table");
  const { tableName, documentType } = table;
  if (typeof tableName !== "string") throw malformed("table");
  checkIdentifier(tableName, "table");
  if (documentType === undefined) throw malformed(`table "${tableName}"`);
  const validator = parseValidator(documentType);
  const readAll = (field: string, read: (table: string, index: Json, validator: ValidatorJson) => IndexDefinition) =>
    listOf(table[field] ?? [], tableName).map((index) => read(tableName, index, validator));
  const definition = {
    name: tableName,
    validator,
    validatorText: JSON.stringify(documentType),
    indexes: [
      ...readAll("indexes", readIndex),
      ...readAll("searchIndexes", readSearchIndex),
      ...readAll("vectorIndexes", readVectorIndex),
      ...readAll("stagedDbIndexes", readIndex).map(asStaged),
      ...readAll("stagedSearchIndexes", readSearchIndex).map(asStaged),
      ...readAll("stagedVectorIndexes", readVectorIndex).map(asStaged),
    ],
  };
  checkNames(definition);
  return definition;
}

function readIndex(table: string, json: Json): DatabaseDefinition {
  const { indexDescriptor, fields } = objectOf(json, `index of "${table}"`);
  if (typeof indexDescriptor !== "string") throw malformed(`index of "${table}"`);
  const names = listOf(fields, `index of "${table}"`).map(String);
  // Older clients list the implicit tie-breaker.
  if (names.at(-1) === "_creationTime") names.pop();
  const where = `Index "${table}.${indexDescriptor}"`;
  if (names.length === 0) throw new FunctionError(`${where} must have at least one field.`);
  if (names.length > MAX_INDEX_FIELDS) throw new FunctionError(`${where} has more than ${MAX_INDEX_FIELDS} fields.`);
  for (const [i, name] of names.entries()) {
    if (name.startsWith("_")) throw new FunctionError(`${where} cannot have the system field "${name}".`);
    if (names.indexOf(name) !== i) throw new FunctionError(`${where} has the field "${name}" twice.`);
  }
  return { type: "database", name: indexDescriptor, fields: names };
}

function readSearchIndex(table: string, json: Json): SearchDefinition {
  const { indexDescriptor, searchField, filterFields } = objectOf(json, `search index of "${table}"`);
  if (typeof indexDescriptor !== "string" || typeof searchField !== "string") throw malformed(`search index of "${table}"`);
  const filters = listOf(filterFields ?? [], `search index of "${table}"`).map(String);
  if (filters.length > MAX_SEARCH_FILTERS * 2) {
    throw new FunctionError(`Search index "${table}.${indexDescriptor}" has more than ${MAX_SEARCH_FILTERS * 2} filter fields.`);
  }
  return { type: "search", name: indexDescriptor, searchField, filterFields: filters };
}

function readVectorIndex(table: string, json: Json, validator: ValidatorJson): VectorDefinition {
  const { indexDescriptor, vectorField, dimensions, filterFields } = objectOf(json, `vector index of "${table}"`);
  if (typeof indexDescriptor !== "string" || typeof vectorField !== "string") throw malformed(`vector index of "${table}"`);
  const filters = listOf(filterFields ?? [], `vector index of "${table}"`).map(String);
  const where = `Vector index "${table}.${indexDescriptor}"`;
  if (
    typeof dimensions !== "number" ||
    !Number.isInteger(dimensions) ||
    dimensions < MIN_VECTOR_DIMENSIONS ||
    dimensions > MAX_VECTOR_DIMENSIONS
  ) {
    throw new FunctionError(
      `${where} must have an integer of dimensions from ${MIN_VECTOR_DIMENSIONS} to ${MAX_VECTOR_DIMENSIONS}; received ${JSON.stringify(dimensions)}.`,
    );
  }
  if (filters.length > MAX_VECTOR_FILTER_FIELDS)
    throw new FunctionError(`${where} has more than ${MAX_VECTOR_FILTER_FIELDS} filter fields.`);
  for (const [i, name] of filters.entries())
    if (filters.indexOf(name) !== i) throw new FunctionError(`${where} has the filter field "${name}" twice.`);
  for (const path of [vectorField, ...filters])
    if (path.split(".").includes("")) throw new FunctionError(`${where} has the invalid field path "${path}".`);
  if (!acceptsVector(validator, vectorField.split(".")))
    throw new FunctionError(`${where} needs the field "${vectorField}" to be v.array(v.float64()), or a union with it.`);
  return { type: "vector", name: indexDescriptor, vectorField, dimensions, filterFields: filters };
}

function acceptsVector(validator: ValidatorJson, path: readonly string[]): boolean {
  if (validator.type === "any") return true;
  if (validator.type === "union") return validator.value.some((member) => acceptsVector(member, path));
  const [name, ...rest] = path;
  if (name === undefined) return validator.type === "array" && (validator.value.type === "number" || validator.value.type === "any");
  if (validator.type === "record") return acceptsVector(validator.values.fieldType, rest);
  const field = validator.type === "object" && Object.hasOwn(validator.value, name) ? validator.value[name] : undefined;
  return field !== undefined && acceptsVector(field.fieldType, rest);
}

function checkNames(table: TableDefinition): void {
  const names = table.indexes.map((index) => index.name);
  for (const [i, name] of names.entries()) {
    checkIdentifier(name, "index");
    if (name === "by_id" || name === "by_creation_time") {
      throw new FunctionError(`Index "${table.name}.${name}" has a reserved name: every table has it.`);
    }
    if (names.indexOf(name) !== i) throw new FunctionError(`Table "${table.name}" has two indexes named "${name}".`);
  }
}

/** Throws for too many indexes. Call it for new schemas only, because earlier builds allowed more indexes. */
export function checkIndexCounts({ tables }: Schema): void {
  for (const { name, indexes } of tables.values()) {
    if (indexes.length > MAX_INDEXES_PER_TABLE) throw new FunctionError(`Table "${name}" has more than ${MAX_INDEXES_PER_TABLE} indexes.`);
    if (indexes.filter(({ type }) => type === "vector").length > MAX_VECTOR_INDEXES_PER_TABLE)
      throw new FunctionError(`Table "${name}" has more than ${MAX_VECTOR_INDEXES_PER_TABLE} vector indexes.`);
  }
}

function objectOf(json: Json | undefined, what: string): { [key: string]: Json | undefined } {
  if (typeof json !== "object" || json === null || Array.isArray(json)) throw malformed(what);
  return json;
}

function listOf(json: Json | undefined, what: string): Json[] {
  if (!Array.isArray(json)) throw malformed(what);
  return json;
}

function malformed(what: string): FunctionError {
  return new FunctionError(`Malformed schema: ${what}.`);
}
