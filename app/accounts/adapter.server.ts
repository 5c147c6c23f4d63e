import type { CleanedWhere, JoinConfig } from "@better-auth/core/db/adapter";
import { createAdapterFactory } from "better-auth/adapters";
import type { ConvexHttpClient } from "convex/browser";
import type { FunctionArgs } from "convex/server";
import { refusalOf } from "~/data/refusals";
import { api } from "#convex/_generated/api";
import { emailTaken } from "./plugins/account-changes.server";

const store = api.accounts.store;

type StoreWhere = FunctionArgs<typeof store.findOne>["where"];
type Shape = { select?: string[] | undefined; join?: JoinConfig | undefined };
type StoreJoins = FunctionArgs<typeof store.findOne>["joins"];

/**
 * Better Auth's database: Convex, through the storage functions of `convex/accounts/store.ts`. Each call is one transaction there; several
 * are not, which is why Better Auth's own guarded steps (`consumeOne`, `incrementOne`) are single functions.
 *
 * @param client signed in as the app server (`serviceConvex`)
 */
export const convexAdapter = (client: ConvexHttpClient) =>
  createAdapterFactory({
    config: {
      adapterId: "convex",
      adapterName: "Convex",
      usePlural: true,
      supportsDates: true,
      supportsBooleans: true,
      supportsArrays: true,
      supportsJSON: false,
      supportsNumericIds: false,
      transaction: false,
      customTransformInput: ({ data }) => millis(data),
      customTransformOutput: ({ data, fieldAttributes }) =>
        fieldAttributes.type === "date" && typeof data === "number" ? new Date(data) : data,
    },
    adapter: ({ getFieldName }) => {
      // Requests of many visitors share the client: none of them waits for another's write.
      const now = { skipQueue: true };
      return {
        create: async ({ model, data }) => row(await client.mutation(store.create, { model, data }, now)),
        findOne: async ({ model, where, ...shape }) =>
          row(await client.query(store.findOne, { model, where: clauses(where), ...shaped(model, shape) })),
        findMany: async ({ model, where, limit, offset, sortBy, ...shape }) => {
          const order = sortBy && { ...sortBy, field: getFieldName({ model, field: sortBy.field }) };
          return row(
            await client.query(store.findMany, { model, where: clauses(where), limit, offset, sortBy: order, ...shaped(model, shape) }),
          );
        },
        count: ({ model, where }) => client.query(store.count, { model, where: clauses(where) }),
        update: async ({ model, where, update }) =>
          row(await client.mutation(store.update, { model, where: clauses(where), update: row(update) }, now).catch(inWords(model))),
        updateMany: ({ model, where, update }) => client.mutation(store.updateMany, { model, where: clauses(where), update }, now),
        delete: async ({ model, where }) => {
          if (where.length > 0) await deleteAll(model, where);
        },
        deleteMany: ({ model, where }) => deleteAll(model, where),
        consumeOne: async ({ model, where }) => row(await client.mutation(store.consumeOne, { model, where: clauses(where) }, now)),
        incrementOne: async ({ model, where, increment, set }) =>
          row(await client.mutation(store.incrementOne, { model, where: clauses(where), increment, set }, now)),
      };

      function shaped(model: string, { select, join }: Shape) {
        // Better Auth hands an empty selection for all fields.
        const fields = select?.length ? select.map((field) => getFieldName({ model, field })) : undefined;
        return { select: fields, joins: joins(join) };
      }

      async function deleteAll(model: string, where: CleanedWhere[]): Promise<number> {
        let deleted = 0;
        for (let more = true; more;) {
          const batch = await client.mutation(store.deleteMany, { model, where: clauses(where) }, now);
          deleted += batch.count;
          more = batch.more;
        }
        return deleted;
      }
    },
  });

/** Of two who take an address in one moment, the deployment refuses one: theirs is the specification's refusal (5), and no fault of ours. */
const inWords = (model: string) => (error: unknown) => {
  throw model === "users" && refusalOf(error)?.code === "conflict" ? emailTaken() : error;
};

/** Better Auth names the type of the row that it expects and checks none; neither can we. */
const row = (value: unknown) => value as never;

/** Dates are kept as milliseconds, so that the deployment's indexes order them. */
function millis(value: unknown): unknown {
  if (value instanceof Date) return value.getTime();
  return Array.isArray(value) ? value.map(millis) : value;
}

const clauses = (where: CleanedWhere[] = []): StoreWhere =>
  where.map(({ field, operator, value, connector, mode }) => ({ field, operator, value: row(millis(value) ?? null), connector, mode }));

function joins(config: JoinConfig | undefined): StoreJoins {
  if (!config) return undefined;
  const list = Object.entries(config).map(([model, { on, limit, relation }]) => {
    return [model, { from: on.from, to: on.to, limit: limit ?? 100, one: relation === "one-to-one" }] as const;
  });
  return Object.fromEntries(list);
}
