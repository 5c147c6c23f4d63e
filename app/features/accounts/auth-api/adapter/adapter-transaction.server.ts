import { runWithTransaction } from "@better-auth/core/context";
import type { DBAdapter } from "better-auth";
import type { CleanedWhere, CustomAdapter } from "better-auth/adapters";
import { isAPIError } from "better-auth/api";
import type { FunctionArgs } from "convex/server";
import type { api } from "#convex/_generated/api";
import { type FilterClause, compare, matchesFilters } from "#convex/model/accounts/adapterFilters";

type Writes = FunctionArgs<typeof api.accounts.store.commit>["writes"];
type Row = Record<string, unknown>;
type Reading = Parameters<CustomAdapter["findMany"]>[0];

const ALL = Number.MAX_SAFE_INTEGER;

/** Collects writes for `accounts/store:commit` and includes them in reads. The commit only checks that changed rows still exist. */
export function collectWrites(database: Pick<CustomAdapter, "findMany">, toClauses: (where: CleanedWhere[]) => FilterClause[]) {
  const writes: Writes = [];
  const written = new Map<string, Map<string, Row | null>>();

  const operations: CustomAdapter = {
    create: async ({ model, data }) => {
      writes.push({ kind: "insert", model, data });
      note(model, idOf(data), data);
      return data;
    },
    findMany: async (request) => generic(await read(request)),
    findOne: async (request) => generic((await read({ ...request, limit: 1 }))[0] ?? null),
    count: async ({ model, where }) => (await read({ model, where, limit: ALL })).length,
    update: async ({ model, where, update }) => {
      const [row] = where.length > 0 ? await read({ model, where, limit: 1 }) : [];
      return generic(row ? change(model, row, generic(update)) : null);
    },
    updateMany: async ({ model, where, update }) => {
      const rows = await read({ model, where, limit: ALL });
      for (const row of rows) change(model, row, update);
      return rows.length;
    },
    delete: async ({ model, where }) => {
      if (where.length > 0) await removeAll(model, where);
    },
    deleteMany: async ({ model, where }) => removeAll(model, where),
    consumeOne: async ({ model, where }) => {
      const [row] = await read({ model, where, limit: 1 });
      if (row) remove(model, row);
      return generic(row ?? null);
    },
  };
  return { writes, operations };

  async function read(request: Reading): Promise<Row[]> {
    const { model, where = [], limit, offset = 0, sortBy, select, join } = request;
    const own = written.get(model);
    if (!own) return database.findMany<Row>(request);
    if (join) throw new Error(`A transaction cannot join ${model} after a write to it`);
    const clauses = toClauses(where);
    const stored = await database.findMany<Row>({ model, where, limit: ALL, sortBy });
    const others = stored.filter((row) => !own.has(idOf(row)));
    const rows = [...others, ...[...own.values()].filter((row) => row !== null && matchesFilters(row, clauses))].filter(
      (row) => row !== null,
    );
    if (sortBy) {
      const sign = sortBy.direction === "asc" ? 1 : -1;
      rows.sort((a, b) => compare(a[sortBy.field], b[sortBy.field]) * sign);
    }
    const page = rows.slice(offset, offset + limit);
    return select?.length ? page.map((row) => Object.fromEntries(select.map((field) => [field, row[field]]))) : page;
  }

  function change(model: string, row: Row, update: Row): Row {
    const changed = { ...row, ...update };
    writes.push({ kind: "update", model, id: idOf(row), update });
    note(model, idOf(row), changed);
    return changed;
  }

  function remove(model: string, row: Row): void {
    writes.push({ kind: "delete", model, id: idOf(row) });
    note(model, idOf(row), null);
  }

  async function removeAll(model: string, where: CleanedWhere[]): Promise<number> {
    const rows = await read({ model, where, limit: ALL });
    for (const row of rows) remove(model, row);
    return rows.length;
  }

  function note(model: string, id: string, row: Row | null): void {
    const rows = written.get(model) ?? new Map<string, Row | null>();
    written.set(model, rows.set(id, row));
  }
}

/** Runs a Better Auth endpoint as one transaction. A rejection also commits its writes, such as a counted wrong guess. */
export async function runInTransaction<Result>(adapter: DBAdapter, endpoint: () => Promise<Result>): Promise<Result> {
  const outcome = await runWithTransaction(adapter, async () => {
    try {
      return { result: await endpoint() };
    } catch (error) {
      if (!isAPIError(error)) throw error;
      return { refusal: error };
    }
  });
  if ("refusal" in outcome) throw outcome.refusal;
  return outcome.result;
}

function idOf({ id }: Row): string {
  if (typeof id !== "string") throw new Error("A row has no id");
  return id;
}

const generic = (value: unknown) => value as never;
