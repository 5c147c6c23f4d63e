import { AsyncLocalStorage } from "node:async_hooks";
import type { FunctionArgs } from "convex/server";
import type { api } from "#convex/_generated/api";
import type { CreatedSession } from "../session/session.server";

type Origin = NonNullable<FunctionArgs<typeof api.accounts.store.create>["request"]>;

/** User ids in the rows that a request has read, by table. They name the account of a rejected sign-in. */
export type Subjects = ReadonlyMap<string, string>;

type AuthCall = {
  reads: Map<string, Promise<unknown>>;
  isEarly: boolean;
  created: { session: CreatedSession | null };
  deletedUsers: Set<string>;
  origin: Origin;
  subjects: Map<string, string>;
  sessionTokens: Set<unknown>;
};

const calls = new AsyncLocalStorage<AuthCall>();

const newCall = (origin: Origin): AuthCall => ({
  reads: new Map(),
  isEarly: false,
  created: { session: null },
  deletedUsers: new Set(),
  origin,
  subjects: new Map(),
  sessionTokens: new Set(),
});

type AuthCallOptions = {
  early?: (() => Promise<unknown>) | null;
  origin?: Origin;
};

export async function runAuthCall<Result>(
  run: () => Promise<Result>,
  { early = null, origin = {} }: AuthCallOptions = {},
): Promise<{ result: Result; session: CreatedSession | null; subjects: Subjects }> {
  const call = newCall(origin);
  if (early) void calls.run({ ...call, isEarly: true }, early).catch(() => {});
  const result = await calls.run(call, run);
  return { result, session: call.created.session, subjects: call.subjects };
}

export const asOperator = <Result>(userId: string, run: () => Promise<Result>): Promise<Result> =>
  calls.run(newCall({ actor: "operator", userId }), run);

/** Returns the argument that names the origin of a write. `deletedSession` is the token of a session that the write deletes. */
export function authRequest(deletedSession?: unknown): { request?: Origin } {
  const call = calls.getStore();
  if (!call) return {};
  const endsOwnSession = deletedSession !== undefined && call.sessionTokens.has(deletedSession);
  return { request: { ...call.origin, ...(endsOwnSession && { endsOwnSession }) } };
}

export function callerNetwork(): { address?: string } {
  const address = calls.getStore()?.origin.address;
  return address === undefined ? {} : { address };
}

export function recordOrigin(more: Pick<Origin, "provider" | "replacesSession">): void {
  const call = calls.getStore();
  if (call) Object.assign(call.origin, more);
}

export const recordNewSessionToken = (token: unknown): void => void calls.getStore()?.sessionTokens.add(token);

export function recordSubject(model: string, row: unknown): void {
  if (typeof row !== "object" || row === null) return;
  const id: unknown = Reflect.get(row, model === "users" ? "id" : "userId");
  if (typeof id === "string") calls.getStore()?.subjects.set(model, id);
}

/** Returns the result of an earlier read with the same arguments in this request. Only early reads and session reads are cached. */
export function readCached<Result>(args: { model: string }, read: () => Promise<Result>): Promise<Result> {
  const call = calls.getStore();
  if (!call) return read();
  const key = JSON.stringify(args);
  const cached = call.reads.get(key) as Promise<Result> | undefined;
  if (cached) return cached;
  const answer = read();
  if (call.isEarly || args.model === "sessions") {
    answer.catch(() => call.reads.delete(key));
    call.reads.set(key, answer);
  }
  return answer;
}

export const clearCachedReads = (): void => calls.getStore()?.reads.clear();

export const recordDeletedUser = (userId: string): void => void calls.getStore()?.deletedUsers.add(userId);

export const isDeletedUser = (userId: unknown): boolean =>
  typeof userId === "string" && calls.getStore()?.deletedUsers.has(userId) === true;

export function recordNewSession(session: CreatedSession | null): void {
  const call = calls.getStore();
  if (call) call.created.session = session;
}
