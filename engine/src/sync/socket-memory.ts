import { LARGE_MESSAGE_BYTES } from "../memory/collect-garbage.ts";
import type { ExceededLimit, MemoryAccount } from "../memory/budget.ts";

// `received`: incomplete and waiting messages; `requests`: arguments of running calls; `pending`: `arguments` of queries without a result.
type Part = "received" | "requests" | "arguments" | "pending" | "results" | "unsent";

export class SocketMemory {
  readonly #account: MemoryAccount;
  readonly #onExceeded: (limit: ExceededLimit) => void;
  #closed = false;
  #inHand = 0;
  readonly #parts: Record<Part, number> = { received: 0, requests: 0, arguments: 0, pending: 0, results: 0, unsent: 0 };

  constructor(account: MemoryAccount, onExceeded: (limit: ExceededLimit) => void) {
    this.#account = account;
    this.#onExceeded = onExceeded;
  }

  bytes(part: Part): number {
    return this.#parts[part];
  }

  get limit(): number {
    return this.#account.limit;
  }

  get isWaiting(): boolean {
    const { received, requests, pending } = this.#parts;
    if (this.#account.isWaiting) return true;
    return this.#account.hasTurn && received >= LARGE_MESSAGE_BYTES && requests + pending >= LARGE_MESSAGE_BYTES;
  }

  set(part: Part, bytes: number): void {
    const grows = bytes > this.#parts[part];
    this.#parts[part] = bytes;
    this.#account.setHandling(this.#parts.received + this.#parts.requests + this.#parts.pending + this.#inHand);
    if (this.#closed) return this.#countRequests();
    const { received, requests, arguments: args, results, unsent } = this.#parts;
    // Unsent bytes are mostly results, so only the larger of the two counts.
    const exceeded = this.#account.resize(received + requests + args + Math.max(results, unsent));
    if (exceeded && grows) this.#onExceeded(exceeded);
  }

  add(part: Part, bytes: number): void {
    this.set(part, this.#parts[part] + bytes);
  }

  setInHand(bytes: number): void {
    this.#inHand = bytes;
  }

  setAuthenticated(authenticated: boolean): void {
    if (this.#closed) return;
    const exceeded = this.#account.setTier(authenticated ? "authenticated" : "anonymous");
    if (exceeded) this.#onExceeded(exceeded);
  }

  /** Arguments of running functions count until these end; `idle` resolves when no query of this socket runs. */
  close(idle: Promise<void>): void {
    if (this.#closed) return;
    this.#closed = true;
    const { pending } = this.#parts;
    this.#parts.pending = 0;
    this.#parts.requests += pending;
    if (pending > 0) void idle.then(() => this.add("requests", -pending));
    this.#countRequests();
  }

  #countRequests(): void {
    if (this.#parts.requests > 0) this.#account.resize(this.#parts.requests);
    else this.#account.close();
  }
}
