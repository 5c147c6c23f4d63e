import type { VectorIndexes } from "../search/vector-index.ts";
import type { Catalog, Index, Namespace, Table } from "../storage/catalog.ts";
import type { Clock } from "../storage/clock.ts";
import { canonicalize, DOCUMENT_LIMITS, type JsonObject } from "../values/canonical.ts";
import { FunctionError } from "../values/errors.ts";
import { newId } from "../values/ids.ts";
import { FIRST_KEY, LAST_KEY } from "../values/keys.ts";
import type { Json, Timestamp } from "../values/types.ts";
import { idKey, valueOf, type Document } from "./document.ts";
import { findConflict } from "./conflict.ts";
import { checkUserFields, fieldsOf, applyPatch, withoutSystemFields } from "./fields.ts";
import type { Overlay } from "./overlay.ts";
import { rangeBetween, readPageRequest, takePage } from "./query/page.ts";
import { planQuery } from "./query/plan.ts";
import { Reads } from "./reads.ts";
import type { Range } from "./query/scan.ts";
import type { Schemas } from "./schema/schemas.ts";
import type { SearchContext } from "./query/search.ts";
import { openStream, type Reader, type Stream } from "./query/stream.ts";
import type { DocumentName, ReadSet, SystemWriter, Transaction, Usage } from "./types.ts";
import { Meter } from "./usage.ts";

export type StorageContext = SearchContext & {
  catalog: Catalog;
  clock: Clock;
  schemas: Schemas;
  vectorIndexes: VectorIndexes;
  countStored: (index: Index) => number;
  reportProgress: () => void;
};

const APP = "";

class SharedState {
  readonly reads = new Reads();
  readonly meter = new Meter();
  readonly streams = new Map<number, Stream>();
  nextStream = 1;
  readonly savepoints: { overlay: number; usage: Usage }[] = [];
  views: Map<string, DataTransaction> | null = null;
}

const PLACES: { range: Range; order: "asc" } = { range: { low: FIRST_KEY, high: LAST_KEY }, order: "asc" };

export class DataTransaction implements Transaction, Reader {
  readonly kind: "query" | "mutation";
  readonly snapshot: Timestamp;
  readonly overlay: Overlay;
  readonly system: SystemWriter;
  readonly context: StorageContext;
  readonly component: string;
  readonly reads: Reads;
  readonly meter: Meter;
  private readonly namespace: Namespace;
  private readonly shared: SharedState;

  constructor(
    kind: "query" | "mutation",
    snapshot: Timestamp,
    overlay: Overlay,
    context: StorageContext,
    component = APP,
    shared = new SharedState(),
  ) {
    this.kind = kind;
    this.snapshot = snapshot;
    this.overlay = overlay;
    this.context = context;
    this.component = component;
    this.namespace = context.catalog.namespace(component);
    this.shared = shared;
    this.reads = shared.reads;
    this.meter = shared.meter;
    this.system = {
      insert: (table, value) => this.insertSystem(table, value),
      patch: (id, value) => void this.merge("patch", this.systemTable("patch", id), id, value),
      remove: (id) => void this.delete(this.systemTable("remove", id), id),
    };
  }

  in(component: string): DataTransaction {
    if (component === this.component) return this;
    const views = (this.shared.views ??= new Map([[this.component, this]]));
    let view = views.get(component);
    if (view === undefined) {
      view = new DataTransaction(this.kind, this.snapshot, this.overlay, this.context, component, this.shared);
      views.set(component, view);
    }
    return view;
  }

  tableOf(id: string): string | null {
    return this.namespace.tableOf(id)?.name ?? null;
  }

  get(args: { id: string; table?: string | undefined; isSystem: boolean; argument?: string | undefined }): string {
    const table = this.ownerOf(args.argument ?? "`id` for `db.get`", args.id, args.table);
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
    const fields = fieldsOf("insert", value);
    checkUserFields(fields);
    return this.add(this.namespace.table(table), fields);
  }

  shallowMerge(args: { id: string; value: Json; table?: string | undefined }): string {
    return this.merge("patch", this.writableTable("patch", args.id, args.table), args.id, args.value);
  }

  replace(args: { id: string; value: Json; table?: string | undefined }): string {
    const table = this.writableTable("replace", args.id, args.table);
    const { before, current } = this.toChange("Replace", table, args.id);
    const fields = withoutSystemFields(fieldsOf("replace", args.value), valueOf(current));
    return this.change(table, before, current, fields);
  }

  remove(args: { id: string; table?: string | undefined }): string {
    return this.delete(this.writableTable("delete", args.id, args.table), args.id);
  }

  queryStream(query: Json): number {
    const plan = planQuery(query, this.namespace);
    this.meter.range();
    const id = this.shared.nextStream++;
    this.shared.streams.set(id, openStream(plan, this));
    return id;
  }

  queryStreamNext(queryId: number): string {
    const stream = this.shared.streams.get(queryId);
    if (stream === undefined) throw new FunctionError(`Query ${queryId} is not open.`);
    for (;;) {
      const read = stream.next();
      if (read === null) return '{"value":null,"done":true}';
      if (read.passes) return `{"value":${read.entry.text},"done":false}`;
    }
  }

