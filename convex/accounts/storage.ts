import { customMutation, customQuery } from "convex-helpers/server/customFunctions";
import {
  type GenericDatabaseReader,
  type GenericDatabaseWriter,
  type GenericMutationCtx,
  type GenericQueryCtx,
  type GenericSchema,
  type MutationBuilder,
  mutationGeneric,
  type QueryBuilder,
  queryGeneric,
} from "convex/server";
import { type Infer, v, type Value } from "convex/values";
import { conflict } from "../errors";
import { isTaken, type Read, type Row, readRows, type StoreModel, type Tables } from "./rows";
import { requireService } from "./service";
import { type Clause, clause } from "./where";

const where = v.array(clause);
const sortBy = v.object({ field: v.string(), direction: v.union(v.literal("asc"), v.literal("desc")) });
const fields = v.record(v.string(), v.any());
/** Rows of another table that belong to each row found: those whose `to` equals the row's `from`. */
const joinsOf = v.record(v.string(), v.object({ from: v.string(), to: v.string(), limit: v.number(), one: v.boolean() }));
/** How a row found is given: with which of its fields (all without `select`), and with what belongs to it. */
const shape = { select: v.optional(v.array(v.string())), joins: v.optional(joinsOf) };

/** How many rows one call removes at most; the caller repeats, so that no transaction outgrows its limits. */
const BATCH = 500;

type Reader = GenericDatabaseReader<StoreModel>;
type Writer = GenericDatabaseWriter<StoreModel>;
type Fields = Record<string, Value>;
type Joins = Infer<typeof joinsOf>;
type Scheduling = Pick<GenericMutationCtx<StoreModel>, "scheduler">;
type Writing = Scheduling & { db: Writer };

type Options = {
  tables: GenericSchema;
  /** By table, the names of the indexes by which at most one row may be found. */
  uniqueIndexes: Record<string, string[]>;
  /** Whether a read that no index serves may scan its table: for the adapter's own tests only. */
  scans: boolean;
  /** Told of rows that are deleted, in the same transaction. */
  deleted?: (ctx: Scheduling, model: string, rows: Row[]) => Promise<void>;
  /** Told of a row that is made (`before` is null) or changed, in the same transaction. */
  written?: (ctx: Scheduling, model: string, before: Fields | null, after: Fields) => Promise<void>;
};

const query: QueryBuilder<StoreModel, "public"> = queryGeneric;
const mutation: MutationBuilder<StoreModel, "public"> = mutationGeneric;

const closed = {
  args: {},
  input: async (ctx: GenericQueryCtx<StoreModel> | GenericMutationCtx<StoreModel>) => {
    await requireService(ctx);
    return { ctx: {}, args: {} };
  },
};
const serverQuery = customQuery(query, closed);
const serverMutation = customMutation(mutation, closed);

/**
 * Better Auth's storage functions over given tables: what `createAdapterFactory` asks of an adapter, each of them one transaction, and open
 * to the app server alone. Rows go in and out without `_id` and `_creationTime`.
 */
