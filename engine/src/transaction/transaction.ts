import type { Catalog, Index, Table } from "../storage/catalog.ts";
import type { Clock } from "../storage/clock.ts";
import { searchPrefix } from "../search/text-index.ts";
import { canonicalize, DOCUMENT_LIMITS, isFields, taggedForm, type JsonObject } from "../values/canonical.ts";
import { FunctionError } from "../values/errors.ts";
import { newId } from "../values/ids.ts";
import { compareKeys, FIRST_KEY, keyAfterPrefix, LAST_KEY } from "../values/keys.ts";
import type { Json, Timestamp } from "../values/types.ts";
import { idKey, valueOf, parseDocument, type Document } from "./document.ts";
import type { Overlay } from "./overlay.ts";
import { rangeBetween, readPageRequest, takePage } from "./page.ts";
import { planQuery, type Operator, type Plan, type RangeSource, type SearchSource } from "./plan.ts";
import { Reads } from "./reads.ts";
import { Scan, type Entry, type Range } from "./scan.ts";
import type { Schema } from "./schema.ts";
import { searchEntries, type SearchGround } from "./search.ts";
import type { ReadSet, SystemWriter, Transaction, Usage } from "./types.ts";
import { Meter } from "./usage.ts";

/** What a transaction works on. */
export type Ground = SearchGround & { catalog: Catalog; clock: Clock; schema: Schema; countStored: (index: Index) => number };

/** A search's results are paged by their place in the order of relevance. */
const PLACES: { range: Range; order: "asc" } = { range: { low: FIRST_KEY, high: LAST_KEY }, order: "asc" };

/** A walk through a query's results: what was read, whether or not it passes the filters. */
type Stream = { next(): { entry: Entry; passes: boolean } | null };

export class DataTransaction implements Transaction {
  readonly kind: "query" | "mutation";
  readonly snapshot: Timestamp;
  readonly overlay: Overlay;
  readonly system: SystemWriter;
  private readonly ground: Ground;
  private readonly reads = new Reads();
  private readonly meter = new Meter();
  private readonly streams = new Map<number, Stream>();
  private nextStream = 1;
  private readonly savepoints: { overlay: number; usage: Usage }[] = [];

  constructor(kind: "query" | "mutation", snapshot: Timestamp, overlay: Overlay, ground: Ground) {
    this.kind = kind;
    this.snapshot = snapshot;
    this.overlay = overlay;
    this.ground = ground;
    this.system = {
      insert: (table, value) => this.insertSystem(table, value),
      patch: (id, value) => void this.merge("patch", this.systemTable("patch", id), id, value),
      remove: (id) => void this.delete(this.systemTable("remove", id), id),
    };
  }

  get(args: { id: string; table?: string | undefined; isSystem: boolean }): string {
    const table = this.ownerOf("get", args.id, args.table);
    if (table === null) return "null";
    if (table.isSystem !== args.isSystem) {
      throw new FunctionError(
        `${table.isSystem ? "System" : "User"} tables can only be accessed from db.${args.isSystem ? "" : "system."}get().`,
      );
    }
    return this.read(table, args.id)?.text ?? "null";
  }

  insert(table: string, value: Json): string {
    if (table.startsWith("_")) throw new FunctionError("System tables (prefixed with `_`) are read-only.");
    const fields = this.fieldsOf("insert", value);
    for (const name of Object.keys(fields)) checkUserField(name);
    return this.add(this.ground.catalog.table(table), fields);
  }

  shallowMerge(args: { id: string; value: Json; table?: string | undefined }): string {
    return this.merge("patch", this.writableTable("patch", args.id, args.table), args.id, args.value);
  }

  replace(args: { id: string; value: Json; table?: string | undefined }): string {
    const table = this.writableTable("replace", args.id, args.table);
    const { before, current } = this.toChange("Replace", table, args.id);
    const fields = { ...this.fieldsOf("replace", args.value) };
    dropSystemFields(fields, current);
    return this.change(table, before, current, fields);
  }

  remove(args: { id: string; table?: string | undefined }): string {
    return this.delete(this.writableTable("delete", args.id, args.table), args.id);
  }

  queryStream(query: Json): number {
    const plan = planQuery(query, this.ground.catalog);
    this.meter.range();
    const id = this.nextStream++;
    this.streams.set(id, this.open(plan));
    return id;
  }

  queryStreamNext(queryId: number): string {
    const stream = this.streams.get(queryId);
    if (stream === undefined) throw new FunctionError(`Query ${queryId} is not open.`);
    for (;;) {
      const read = stream.next();
      if (read === null) return '{"value":null,"done":true}';
      if (read.passes) return `{"value":${read.entry.text},"done":false}`;
    }
  }

  queryCleanup(queryId: number): void {
    this.streams.delete(queryId);
  }

