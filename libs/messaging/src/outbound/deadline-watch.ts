/** Deadlines are kept to this precision; one timer serves them all. */
const precisionMs = 20;

export interface Waiting {
  /** Epoch milliseconds. */
  readonly deadline: number;
  readonly settled: boolean;
  /** Called once the deadline has passed; must settle. */
  expire(): void;
}

/** Ends what has waited past its deadline, with one timer instead of one for each call. */
export class DeadlineWatch {
  readonly #waiting = new Set<Waiting>();
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  get size(): number {
    return this.#waiting.size;
  }

  add(waiting: Waiting): void {
    this.#waiting.add(waiting);
    this.#timer ??= setInterval(() => this.#sweep(), precisionMs);
  }

  remove(waiting: Waiting): void {
    this.#waiting.delete(waiting);
  }

  #sweep(): void {
    const now = this.#now();
    for (const waiting of this.#waiting) {
      if (waiting.deadline > now) continue;
      this.#waiting.delete(waiting);
      waiting.expire();
    }
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
