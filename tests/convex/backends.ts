import type { FunctionArgs, FunctionReference, FunctionReturnType, FunctionVisibility } from "convex/server";
import { makeFunctionReference } from "convex/server";
import type { Id } from "../../convex/_generated/dataModel";
import { convexTestBackend } from "./convex-test.ts";
import { embeddedBackend } from "./embedded.ts";

/**
 * Two implementations of Convex under one face, so that the tests of `convex/` run on both and the two must agree: convex-test, and the
 * embedded deployment with the functions pushed to it by the official command line.
 *
 * ```ts
 * describe.each(backends)("projects on $name", ({ start }) => {
 *   let backend: Backend;
 *   beforeAll(async () => { backend = await start(); });
 *   afterAll(() => backend.close());
 * ```
 */
export const backends: { name: string; start: () => Promise<Backend> }[] = [
  { name: "convex-test", start: convexTestBackend },
  { name: "the embedded deployment", start: embeddedBackend },
];

/** Somebody who calls functions. A refused call throws the function's ConvexError. */
export type Caller<Visibility extends FunctionVisibility = "public"> = {
  query<Query extends FunctionReference<"query", Visibility>>(query: Query, args: FunctionArgs<Query>): Promise<FunctionReturnType<Query>>;
  mutation<Mutation extends FunctionReference<"mutation", Visibility>>(
    mutation: Mutation,
    args: FunctionArgs<Mutation>,
  ): Promise<FunctionReturnType<Mutation>>;
};

/** A caller with rows in `users` and `sessions`, and with the token that the app signs for them. */
export type Person = Caller & { userId: string; sessionId: string };

/** The claims of a token that the app could sign. */
type Claims = {
  issuer?: string;
  subject: string;
  audience: "atelier-user" | "atelier-service";
  sessionId?: string;
  service?: true;
  /** That plans count, as the app says where payments are on. */
  limited?: true;
};

export type Backend = {
  /** Whoever carries a token with these claims. */
  holder(claims: Claims): Promise<Caller>;
  /** Whoever carries none. */
  nobody: Caller;
  /** Calls internal functions too, `probe` among them. */
  inside: Caller<FunctionVisibility>;
  /** Stores a file and answers its id. */
  store(bytes: Uint8Array<ArrayBuffer>, contentType?: string): Promise<Id<"_storage">>;
  /** Waits until everything scheduled, and what that schedules, is done. */
  settle(): Promise<void>;
  /** Ends the deployment without warning and starts it again on what it had written; null where there is nothing to end. */
  crash: (() => Promise<void>) | null;
  close(): Promise<void>;
};

export const probe = {
  insert: makeFunctionReference<"mutation", { table: string; row: object }, string>("probe:insert"),
  remove: makeFunctionReference<"mutation", { table: string; id: string }, null>("probe:remove"),
  patch: makeFunctionReference<"mutation", { table: string; id: string; fields: object }, null>("probe:patch"),
  replace: makeFunctionReference<"mutation", { table: string; id: string; row: object }, null>("probe:replace"),
  row: makeFunctionReference<"query", { table: string; id: string }, Record<string, unknown> | null>("probe:row"),
  rows: makeFunctionReference<"query", { table: string; field?: string; value?: unknown }, Record<string, unknown>[]>("probe:rows"),
  imageCount: makeFunctionReference<"query", { designId: Id<"designs"> }, number>("probe:imageCount"),
  uploadUrl: makeFunctionReference<"mutation", Record<string, never>, string>("probe:uploadUrl"),
  filesAmong: makeFunctionReference<"query", { ids: Id<"_storage">[] }, Id<"_storage">[]>("probe:filesAmong"),
  pending: makeFunctionReference<"query", Record<string, never>, number>("probe:pending"),
  scheduledCalls: makeFunctionReference<"query", { name: string }, number>("probe:scheduledCalls"),
  insertImages: makeFunctionReference<
    "mutation",
    { designId: Id<"designs">; storageId: Id<"_storage">; from: number; count: number },
    null
  >("probe:insertImages"),
};

let people = 0;

/** A new person, signed in. */
export async function signUp(backend: Backend, name: string, expiresAt = Date.now() + 60 * 60 * 1000): Promise<Person> {
  const userId = `${name}${Date.now().toString(36)}${people++}`;
  const sessionId = `session${userId}`;
  const times = { createdAt: Date.now(), updatedAt: Date.now() };
  await backend.inside.mutation(probe.insert, {
    table: "users",
    row: { id: userId, name, email: `${userId}@example.com`, emailVerified: true, ...times },
  });
  await backend.inside.mutation(probe.insert, {
    table: "sessions",
    row: { id: sessionId, token: `token${userId}`, userId, expiresAt, ...times },
  });
  return { userId, sessionId, ...(await backend.holder({ subject: userId, audience: "atelier-user", sessionId })) };
}

/** Ends a person's session, as signing out does. */
export async function signOut(backend: Backend, person: Person): Promise<void> {
  const rows = await backend.inside.query(probe.rows, { table: "sessions", field: "id", value: person.sessionId });
  for (const { _id } of rows) await backend.inside.mutation(probe.remove, { table: "sessions", id: String(_id) });
}

/** The app server, with its own token. */
export function appServer(backend: Backend): Promise<Caller> {
  return backend.holder({ subject: "app-server", audience: "atelier-service", service: true });
}
