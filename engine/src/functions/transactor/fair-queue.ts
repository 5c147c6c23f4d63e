import { shareKey, SHARE_MS } from "./caller-share.ts";
import type { Question } from "./transactor-protocol.ts";

type Dropped = { drop: string[] };

/** A caller over the share gets one millisecond in `PACE` while others wait. */
const PACE = 4;
const AHEAD_MS = SHARE_MS * (PACE - 1);
/** Maximum number of callers in memory. Above it, callers within their share are removed. */
const CALLERS_MAX = 1_000;

/** Questions in order of arrival, except that those of callers over their share wait for others. Times are in ms. */
export class FairQueue {
  #arrived: (Question | Dropped)[] = [];
  readonly #delayed = new Map<string, Question[]>();
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

  add(questions: (Question | Dropped)[]): void {
    for (const question of questions) this.#arrived.push(question);
  }

  next(now: number): Question | Dropped | null {
    const due = this.#firstDelayed(now);
    if (due) return due;
    for (;;) {
      const question = this.#arrived.shift();
      if (!question) return this.#firstDelayed(Infinity);
      if ("drop" in question) return question;
      const caller = this.#delayedSession(question) ?? callerOfQuestion(question);
      if (caller === null || (!this.#delayed.has(caller) && !this.#isOverShare(caller, now))) return question;
      this.#delay(question, caller);
    }
  }

  charge(question: Question, ms: number, now: number): void {
    const caller = callerOfQuestion(question);
    if (caller === null) return;
    if (this.#usedUntil.size >= CALLERS_MAX) this.#removeExpired(now);
    this.#usedUntil.set(caller, Math.max(this.#usedUntil.get(caller) ?? 0, now - ms) + ms * PACE);
  }

  #isOverShare(caller: string, now: number): boolean {
    return (this.#usedUntil.get(caller) ?? 0) - now > AHEAD_MS;
  }

  #delay(question: Question, caller: string): void {
    const questions = this.#delayed.get(caller);
    if (questions) questions.push(question);
    else this.#delayed.set(caller, [question]);
    const session = sessionOf(question);
    if (session !== null) this.#sessions.set(session, { caller, count: (this.#sessions.get(session)?.count ?? 0) + 1 });
  }

  #firstDelayed(now: number): Question | null {
    if (this.#delayed.size === 0) return null;
    const usedUntil = (caller: string): number => this.#usedUntil.get(caller) ?? 0;
    let first: string | undefined;
    for (const caller of this.#delayed.keys()) if (first === undefined || usedUntil(caller) < usedUntil(first)) first = caller;
    if (first === undefined || this.#isOverShare(first, now)) return null;
    const questions = this.#delayed.get(first) ?? [];
    const question = questions.shift() ?? null;
    if (questions.length === 0) this.#delayed.delete(first);
    const session = question && sessionOf(question);
    const waiting = session === null ? undefined : this.#sessions.get(session);
    if (session !== null && waiting && --waiting.count === 0) this.#sessions.delete(session);
    return question;
  }

  #delayedSession(question: Question): string | null {
    const session = this.#sessions.size === 0 ? null : sessionOf(question);
    return session === null ? null : (this.#sessions.get(session)?.caller ?? null);
  }

  #removeExpired(now: number): void {
    for (const [caller, until] of this.#usedUntil) if (until <= now) this.#usedUntil.delete(caller);
  }
}

/** The caller of jobs and crons, whose users the deployment does not store. */
const SCHEDULER = "scheduled functions";

/** Returns null also for rounds of subscriptions, whose callers `Transactor.queries` limits. */
function callerOfQuestion(question: Question): string | null {
  if (question.kind === "runJob" || question.kind === "runCron") return SCHEDULER;
  if (question.kind === "mutation") return shareKey(question.params.call.identity);
  const [first] = question.kind === "queries" && !question.params.isRound ? question.params.calls : [];
  return first ? shareKey(first.identity) : null;
}

const sessionOf = (question: Question): string | null => (question.kind === "mutation" ? (question.params.once?.sessionId ?? null) : null);