export function storageFunctions({ tables, uniqueIndexes, scans, deleted, written }: Options) {
  const indexes = indexesOf(tables);
  const read = (db: Reader, request: Read) => readRows(db, indexes, request, scans);

  return {
    findMany: serverQuery({
      args: { model: v.string(), where, sortBy: v.optional(sortBy), limit: v.number(), offset: v.optional(v.number()), ...shape },
      handler: async ({ db }, { select, joins, ...request }) => {
        const rows = await read(db, { ...request, anyRows: true });
        return Promise.all(rows.map((row) => shaped(db, row, select, joins)));
      },
    }),

    findOne: serverQuery({
      args: { model: v.string(), where, ...shape },
      handler: async ({ db }, { select, joins, ...request }) => {
        const [row] = await read(db, { ...request, limit: 1 });
        return row ? shaped(db, row, select, joins) : null;
      },
    }),

    count: serverQuery({
      args: { model: v.string(), where },
      handler: async ({ db }, request) => (await read(db, request)).length,
    }),

    /** Refuses ("conflict") a second row of what must be unique. */
    create: serverMutation({
      args: { model: v.string(), data: fields },
      handler: async ({ db, scheduler }, { model, data }) => {
        await refuseTaken(db, model, data, data);
        await db.insert(model, data);
        await written?.({ scheduler }, model, null, data);
        return data;
      },
    }),

    /** Changes one row and returns it; null: there is none, or no condition to find it by. */
    update: serverMutation({
      args: { model: v.string(), where, update: fields },
      handler: async ({ db, scheduler }, { model, where, update }) => {
        const [row] = where.length > 0 ? await read(db, { model, where, limit: 1 }) : [];
        return row ? change({ db, scheduler }, model, row, update) : null;
      },
    }),

    /** Changes every row found and returns how many. */
    updateMany: serverMutation({
      args: { model: v.string(), where, update: fields },
      handler: async ({ db, scheduler }, { model, where, update }) => {
        const rows = await read(db, { model, where });
        for (const row of rows) await change({ db, scheduler }, model, row, update);
        return rows.length;
      },
    }),

    /** Removes up to a batch of the rows found: how many it were, and whether there may be more. */
    deleteMany: serverMutation({
      args: { model: v.string(), where },
      handler: async ({ db, scheduler }, { model, where }) => {
        const rows = await read(db, { model, where, limit: BATCH });
        for (const row of rows) await db.delete(row._id);
        await deleted?.({ scheduler }, model, rows);
        return { count: rows.length, more: rows.length === BATCH };
      },
    }),

    /** Removes one row and returns it: of several callers one gets it, the others null. */
    consumeOne: serverMutation({
      args: { model: v.string(), where },
      handler: async ({ db }, { model, where }) => {
        const [row] = await read(db, { model, where, limit: 1 });
        if (!row) return null;
        await db.delete(row._id);
        return plain(row);
      },
    }),

    /** Adds to numbers of one row, and sets other fields, if it still is as `where` says; null: it is not. */
    incrementOne: serverMutation({
      args: { model: v.string(), where, increment: v.record(v.string(), v.number()), set: v.optional(fields) },
      handler: async ({ db, scheduler }, { model, where, increment, set = {} }) => {
        const [row] = await read(db, { model, where, limit: 1 });
        if (!row) return null;
        const sums = Object.entries(increment).map(([field, by]) => [field, numberIn(row, field) + by]);
        return change({ db, scheduler }, model, row, { ...set, ...Object.fromEntries(sums) });
      },
    }),
  };

  async function change({ db, scheduler }: Writing, model: string, row: Row, update: Fields): Promise<Fields> {
    const changed = { ...row, ...update };
    await refuseTaken(db, model, changed, update, row._id);
    await db.patch(row._id, update);
    await written?.({ scheduler }, model, row, changed);
    return plain(changed);
  }

  async function refuseTaken(db: Reader, model: string, row: Fields, changed: Fields, except?: string): Promise<void> {
    for (const index of indexes[model] ?? []) {
      const unique = uniqueIndexes[model]?.includes(index.name) && index.fields.some((field) => field in changed);
      if (unique && (await isTaken(db, model, index, row, except)))
        throw conflict(`${model}: ${index.fields.join(" and ")} must be unique`);
    }
  }

  async function shaped(db: Reader, row: Row, select?: string[], joins: Joins = {}) {
    const all = plain(row);
    const selected = select ? Object.entries(all).filter(([field]) => select.includes(field)) : Object.entries(all);
    const joined: Record<string, unknown> = Object.fromEntries(selected);
    for (const [model, { from, to, limit, one }] of Object.entries(joins)) {
      const key = row[from];
      const rows = typeof key === "string" ? await read(db, { model, where: [equals(to, key)], limit: one ? 1 : limit }) : [];
      joined[model] = one ? (rows[0] ? plain(rows[0]) : null) : rows.map(plain);
    }
    return joined;
  }
}

const equals = (field: string, value: string): Clause => ({ field, operator: "eq", value, connector: "AND", mode: "sensitive" });

const plain = ({ _id, _creationTime, ...fields }: Row): Fields => fields;

function numberIn(row: Row, field: string): number {
  const value = row[field];
  return typeof value === "number" ? value : 0;
}

/** The indexes that the tables declare. */
function indexesOf(tables: GenericSchema): Tables {
  const list = Object.entries(tables).map(([name, table]) => {
    const declared = table[" indexes"]().map(({ indexDescriptor, fields }) => ({ name: indexDescriptor, fields }));
    return [name, declared] as const;
  });
  return Object.fromEntries(list);
}
