import type { BetterAuthOptions } from "better-auth";
import {
  type AdapterFactoryCustomizeAdapterCreator,
  type CleanedWhere,
  createAdapterFactory,
  type DBTransactionAdapter,
  type JoinConfig,
} from "better-auth/adapters";
import type { ConvexHttpClient } from "convex/browser";
import type { FunctionArgs } from "convex/server";
import { refusalOf } from "~/lib/data/error-responses";
import { READ_ONLY_TEXT } from "#convex/model/errors";
import { api } from "#convex/_generated/api";
import { APIError, isAPIError } from "better-auth/api";
import { ACCOUNT_DISABLED } from "../../callback-errors";
import { emailTaken } from "../plugins/account-changes.server";
import { collectWrites } from "./adapter-transaction.server";
import { clearSessionCache } from "../../session/session-check.server";
import { authRequest, clearCachedReads, isDeletedUser, recordNewSessionToken, recordSubject, readCached } from "../auth-call.server";

const store = api.accounts.store;

type StoreWhere = FunctionArgs<typeof store.findOne>["where"];
type Shape = { select?: string[] | undefined; join?: JoinConfig | undefined };
type StoreJoins = FunctionArgs<typeof store.findOne>["joins"];

const NOW = { skipQueue: true };

const MAX_ATTEMPTS = 10;

const CONFIG = {
  adapterId: "convex",
  adapterName: "Convex",
  usePlural: true,
  supportsDates: true,
  supportsBooleans: true,
  supportsArrays: true,
  supportsJSON: false,
  supportsNumericIds: false,
  customTransformInput: ({ data }: { data: unknown }) => datesToMillis(data),
  customTransformOutput: ({ data, fieldAttributes }: { data: unknown; fieldAttributes: { type: unknown } }) =>
    fieldAttributes.type === "date" && typeof data === "number" ? new Date(data) : data,
};

export const convexAdapter = (client: ConvexHttpClient) => (options: BetterAuthOptions) => {
  const direct = storeOperations(client);
  return createAdapterFactory({ config: { ...CONFIG, transaction }, adapter: direct })(options);

  async function transaction<Result>(run: (adapter: DBTransactionAdapter) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      let writes: ReturnType<typeof collectWrites>["writes"] = [];
      const adapter: AdapterFactoryCustomizeAdapterCreator = (helpers) => {
        const collected = collectWrites(direct(helpers), clauses);
        writes = collected.writes;
        return collected.operations;
      };
      const result = await run(createAdapterFactory({ config: { ...CONFIG, transaction: false }, adapter })(options));
      try {
        if (writes.length > 0)
          await client
            .mutation(store.commit, { writes, ...authRequest() }, NOW)
            .catch(refuseReadOnly)
            .catch(refuseDisabled)
            .finally(clearSessionCache);
        for (const each of writes) if (each.kind === "insert" && each.model === "sessions") recordNewSessionToken(each.data["token"]);
        return result;
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || refusalOf(error)?.code !== "conflict") throw error;
      }
    }
  }
};

