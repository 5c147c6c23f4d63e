import { elapsed } from "../../elapsed.ts";
import { qualifiedPath } from "../paths.ts";
import type { Question } from "./transactor-protocol.ts";

const SLOW_FOR_MS = 60_000;
const PAUSE_MS = 250;

/** Runs calls of slow functions one at a time. Other callers' calls run before those of callers that were slow. */
export class SlowLane {
  readonly #slowUntil = new Map<string, number>();
  readonly #slowCallers = new Map<string, number>();
  #waiting: Question[] = [];
  #running: Question | null = null;
  #pause: NodeJS.Timeout | null = null;
  readonly #onDue: () => void;

  constructor(onDue: () => void) {
    this.#onDue = onDue;
  }

  get waiting(): readonly Question[] {
    return this.#waiting;
  }

  add(question: Question, call: number): void {
    const path = pathsOf(question)[call];
    if (path === undefined) return;
    const until = elapsed() + SLOW_FOR_MS;
    this.#slowUntil.set(path, until);
    const caller = callersOf(question)[call];
    if (caller !== undefined) this.#slowCallers.set(caller, until);
  }

  /** Pauses after a stopped call, so that no call with several steps, such as an action, waits for a stopped call at each step. */
  pause(): void {
    clearTimeout(this.#pause ?? undefined);
    this.#pause = setTimeout(() => {
      this.#pause = null;
      this.#onDue();
    }, PAUSE_MS);
  }

  /** Queues the question if it must wait, and returns whether it does. A session's mutations keep their order. */
  tryQueue(question: Question): boolean {
    if (this.#slowUntil.size === 0) return false;
    const isSlow = pathsOf(question).some((path) => isCurrent(this.#slowUntil, path)) || this.#hasEarlierMutation(question);
    if (isSlow) this.#waiting.push(question);
    return isSlow;
  }

  next(): Question | null {
    if (this.#running || this.#pause) return null;
    const index = this.#waiting.findIndex((question, position) => this.#isFirst(question, position));
    [this.#running = null] = this.#waiting.splice(Math.max(0, index), 1);
    return this.#running;
  }

  #isFirst(question: Question, position: number): boolean {
    const callers = callersOf(question);
    if (callers.length > 0 && callers.every((caller) => isCurrent(this.#slowCallers, caller))) return false;
    const session = sessionOf(question);
    return session === null || !this.#waiting.slice(0, position).some((other) => sessionOf(other) === session);
  }

  end(id: number): void {
    if (this.#running?.id !== id) return;
    this.#running = null;
    this.#onDue();
  }

  clear(): void {
    this.#waiting = [];
    this.#running = null;
  }

  #hasEarlierMutation(question: Question): boolean {
    const session = sessionOf(question);
    return session !== null && [this.#running, ...this.#waiting].some((other) => other && sessionOf(other) === session);
  }
}

function isCurrent(until: Map<string, number>, key: string): boolean {
  const end = until.get(key);
  if (end === undefined) return false;
  if (end > elapsed()) return true;
  until.delete(key);
  return false;
}

export function nameOf(question: Question, call: number): string {
  if (question.kind === "runJob") return "a scheduled function";
  return question.kind === "runCron"
    ? `cron "${question.params.name}"${question.params.component && ` of ${question.params.component}`}`
    : (pathsOf(question)[call] ?? question.kind);
}

/** Returns the paths of a question. Those of jobs and crons are unknown on the main thread, so all of a kind count as one function. */
function pathsOf(question: Question): string[] {
  if (question.kind === "queries") return question.params.calls.map(({ path, component }) => qualifiedPath(path, component));
  if (question.kind === "mutation") return [qualifiedPath(question.params.call.path, question.params.call.component)];
  return question.kind === "runJob" || question.kind === "runCron" ? [question.kind] : [];
}

function callersOf(question: Question): string[] {
  const calls = question.kind === "queries" ? question.params.calls : question.kind === "mutation" ? [question.params.call] : [];
  return calls.map(({ identity }) => (identity.kind === "user" ? identity.user.tokenIdentifier : identity.kind));
}

const sessionOf = (question: Question): string | null => (question.kind === "mutation" ? (question.params.once?.sessionId ?? null) : null);
