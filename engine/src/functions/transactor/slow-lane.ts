import { elapsed } from "../../elapsed.ts";
import { qualifiedPath } from "../paths.ts";
import type { TransactorRequest } from "./transactor-protocol.ts";

const SLOW_FOR_MS = 60_000;
const PAUSE_MS = 250;

/** Runs calls of slow functions one at a time. Other callers' calls run before those of callers that were slow. */
export class SlowLane {
  readonly #slowUntil = new Map<string, number>();
  readonly #slowCallers = new Map<string, number>();
  #waiting: TransactorRequest[] = [];
  #running: TransactorRequest | null = null;
  #pause: NodeJS.Timeout | null = null;
  readonly #onDue: () => void;

  constructor(onDue: () => void) {
    this.#onDue = onDue;
  }

  get waiting(): readonly TransactorRequest[] {
    return this.#waiting;
  }

  add(request: TransactorRequest, call: number): void {
    const path = pathsOf(request)[call];
    if (path === undefined) return;
    const until = elapsed() + SLOW_FOR_MS;
    this.#slowUntil.set(path, until);
    const caller = callersOf(request)[call];
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

  /** Queues the request if it must wait, and returns whether it does. A session's mutations keep their order. */
  tryQueue(request: TransactorRequest): boolean {
    if (this.#slowUntil.size === 0) return false;
    const isSlow = pathsOf(request).some((path) => isCurrent(this.#slowUntil, path)) || this.#hasEarlierMutation(request);
    if (isSlow) this.#waiting.push(request);
    return isSlow;
  }

  next(): TransactorRequest | null {
    if (this.#running || this.#pause) return null;
    const index = this.#waiting.findIndex((request, position) => this.#isFirst(request, position));
    [this.#running = null] = this.#waiting.splice(Math.max(0, index), 1);
    return this.#running;
  }

  #isFirst(request: TransactorRequest, position: number): boolean {
    const callers = callersOf(request);
    if (callers.length > 0 && callers.every((caller) => isCurrent(this.#slowCallers, caller))) return false;
    const session = sessionOf(request);
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

  #hasEarlierMutation(request: TransactorRequest): boolean {
    const session = sessionOf(request);
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

export function nameOf(request: TransactorRequest, call: number): string {
  if (request.kind === "runJob") return "a scheduled function";
  return request.kind === "runCron"
    ? `cron "${request.params.name}"${request.params.component && ` of ${request.params.component}`}`
    : (pathsOf(request)[call] ?? request.kind);
}

/** Returns the paths of a request. Those of jobs and crons are unknown on the main thread, so all of a kind count as one function. */
function pathsOf(request: TransactorRequest): string[] {
  if (request.kind === "queries") return request.params.calls.map(({ path, component }) => qualifiedPath(path, component));
  if (request.kind === "mutation") return [qualifiedPath(request.params.call.path, request.params.call.component)];
  return request.kind === "runJob" || request.kind === "runCron" ? [request.kind] : [];
}

function callersOf(request: TransactorRequest): string[] {
  const calls = request.kind === "queries" ? request.params.calls : request.kind === "mutation" ? [request.params.call] : [];
  return calls.map(({ identity }) => (identity.kind === "user" ? identity.user.tokenIdentifier : identity.kind));
}

const sessionOf = (request: TransactorRequest): string | null =>
  request.kind === "mutation" ? (request.params.once?.sessionId ?? null) : null;