  queryPage(args: Json): string {
    const request = readPageRequest(args);
    const plan = planQuery(request.query, this.ground.catalog);
    this.meter.range();
    const { range, order } = plan.source.kind === "search" ? PLACES : plan.source;
    const stream = this.open(plan, rangeBetween(range, order, request.from, request.until));
    let peeked: ReturnType<Stream["next"]> | undefined;
    const page = takePage(
      request,
      () => stream.next(),
      () => (peeked ??= stream.next()) !== null,
    );
    const split = page.status === null ? "" : `,"splitCursor":${JSON.stringify(page.splitCursor)},"pageStatus":"${page.status}"`;
    return `{"page":[${page.texts.join(",")}],"isDone":${page.isDone},"continueCursor":"${page.continueCursor}"${split}}`;
  }

  count(table: string): number {
    const { byCreationTime } = this.ground.catalog.table(table);
    this.meter.range();
    this.reads.all(byCreationTime.id, FIRST_KEY, LAST_KEY);
    let count = this.ground.countStored(byCreationTime);
    for (const change of this.overlay.all()) {
      if (change.table !== byCreationTime.table) continue;
      count += Number(change.after !== null) - Number(this.ground.store.get(idKey(change.id)) !== null);
    }
    return count;
  }

  normalizeId(table: string, id: string): string | null {
    return this.ground.catalog.tableOf(id)?.name === table ? id : null;
  }

  savepoint(): number {
    return this.savepoints.push({ overlay: this.overlay.savepoint(), usage: this.meter.usage() }) - 1;
  }

  rollbackTo(savepoint: number): void {
    const kept = this.savepoints[savepoint];
    if (kept === undefined) throw new RangeError(`There is no savepoint ${savepoint}.`);
    this.overlay.rollbackTo(kept.overlay);
    this.meter.undoWrites(kept.usage);
    this.savepoints.length = savepoint;
  }

  readSet(): ReadSet {
    return this.reads.set();
  }

  usage(): Usage {
    return this.meter.usage();
  }

  private read(table: Table, id: string): Document | null {
    const key = idKey(id);
    this.meter.range();
    this.reads.point(table.byId.id, key);
    const change = this.overlay.get(id);
    const document = change === undefined ? this.stored(table, id, key) : change.after;
    if (document !== null) this.meter.read(document.size);
    return document;
  }

  private stored(table: Table, id: string, key: Uint8Array): Document | null {
    const found = this.ground.store.get(key);
    return found && { id, table, key, size: found.size, text: found.text, row: found.row, pending: false, value: null, keys: null };
  }

  /** With `between`, only what lies there, of a page. */
  private open({ source, operators }: Plan, between?: Range): Stream {
    const pipeline = new Pipeline(operators);
    const next = source.kind === "search" ? this.search(source, between) : this.scan(source, operators, between);
    return {
      next: () => {
        const entry = pipeline.isExhausted ? null : next();
        if (entry === null) return null;
        this.meter.read(entry.size);
        return { entry, passes: pipeline.passes(entry.text) };
      },
    };
  }

  private scan({ index, range, order }: RangeSource, operators: Operator[], between = range): () => Entry | null {
    const scan = new Scan(this.ground.store, this.overlay, index, between, order, expected(operators));
    const walk = this.reads.walk(index.id, between.low, between.high, order);
    return () => {
      const entry = scan.next();
      if (entry === null) walk.ended();
      else walk.passed(entry.key);
      return entry;
    };
  }

  private search(source: SearchSource, between?: Range): () => Entry | null {
    const prefix = searchPrefix(source.index, source.equal);
    this.reads.all(source.index.id, prefix, keyAfterPrefix(prefix));
    const found = searchEntries(source, this.overlay, this.ground).filter(
      ({ key }) => between === undefined || (compareKeys(key, between.low) >= 0 && compareKeys(key, between.high) < 0),
    );
    return () => found.shift() ?? null;
  }

  private add(table: Table, fields: JsonObject): string {
    this.ground.schema.check(table.name, fields);
    const id = newId(table.number);
    const value = { ...fields, _id: id, _creationTime: this.ground.clock.nextCreationTime() };
    this.write(table, null, value, null);
    return id;
  }

