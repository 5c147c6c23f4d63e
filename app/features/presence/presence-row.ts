export type RowState = { itemId: string; isAway: boolean; isWatching: boolean };

export type RowConnection = {
  isConnected: () => boolean;
  update: (state: RowState & { isNew: boolean }) => Promise<boolean>;
  leave: () => Promise<unknown>;
};

/** Interval of writes while nothing changes, in milliseconds. The deployment deletes a row after 25 s. */
export const HEARTBEAT_MS = 10_000;

/** Synchronizes this tab's row in the deployment with the last state. Sends one call at a time, and a heartbeat every `HEARTBEAT_MS`. */
export class PresenceRow {
  readonly #connection: RowConnection;
  #state: RowState | null = null;
  #exists = false;
  #isSending = false;
  #isChanged = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(connection: RowConnection) {
    this.#connection = connection;
  }

  set(state: RowState | null): void {
    this.#state = state;
    this.#isChanged = true;
    void this.#send();
  }

  renew(): void {
    if (this.#state) void this.#send();
  }

  close(): boolean {
    const mayExist = this.#exists || this.#isSending;
    this.#state = null;
    this.#exists = false;
    this.#isChanged = false;
    clearTimeout(this.#timer);
    return mayExist;
  }

  async #send(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    clearTimeout(this.#timer);
    do {
      this.#isChanged = false;
      await this.#sendOnce();
    } while (this.#isChanged);
    this.#isSending = false;
    if (this.#state) this.#timer = setTimeout(() => void this.#send(), HEARTBEAT_MS);
  }

  async #sendOnce(): Promise<void> {
    const state = this.#state;
    if (!this.#connection.isConnected()) return;
    try {
      if (state === null) {
        if (this.#exists) await this.#connection.leave();
        this.#exists = false;
        return;
      }
      const wasNew = !this.#exists;
      this.#exists = await this.#connection.update({ ...state, isNew: wasNew });
      // The deployment has deleted the row, for example while this machine slept.
      if (!this.#exists && !wasNew) this.#isChanged = true;
    } catch {
      // The access has ended or the item is deleted. The next beat tries again with the current state.
    }
  }
}
