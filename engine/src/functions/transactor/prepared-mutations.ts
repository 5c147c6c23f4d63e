import type { Commit, Database, ReadSet, Transaction } from "../../transaction/types.ts";
import type { Execution } from "./run-function.ts";
import type { Conflict, WireRun } from "./transactor-protocol.ts";
import type { MutationHooks } from "./transactor.ts";

export type PreparedMutation = {
  run: WireRun;
  transaction: Transaction;
  execution: Execution | null;
  hooks: MutationHooks;
};

type Entry = PreparedMutation & { id: number; token: string; reads: ReadSet; conflict: Conflict | null };

/** Stores mutations between run and commit. A commit that changes data that a mutation has read causes a conflict. */
export class PreparedMutations {
  readonly #database: Database;
  readonly #byId = new Map<number, Entry>();
  readonly #byToken = new Map<string, Entry>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Adds a mutation. `id` must differ from the ids of earlier threads. */
  add(id: number, prepared: PreparedMutation): void {
    const token = `prepared ${id}`;
    const entry: Entry = { ...prepared, id, token, reads: prepared.transaction.readSet(), conflict: null };
    this.#byId.set(id, entry);
    this.#byToken.set(token, entry);
    this.#database.suspend(prepared.transaction, token);
  }

  /** Returns a conflict also for a mutation that a failed write or an ended thread has removed. */
  take(id: number): { conflict: Conflict } | (PreparedMutation & { token: string; conflict: null }) {
    const entry = this.#byId.get(id);
    if (!entry) return { conflict: {} };
    this.#remove(entry);
    if (!entry.conflict) return { ...entry, conflict: null };
    this.#database.unsubscribe(entry.token);
    return { conflict: entry.conflict };
  }

  invalidate({ affected }: Commit, committed: Transaction, path: string | null): string[] {
    return affected.filter((token) => {
      const entry = this.#byToken.get(token);
      if (!entry) return true;
      entry.conflict ??= { ...committed.findConflict(entry.reads), path };
      return false;
    });
  }

  /** Removes all mutations. Call it after a failed write, because they may have read its undone changes. */
  clear(): void {
    for (const entry of this.#byId.values()) {
      this.#remove(entry);
      this.#database.unsubscribe(entry.token);
    }
  }

  #remove({ id, token }: Entry): void {
    this.#byId.delete(id);
    this.#byToken.delete(token);
  }
}
