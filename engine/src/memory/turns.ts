const MAX_TURN_MS = 15_000;

export class Turn {
  isWaiting = true;
  readonly address: string | null;

  constructor(address: string | null) {
    this.address = address;
  }
}

/** Grants one turn at a time, in order of arrival, but no two in a row to one address while another waits. */
export class Turns {
  readonly #waiting: Turn[] = [];
  readonly #maxTurnMs: number;
  #current: Turn | null = null;
  #lastAddress: string | null = null;
  #expiry: NodeJS.Timeout | undefined;

  constructor(maxTurnMs = MAX_TURN_MS) {
    this.#maxTurnMs = maxTurnMs;
  }

  request(address: string | null): Turn {
    const turn = new Turn(address);
    this.#waiting.push(turn);
    this.#grantNext();
    return turn;
  }

  end(turn: Turn): void {
    if (turn === this.#current) this.#pass();
    if (!turn.isWaiting) return;
    this.#waiting.splice(this.#waiting.indexOf(turn), 1);
    turn.isWaiting = false;
  }

  #pass(): void {
    clearTimeout(this.#expiry);
    this.#current = null;
    this.#grantNext();
  }

  #grantNext(): void {
    if (this.#current) return;
    const others = this.#waiting.findIndex(({ address }) => address !== this.#lastAddress);
    const [next] = this.#waiting.splice(Math.max(0, others), 1);
    if (!next) return;
    next.isWaiting = false;
    this.#current = next;
    this.#lastAddress = next.address;
    this.#expiry = setTimeout(() => this.#pass(), this.#maxTurnMs).unref();
  }
}
