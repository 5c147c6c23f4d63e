import { LARGE_MESSAGE_BYTES } from "./collect-garbage.ts";
import { type Turn, Turns } from "./turns.ts";

/** Clients with and without a token have separate limits, so that anonymous ones cannot exhaust the memory for users. */
const MEBIBYTE = 1024 * 1024;
/** Convex's maximum: arguments of 16 MiB, which are larger as JSON. */
export const MAX_MESSAGE_BYTES = 24 * MEBIBYTE;

export type MemoryLimits = { connection: number; address: number; total: number };
export type Tier = "anonymous" | "authenticated";
export type ExceededLimit = keyof MemoryLimits;

export function memoryLimits(connection = MAX_MESSAGE_BYTES): Record<Tier, MemoryLimits> {
  return {
    anonymous: { connection, address: connection + 8 * MEBIBYTE, total: connection + 56 * MEBIBYTE },
    authenticated: { connection: 64 * MEBIBYTE, address: 256 * MEBIBYTE, total: 512 * MEBIBYTE },
  };
}

type Pool = { limits: MemoryLimits; total: number; addresses: Map<string, number> };

export class MemoryBudget {
  readonly #pools: Record<Tier, Pool>;
  readonly #turns = new Turns();

  constructor(limits: Record<Tier, MemoryLimits> = memoryLimits()) {
    const pool = (tier: Tier): Pool => ({ limits: limits[tier], total: 0, addresses: new Map() });
    this.#pools = { anonymous: pool("anonymous"), authenticated: pool("authenticated") };
  }

  /** @param address null for the trusted proxy's own connections, which have no limit per address */
  open(address: string | null): MemoryAccount {
    return new MemoryAccount(this.#pools, this.#turns, address);
  }

  get total(): number {
    return this.#pools.anonymous.total + this.#pools.authenticated.total;
  }
}

export class MemoryAccount {
  readonly #pools: Record<Tier, Pool>;
  readonly #turns: Turns;
  readonly #address: string | null;
  #turn: Turn | null = null;
  #tier: Tier = "anonymous";
  #bytes = 0;
  #closed = false;

  constructor(pools: Record<Tier, Pool>, turns: Turns, address: string | null) {
    this.#pools = pools;
    this.#turns = turns;
    this.#address = address;
  }

  get limit(): number {
    return this.#pools[this.#tier].limits.connection;
  }

  /** Returns the exceeded limit, if any. Also bytes above a limit count until `close`. */
  resize(bytes: number): ExceededLimit | null {
    if (this.#closed) return null;
    const grows = bytes > this.#bytes;
    this.#add(bytes - this.#bytes);
    return grows ? this.#exceeded() : null;
  }

  get isWaiting(): boolean {
    return this.#turn?.isWaiting ?? false;
  }

  get hasTurn(): boolean {
    return this.#turn !== null;
  }

  setHandling(bytes: number): void {
    if (this.#tier === "anonymous" && bytes >= LARGE_MESSAGE_BYTES) this.#turn ??= this.#turns.request(this.#address);
    else this.#endTurn();
  }

  setTier(tier: Tier): ExceededLimit | null {
    if (tier === this.#tier || this.#closed) return null;
    if (tier === "authenticated") this.#endTurn();
    const bytes = this.#bytes;
    this.#add(-bytes);
    this.#tier = tier;
    this.#add(bytes);
    return this.#exceeded();
  }

  close(): void {
    this.#add(-this.#bytes);
    this.#endTurn();
    this.#closed = true;
  }

  #endTurn(): void {
    if (this.#turn) this.#turns.end(this.#turn);
    this.#turn = null;
  }

  #exceeded(): ExceededLimit | null {
    const { limits, total, addresses } = this.#pools[this.#tier];
    if (this.#bytes > limits.connection) return "connection";
    if (this.#address !== null && (addresses.get(this.#address) ?? 0) > limits.address) return "address";
    return total > limits.total ? "total" : null;
  }

  #add(bytes: number): void {
    const pool = this.#pools[this.#tier];
    this.#bytes += bytes;
    pool.total += bytes;
    if (this.#address === null) return;
    const ofAddress = (pool.addresses.get(this.#address) ?? 0) + bytes;
    if (ofAddress === 0) pool.addresses.delete(this.#address);
    else pool.addresses.set(this.#address, ofAddress);
  }
}
