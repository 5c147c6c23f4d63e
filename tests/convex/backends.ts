import type { FunctionArgs, FunctionReference, FunctionReturnType, FunctionVisibility } from "convex/server";
import { api } from "../../convex/_generated/api";
import type { Id } from "../../convex/_generated/dataModel";
import { convexTestBackend } from "./convex-test.ts";
import { embeddedBackend, reusedBackend } from "./embedded.ts";
import { probe } from "./probe-references.ts";

export { probe };

type NamedBackend = { name: string; start: () => Promise<Backend>; scansAllRows: boolean };

const convexTest: NamedBackend = { name: "convex-test", start: convexTestBackend, scansAllRows: true };
const embedded = { name: "the embedded deployment", scansAllRows: false };

export const backends: NamedBackend[] = [convexTest, { ...embedded, start: reusedBackend }];

/** For tests that read which calls have ended, because a reused deployment lists those of earlier files. */
export const newBackends: NamedBackend[] = [convexTest, { ...embedded, start: embeddedBackend }];

export type Caller<Visibility extends FunctionVisibility = "public"> = {
  query<Query extends FunctionReference<"query", Visibility>>(query: Query, args: FunctionArgs<Query>): Promise<FunctionReturnType<Query>>;
  mutation<Mutation extends FunctionReference<"mutation", Visibility>>(
    mutation: Mutation,
    args: FunctionArgs<Mutation>,
  ): Promise<FunctionReturnType<Mutation>>;
};

export type Person = Caller & { userId: string; sessionId: string };

type Claims = {
  issuer?: string;
  subject: string;
  audience: "atelier-user" | "atelier-service" | "atelier-link";
  sessionId?: string;
  service?: true;
  limited?: true;
  quota?: number;
  linkId?: string;
  lock?: number;
  address?: string;
};

export type Backend = {
  holder(claims: Claims): Promise<Caller>;
  nobody: Caller;
  inside: Caller<FunctionVisibility>;
  store(bytes: Uint8Array<ArrayBuffer>, contentType?: string): Promise<Id<"_storage">>;
  settle(): Promise<void>;
  crash: (() => Promise<void>) | null;
  close(): Promise<void>;
};

let people = 0;

export const NETWORK = "192.0.2.0/24";

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
  const claims = { subject: userId, audience: "atelier-user", sessionId, address: NETWORK } as const;
  return { userId, sessionId, ...(await backend.holder(claims)) };
}

export async function signOut(backend: Backend, person: Person): Promise<void> {
  const rows = await backend.inside.query(probe.rows, { table: "sessions", field: "id", value: person.sessionId });
  for (const { _id } of rows) await backend.inside.mutation(probe.remove, { table: "sessions", id: String(_id) });
}

export function linkVisitor(backend: Backend, linkId: string, lock = 0): Promise<Caller> {
  return backend.holder({ subject: `public-link ${linkId}`, audience: "atelier-link", linkId, lock });
}

export function appServer(backend: Backend): Promise<Caller> {
  return backend.holder({ subject: "app-server", audience: "atelier-service", service: true });
}

export async function startWithAdministrator(start: () => Promise<Backend>): Promise<{ backend: Backend; server: Caller; admin: Person }> {
  const backend = await start();
  const server = await appServer(backend);
  const admin = await signUp(backend, "admin");
  await server.mutation(api.accounts.administrators.set, { userId: admin.userId, isAdministrator: true });
  return { backend, server, admin };
}
