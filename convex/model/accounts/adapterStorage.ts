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
import { type AuthRequest, authRequest } from "../audit/authEvents";
import { conflict } from "../errors";
import { expectWritable } from "../readOnly";
import { recordingRevocations } from "../revocations/recordRevocations";
import { isTaken, type Read, type Row, readRows, type StoreModel, type Tables } from "./adapterRows";
import { requireService } from "./service";
import { type FilterClause, filterClause } from "./adapterFilters";

const where = v.array(filterClause);
const sortBy = v.object({ field: v.string(), direction: v.union(v.literal("asc"), v.literal("desc")) });
const fields = v.record(v.string(), v.any());
const joinsOf = v.record(v.string(), v.object({ from: v.string(), to: v.string(), limit: v.number(), one: v.boolean() }));
const shape = { select: v.optional(v.array(v.string())), joins: v.optional(joinsOf) };

const write = v.union(
  v.object({ kind: v.literal("insert"), model: v.string(), data: fields }),
  v.object({ kind: v.literal("update"), model: v.string(), id: v.string(), update: fields }),
  v.object({ kind: v.literal("delete"), model: v.string(), id: v.string() }),
);

/** Rows deleted per call; the caller repeats to stay within transaction limits. */
const BATCH = 500;

type Reader = GenericDatabaseReader<StoreModel>;
type Writer = GenericDatabaseWriter<StoreModel>;
type Fields = Record<string, Value>;
type Joins = Infer<typeof joinsOf>;
type Scheduling = Pick<GenericMutationCtx<StoreModel>, "scheduler" | "runMutation">;
type Writing = Scheduling & { db: Writer; request: AuthRequest };

type Options = {
  tables: GenericSchema;
  uniqueIndexes: Record<string, string[]>;
  scans: boolean;
  deleted?: (ctx: Writing, model: string, rows: Row[]) => Promise<void>;
  expectInsertable?: (ctx: { db: Reader }, model: string, row: Fields) => Promise<void>;
  /** Called for inserted (`before` is null) or updated rows in the same transaction. */
  written?: (ctx: Writing, model: string, before: Fields | null, after: Fields) => Promise<void>;
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
const serverMutation = customMutation(mutation, {
  args: { request: v.optional(authRequest) },
  input: async (ctx: GenericMutationCtx<StoreModel>, { request = {} }: { request?: AuthRequest | undefined }) => {
    expectWritable();
    return recordingRevocations(ctx, async () => {
      await requireService(ctx);
      return { ctx: { request }, args: {} };
    });
  },
});

/** Builds Better Auth's storage functions, each one transaction. Rows have no `_id` and `_creationTime`. */
export function storageFunctions({ tables, uniqueIndexes, scans, deleted, written, expectInsertable }: Options) {
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

    create: serverMutation({
      args: { model: v.string(), data: fields },
      handler: async (ctx, { model, data }) => insert(ctx, model, data),
    }),

    update: serverMutation({
      args: { model: v.string(), where, update: fields },
      handler: async (ctx, { model, where, update }) => {
        const [row] = where.length > 0 ? await read(ctx.db, { model, where, limit: 1 }) : [];
        return row ? change(ctx, model, row, update) : null;
      },
    }),

    updateMany: serverMutation({
      args: { model: v.string(), where, update: fields },
      handler: async (ctx, { model, where, update }) => {
        const rows = await read(ctx.db, { model, where });
        for (const row of rows) await change(ctx, model, row, update);
        return rows.length;
      },
    }),

    deleteMany: serverMutation({
      args: { model: v.string(), where },
      handler: async (ctx, { model, where }) => {
        const rows = await read(ctx.db, { model, where, limit: BATCH });
        await remove(ctx, model, rows);
        return { count: rows.length, more: rows.length === BATCH };
      },
    }),

    consumeOne: serverMutation({
      args: { model: v.string(), where },
      handler: async ({ db }, { model, where }) => {
        const [row] = await read(db, { model, where, limit: 1 });
        if (!row) return null;
        await db.delete(row._id);
        return plain(row);
      },
    }),

    /** Returns null if the row no longer matches `where`. */
    incrementOne: serverMutation({
      args: { model: v.string(), where, increment: v.record(v.string(), v.number()), set: v.optional(fields) },
      handler: async (ctx, { model, where, increment, set = {} }) => {
        const [row] = await read(ctx.db, { model, where, limit: 1 });
        if (!row) return null;
        const sums = Object.entries(increment).map(([field, by]) => [field, numberIn(row, field) + by]);
        return change(ctx, model, row, { ...set, ...Object.fromEntries(sums) });
      },
    }),

    /** Throws "conflict" for a missing row or a duplicate of a unique value. */
    commit: serverMutation({
      args: { writes: v.array(write) },
      handler: async (ctx, { writes }) => {
        const deletedRows = new Map<string, Row[]>();
        for (const each of writes) {
          if (each.kind === "insert") {
            await insert(ctx, each.model, each.data);
            continue;
          }
          const [row] = await read(ctx.db, { model: each.model, where: [equals("id", each.id)], limit: 1 });
          if (!row) throw conflict(`${each.model}: a row of the transaction no longer exists`);
          if (each.kind === "update") {
            await change(ctx, each.model, row, each.update);
            continue;
          }
          await ctx.db.delete(row._id);
          deletedRows.set(each.model, [...(deletedRows.get(each.model) ?? []), row]);
        }
        for (const [model, rows] of deletedRows) await deleted?.(ctx, model, rows);
      },
    }),
  };

  async function insert(ctx: Writing, model: string, data: Fields): Promise<Fields> {
    await expectInsertable?.(ctx, model, data);
    await checkUnique(ctx.db, model, data, data);
    await ctx.db.insert(model, data);
    await written?.(ctx, model, null, data);
    return data;
  }

  async function remove(ctx: Writing, model: string, rows: Row[]): Promise<void> {
    for (const row of rows) await ctx.db.delete(row._id);
    await deleted?.(ctx, model, rows);
  }

  async function change(ctx: Writing, model: string, row: Row, update: Fields): Promise<Fields> {
    const changed = { ...row, ...update };
    await checkUnique(ctx.db, model, changed, update, row._id);
    await ctx.db.patch(row._id, update);
    await written?.(ctx, model, row, changed);
    return plain(changed);
  }

  async function checkUnique(db: Reader, model: string, row: Fields, changed: Fields, except?: string): Promise<void> {
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

const equals = (field: string, value: string): FilterClause => ({ field, operator: "eq", value, connector: "AND", mode: "sensitive" });

const plain = ({ _id, _creationTime, ...fields }: Row): Fields => fields;

function numberIn(row: Row, field: string): number {
  const value = row[field];
  return typeof value === "number" ? value : 0;
}

function indexesOf(tables: GenericSchema): Tables {
  const list = Object.entries(tables).map(([name, table]) => {
    const declared = table[" indexes"]().map(({ indexDescriptor, fields }) => ({ name: indexDescriptor, fields }));
    return [name, declared] as const;
  });
  return Object.fromEntries(list);
}