  queryCleanup(queryId: number): void {
    this.shared.streams.delete(queryId);
  }

  queryPage(args: Json): string {
    const request = readPageRequest(args);
    const plan = planQuery(request.query, this.namespace);
    this.meter.range();
    const { range, order } = plan.source.kind === "search" ? PLACES : plan.source;
    const stream = openStream(plan, this, rangeBetween(range, order, request.from, request.until));
    let nextEntry: ReturnType<Stream["next"]> | undefined;
    const page = takePage(
      request,
      () => stream.next(),
      () => (nextEntry ??= stream.next()) !== null,
    );
    const { isDone, continueCursor, splitCursor, status } = page;
    const rest = JSON.stringify({ isDone, continueCursor, splitCursor, pageStatus: status });
    return `{"page":[${page.texts.join(",")}],${rest.slice(1)}`;
  }

  count(table: string): number {
    const { byCreationTime } = this.namespace.table(table);
    this.meter.range();
    this.reads.all(byCreationTime.id, FIRST_KEY, LAST_KEY);
    let count = this.context.countStored(byCreationTime);
    for (const change of this.overlay.all()) {
      if (change.table !== byCreationTime.table) continue;
      count += Number(change.after !== null) - Number(this.context.store.get(idKey(change.id)) !== null);
    }
    return count;
  }

  normalizeId(table: string, id: string): string | null {
    return this.tableOf(id) === table ? id : null;
  }

  savepoint(): number {
    return this.shared.savepoints.push({ overlay: this.overlay.savepoint(), usage: this.meter.usage() }) - 1;
  }

  rollbackTo(savepoint: number): void {
    const state = this.shared.savepoints[savepoint];
    if (state === undefined) throw new RangeError(`There is no savepoint ${savepoint}.`);
    this.overlay.rollbackTo(state.overlay);
    this.meter.undoWrites(state.usage);
    this.shared.savepoints.length = savepoint;
  }

  readSet(): ReadSet {
    return this.reads.set();
  }

  findConflict(reads: ReadSet): DocumentName | null {
    return findConflict(reads, this.overlay.all());
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
    const found = this.context.store.get(key);
    return found && { id, table, key, size: found.size, text: found.text, row: found.row, pending: false, value: null, keys: null };
  }

  private add(table: Table, fields: JsonObject): string {
    this.context.schemas.of(this.component).check(table.name, fields);
    const id = newId(table.number);
    const value = { ...fields, _id: id, _creationTime: this.context.clock.nextCreationTime() };
    this.write(table, null, value, null);
    return id;
  }

  private merge(method: string, table: Table, id: string, patch: Json): string {
    const { before, current } = this.toChange("Update", table, id);
    const own = withoutSystemFields(fieldsOf(method, patch), valueOf(current));
    const { _id, _creationTime, ...fields } = valueOf(current);
    return this.change(table, before, current, applyPatch(fields, own));
  }

  private change(table: Table, before: Document | null, current: Document, fields: JsonObject): string {
    checkUserFields(fields);
    this.context.schemas.of(this.component).check(table.name, fields);
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

  private toChange(verb: string, table: Table, id: string): { before: Document | null; current: Document } {
    this.assertMutation();
    const current = this.read(table, id);
    if (current === null) throw new FunctionError(`${verb} on nonexistent document ID ${id}`);
    const change = this.overlay.get(id);
    return { before: change === undefined ? current : change.before, current };
  }

  private insertSystem(name: string, value: Json): string {
    const table = this.namespace.table(name);
    const fields = fieldsOf("insert", value);
    if (name === "_scheduled_functions") this.meter.schedule(canonicalize(fields["args"] ?? null, { bytes: Infinity, nesting: 64 }).size);
    return this.add(table, fields);
  }

  private systemTable(method: string, id: string): Table {
    const table = this.ownerOf(`\`id\` for \`db.${method}\``, id, undefined);
    if (!table?.isSystem) throw new FunctionError(`${id} is not the id of a document in a system table.`);
    return table;
  }

  private writableTable(method: string, id: string, expected: string | undefined): Table {
    const table = this.ownerOf(`\`id\` for \`db.${method}\``, id, expected);
    if (table === null) throw new FunctionError(`${method === "delete" ? "Delete" : "Update"} on nonexistent document ID ${id}`);
    if (table.isSystem) throw new FunctionError("System tables (prefixed with `_`) are read-only.");
    return table;
  }

  private ownerOf(requested: string, id: string, expected: string | undefined): Table | null {
    const table = this.namespace.tableOf(id);
    if (table === undefined) {
      if (!this.context.catalog.isId(id)) {
        throw new FunctionError(`Invalid argument ${requested}: Unable to decode ID: ${whyNoId(id)}`);
      }
      return null;
    }
    if (expected !== undefined && expected !== null && table.name !== expected) {
      throw new FunctionError(
        `Invalid argument ${requested}: Expected an ID from table \`${expected}\`, got the ID "${id}" from table \`${table.name}\`.`,
      );
    }
    return table;
  }

  private assertMutation(): void {
    if (this.kind === "query") throw new FunctionError("Queries cannot write to the database.");
  }
}

function whyNoId(id: string): string {
  return id.length < 31 || id.length > 37 ? `Invalid ID length ${id.length}` : "Invalid ID";
}
