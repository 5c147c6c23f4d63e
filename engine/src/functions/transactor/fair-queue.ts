import { shareKey, SHARE_MS } from "./caller-share.ts";
import type { TransactorRequest } from "./transactor-protocol.ts";

type Dropped = { drop: string[] };

/** A caller over the share gets one millisecond in `PACE` while others wait. */
const PACE = 4;
const AHEAD_MS = SHARE_MS * (PACE - 1);
/** Maximum number of callers in memory. Above it, callers within their share are removed. */
const CALLERS_MAX = 1_000;

/** Requests in order of arrival, except that those of callers over their share wait for others. Times are in ms. */
export class FairQueue {
  #arrived: (TransactorRequest | Dropped)[] = [];
  readonly #delayed = new Map<string, TransactorRequest[]>();
  /** The time at which each caller's used time expires. Each used millisecond expires after `PACE` milliseconds. */
  readonly #usedUntil = new Map<string, number>();
  /** Callers by session, for sessions with delayed mutations: their later mutations wait too, also after a change of identity. */
  readonly #sessions = new Map<string, { caller: string; count: number }>();

  get isEmpty(): boolean {
    return this.#arrived.length === 0 && this.#delayed.size === 0;
  }

  get hasArrived(): boolean {
    return this.#arrived.length > 0;
  }

  add(requests: (TransactorRequest | Dropped)[]): void {
    for (const request of requests) this.#arrived.push(request);
  }

  next(now: number): TransactorRequest | Dropped | null {
    const due = this.#firstDelayed(now);
    if (due) return due;
    for (;;) {
      const request = this.#arrived.shift();
      if (!request) return this.#firstDelayed(Infinity);
      if ("drop" in request) return request;
      const caller = this.#delayedSession(request) ?? callerOf(request);
      if (caller === null || (!this.#delayed.has(caller) && !this.#isOverShare(caller, now))) return request;
      this.#delay(request, caller);
    }
  }

  charge(request: TransactorRequest, ms: number, now: number): void {
    const caller = callerOf(request);
    if (caller === null) return;
    if (this.#usedUntil.size >= CALLERS_MAX) this.#removeExpired(now);
    this.#usedUntil.set(caller, Math.max(this.#usedUntil.get(caller) ?? 0, now - ms) + ms * PACE);
  }

  #isOverShare(caller: string, now: number): boolean {
    return (this.#usedUntil.get(caller) ?? 0) - now > AHEAD_MS;
  }

  #delay(request: TransactorRequest, caller: string): void {
    const requests = this.#delayed.get(caller);
    if (requests) requests.push(request);
    else this.#delayed.set(caller, [request]);
    const session = sessionOf(request);
    if (session !== null) this.#sessions.set(session, { caller, count: (this.#sessions.get(session)?.count ?? 0) + 1 });
  }

  #firstDelayed(now: number): TransactorRequest | null {
    if (this.#delayed.size === 0) return null;
    const usedUntil = (caller: string): number => this.#usedUntil.get(caller) ?? 0;
    let first: string | undefined;
    for (const caller of this.#delayed.keys()) if (first === undefined || usedUntil(caller) < usedUntil(first)) first = caller;
    if (first === undefined || this.#isOverShare(first, now)) return null;
    const requests = this.#delayed.get(first) ?? [];
    const request = requests.shift() ?? null;
    if (requests.length === 0) this.#delayed.delete(first);
    const session = request && sessionOf(request);
    const waiting = session === null ? undefined : this.#sessions.get(session);
    if (session !== null && waiting && --waiting.count === 0) this.#sessions.delete(session);
    return request;
  }

  #delayedSession(request: TransactorRequest): string | null {
    const session = this.#sessions.size === 0 ? null : sessionOf(request);
    return session === null ? null : (this.#sessions.get(session)?.caller ?? null);
  }

  #removeExpired(now: number): void {
    for (const [caller, until] of this.#usedUntil) if (until <= now) this.#usedUntil.delete(caller);
  }
}

/** The caller of jobs and crons, whose users the deployment does not store. */
const SCHEDULER = "scheduled functions";

/** Returns null also for rounds of subscriptions, whose callers `Transactor.queries` limits. */
function callerOf(request: TransactorRequest): string | null {
  if (request.kind === "runJob" || request.kind === "runCron") return SCHEDULER;
  if (request.kind === "mutation") return shareKey(request.params.call.identity);
  const [first] = request.kind === "queries" && !request.params.isRound ? request.params.calls : [];
  return first ? shareKey(first.identity) : null;
}

const sessionOf = (request: TransactorRequest): string | null =>
  request.kind === "mutation" ? (request.params.once?.sessionId ?? null) : null;