  private merge(method: string, table: Table, id: string, patch: Json): string {
    const { before, current } = this.toChange("Update", table, id);
    const patched = { ...this.fieldsOf(method, patch) };
    dropSystemFields(patched, current);
    const fields: JsonObject = { ...valueOf(current) };
    delete fields["_id"];
    delete fields["_creationTime"];
    for (const [name, value] of Object.entries(patched)) {
      if (isUndefined(value)) delete fields[name];
      else Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true });
    }
    return this.change(table, before, current, fields);
  }

  private change(table: Table, before: Document | null, current: Document, fields: JsonObject): string {
    for (const name of Object.keys(fields)) checkUserField(name);
    this.ground.schema.check(table.name, fields);
    const { _creationTime = null } = valueOf(current);
    return this.write(table, before, { ...fields, _id: current.id, _creationTime }, current.row).text;
  }

  private delete(table: Table, id: string): string {
    const { before, current } = this.toChange("Delete", table, id);
    this.meter.write(current.size);
    this.overlay.set({ id, table, before, after: null });
    return current.text;
  }

  private write(table: Table, before: Document | null, value: JsonObject & { _id: string }, row: number | null): Document {
    this.assertMutation();
    const { text, size, hasCommitTs } = canonicalize(value, DOCUMENT_LIMITS);
    this.meter.write(size);
    const id = value._id;
    const after: Document = { id, table, key: before?.key ?? idKey(id), size, text, row, pending: hasCommitTs, value, keys: null };
    this.overlay.set({ id, table, before, after });
    return after;
  }

  /** The document as it is now and as it was before this transaction. */
  private toChange(verb: string, table: Table, id: string): { before: Document | null; current: Document } {
    this.assertMutation();
    const current = this.read(table, id);
    if (current === null) throw new FunctionError(`${verb} on nonexistent document ID ${id}`);
    const change = this.overlay.get(id);
    return { before: change === undefined ? current : change.before, current };
  }

  private insertSystem(name: string, value: Json): string {
    const table = this.ground.catalog.table(name);
    const fields = this.fieldsOf("insert", value);
    if (name === "_scheduled_functions") this.meter.schedule(canonicalize(fields["args"] ?? null, { bytes: Infinity, nesting: 64 }).size);
    return this.add(table, fields);
  }

  private systemTable(method: string, id: string): Table {
    const table = this.ownerOf(method, id, undefined);
    if (!table?.isSystem) throw new FunctionError(`${id} is not the id of a document of the system.`);
    return table;
  }

  private writableTable(method: string, id: string, expected: string | undefined): Table {
    const table = this.ownerOf(method, id, expected);
    if (table === null) throw new FunctionError(`${method === "delete" ? "Delete" : "Update"} on nonexistent document ID ${id}`);
    if (table.isSystem) throw new FunctionError("System tables (prefixed with `_`) are read-only.");
    return table;
  }

  /** The table of an id; null when no such table is left. */
  private ownerOf(method: string, id: string, expected: string | undefined): Table | null {
    const table = this.ground.catalog.tableOf(id);
    if (table === undefined) {
      if (!this.ground.catalog.isId(id)) {
        throw new FunctionError(`Invalid argument \`id\` for \`db.${method}\`: Unable to decode ID: ${whyNoId(id)}`);
      }
      return null;
    }
    if (expected !== undefined && expected !== null && table.name !== expected) {
      throw new FunctionError(
        `Invalid argument \`id\` for \`db.${method}\`: Expected an ID from table \`${expected}\`, got the ID "${id}" from table \`${table.name}\`.`,
      );
    }
    return table;
  }

  private fieldsOf(method: string, value: Json): JsonObject {
    if (isFields(value)) return value;
    throw new FunctionError(`Invalid argument \`value\` for \`db.${method}\`: Value must be an Object.`);
  }

  private assertMutation(): void {
    if (this.kind === "query") throw new FunctionError("Queries cannot write to the database.");
  }
}

/** A query's filters and limits, in the order they were chained. */
class Pipeline {
  private readonly operators: Operator[];
  private readonly left: number[];

  constructor(operators: Operator[]) {
    this.operators = operators;
    this.left = operators.map((operator) => (operator.kind === "limit" ? operator.limit : Infinity));
  }

  /** Nothing can pass any more, whatever else is read. */
  get isExhausted(): boolean {
    return this.left.includes(0);
  }

  passes(text: string): boolean {
    let value: JsonObject | undefined;
    for (const [i, operator] of this.operators.entries()) {
      if (operator.kind === "limit") this.left[i] = (this.left[i] ?? 0) - 1;
      else if (!operator.passes((value ??= parseDocument(text)))) return false;
    }
    return true;
  }
}

/** How many entries a query without filters will read at most. */
function expected(operators: Operator[]): number | undefined {
  let least: number | undefined;
  for (const operator of operators) {
    if (operator.kind === "filter") return undefined;
    least = Math.min(least ?? Infinity, operator.limit);
  }
  return least;
}

function isUndefined(value: Json): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && taggedForm(value) === "$undefined";
}

function checkUserField(name: string): void {
  if (name.startsWith("_")) {
    throw new FunctionError(`Invalid field name "${name}": fields that start with an underscore are reserved for the system.`);
  }
}

/** System fields may be passed along unchanged. */
function dropSystemFields(fields: JsonObject, current: Document): void {
  const { _creationTime } = valueOf(current);
  if (Object.hasOwn(fields, "_id") && fields["_id"] !== current.id) {
    throw new FunctionError(`Provided \`_id\` field value ${JSON.stringify(fields["_id"])} does not match the document ID "${current.id}"`);
  }
  if (Object.hasOwn(fields, "_creationTime") && fields["_creationTime"] !== _creationTime) {
    throw new FunctionError(
      `Provided \`_creationTime\` field value ${JSON.stringify(fields["_creationTime"])} does not match the document's creation time ${JSON.stringify(_creationTime)}`,
    );
  }
  delete fields["_id"];
  delete fields["_creationTime"];
}

function whyNoId(id: string): string {
  return id.length < 31 || id.length > 37 ? `Invalid ID length ${id.length}` : "Invalid ID";
}