const storeOperations =
  (client: ConvexHttpClient): AdapterFactoryCustomizeAdapterCreator =>
  ({ getFieldName }) => {
    const mutate: typeof client.mutation = (...args) => {
      clearCachedReads();
      return client
        .mutation(...args)
        .catch(refuseReadOnly)
        .finally(clearSessionCache);
    };
    return {
      async create({ model, data }) {
        const created = await mutate(store.create, { model, data, ...authRequest() }, NOW).catch(refuseDisabled);
        if (model === "sessions") recordNewSessionToken(Reflect.get(data, "token"));
        return row(created);
      },
      findOne: async ({ model, where, ...shape }) => {
        const args = { model, where: clauses(where), ...shaped(model, shape) };
        const found: unknown = await readCached(args, () => client.query(store.findOne, args));
        recordSubject(model, found);
        return row(found);
      },
      findMany: async ({ model, where, limit, offset, sortBy, ...shape }) => {
        if (isOfDeletedUser(model, where)) return [];
        const order = sortBy && { ...sortBy, field: getFieldName({ model, field: sortBy.field }) };
        return row(
          await client.query(store.findMany, { model, where: clauses(where), limit, offset, sortBy: order, ...shaped(model, shape) }),
        );
      },
      count: ({ model, where }) => client.query(store.count, { model, where: clauses(where) }),
      async update({ model, where, update }) {
        const args = { model, where: clauses(where) };
        try {
          return row(await mutate(store.update, { ...args, update: row(update), ...authRequest() }, NOW));
        } catch (error) {
          if (isReadOnly(error) && isRenewal(model, update)) return row(await client.query(store.findOne, args));
          return inWords(model)(error);
        }
      },
      updateMany: ({ model, where, update }) => mutate(store.updateMany, { model, where: clauses(where), update, ...authRequest() }, NOW),
      delete: async ({ model, where }) => {
        if (where.length > 0) await deleteAll(model, where);
      },
      deleteMany: ({ model, where }) => deleteAll(model, where),
      consumeOne: async ({ model, where }) => row(await mutate(store.consumeOne, { model, where: clauses(where), ...authRequest() }, NOW)),
      incrementOne: async ({ model, where, increment, set }) =>
        row(await mutate(store.incrementOne, { model, where: clauses(where), increment, set, ...authRequest() }, NOW)),
    };

    function shaped(model: string, { select, join }: Shape) {
      // Better Auth passes an empty selection for all fields.
      const fields = select?.length ? select.map((field) => getFieldName({ model, field })) : undefined;
      return { select: fields, joins: joins(join) };
    }

    async function deleteAll(model: string, where: CleanedWhere[]): Promise<number> {
      if (isOfDeletedUser(model, where)) return 0;
      let deleted = 0;
      for (let more = true; more;) {
        const [clause] = where;
        const ofSession = model === "sessions" && clause?.field === "token" ? clause.value : undefined;
        const batch = await mutate(store.deleteMany, { model, where: clauses(where), ...authRequest(ofSession) }, NOW);
        deleted += batch.count;
        more = batch.more;
      }
      return deleted;
    }
  };

const USER_FIELDS: Record<string, string> = { users: "id", sessions: "userId", accounts: "userId" };

const isOfDeletedUser = (model: string, [clause, ...others]: CleanedWhere[] = []): boolean =>
  others.length === 0 && clause?.operator === "eq" && clause.field === USER_FIELDS[model] && isDeletedUser(clause.value);

/** Rethrows an error. The second of two concurrent sign-ups with one address gets the specification's error (5). */
const inWords =
  (model: string) =>
  (error: unknown): never => {
    throw model === "users" && refusalOf(error)?.code === "conflict" ? emailTaken() : error;
  };

function refuseDisabled(error: unknown): never {
  throw refusalOf(error)?.code === "disabled" ? new APIError("FORBIDDEN", { code: "ACCOUNT_DISABLED", message: ACCOUNT_DISABLED }) : error;
}

const READ_ONLY = "READ_ONLY";

function refuseReadOnly(error: unknown): never {
  throw refusalOf(error)?.isReadOnly === true ? new APIError("SERVICE_UNAVAILABLE", { code: READ_ONLY, message: READ_ONLY_TEXT }) : error;
}

export const isReadOnly = (error: unknown): boolean => isAPIError(error) && error.body?.code === READ_ONLY;

/** Whether a page only prolongs its session, which can wait until the data has been moved. */
const isRenewal = (model: string, update: unknown): boolean =>
  model === "sessions" && Object.keys(Object(update)).every((field) => field === "expiresAt" || field === "updatedAt");

const row = (value: unknown) => value as never;

function datesToMillis(value: unknown): unknown {
  if (value instanceof Date) return value.getTime();
  return Array.isArray(value) ? value.map(datesToMillis) : value;
}

const clauses = (where: CleanedWhere[] = []): StoreWhere =>
  where.map(({ field, operator, value, connector, mode }) => ({
    field,
    operator,
    value: row(datesToMillis(value) ?? null),
    connector,
    mode,
  }));

function joins(config: JoinConfig | undefined): StoreJoins {
  if (!config) return undefined;
  const list = Object.entries(config).map(([model, { on, limit, relation }]) => {
    return [model, { from: on.from, to: on.to, limit: limit ?? 100, one: relation === "one-to-one" }] as const;
  });
  return Object.fromEntries(list);
}
