import { AsyncLocalStorage } from "node:async_hooks";
import type { CreatedSession } from "../session/session.server";

type AuthCall = {
  kept: Map<string, Promise<unknown>>;
  isEarly: boolean;
  created: { session: CreatedSession | null };
  deletedUsers: Set<string>;
};

const calls = new AsyncLocalStorage<AuthCall>();

/** Runs a request of Better Auth. `early` reads what the request needs, in parallel with the rate limit check. */
export async function runAuthCall<Result>(
  run: () => Promise<Result>,
  early: (() => Promise<unknown>) | null,
): Promise<{ result: Result; session: CreatedSession | null }> {
  const call: AuthCall = { kept: new Map(), isEarly: false, created: { session: null }, deletedUsers: new Set() };
  if (early) void calls.run({ ...call, isEarly: true }, early).catch(() => {});
  const result = await calls.run(call, run);
  return { result, session: call.created.session };
}

/** Returns the result of an earlier read with the same arguments in this request. Only early reads and session reads are cached. */
export function readCached<Result>(args: { model: string }, read: () => Promise<Result>): Promise<Result> {
  const call = calls.getStore();
  if (!call) return read();
  const key = JSON.stringify(args);
  const kept = call.kept.get(key) as Promise<Result> | undefined;
  if (kept) return kept;
  const answer = read();
  if (call.isEarly || args.model === "sessions") {
    answer.catch(() => call.kept.delete(key));
    call.kept.set(key, answer);
  }
  return answer;
}

export const forgetReads = (): void => calls.getStore()?.kept.clear();

/** Records a deleted user, whose rows need no further call in this request. */
export const noteDeletedUser = (userId: string): void => void calls.getStore()?.deletedUsers.add(userId);

export const isDeletedUser = (userId: unknown): boolean =>
  typeof userId === "string" && calls.getStore()?.deletedUsers.has(userId) === true;

export function noteNewSession(session: CreatedSession | null): void {
  const call = calls.getStore();
  if (call) call.created.session = session;
}
