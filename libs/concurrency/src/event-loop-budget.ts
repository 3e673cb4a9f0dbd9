interface Waiting {
  readonly cost: number;
  readonly run: () => void;
}

/**
 * Limits the work that is done in one turn of the event loop, across all requests that share the budget, so that other
 * requests are not delayed.
 */
export class EventLoopBudget {
  private spent = 0;
  private isTurning = false;
  private readonly waiting: Waiting[] = [];

  /** @param perTurnMax in the unit of the costs; a single piece of work that costs more gets its own turn */
  constructor(private readonly perTurnMax: number) {}

  /** Does a piece of work immediately if it fits into this turn, otherwise in a later turn, in call order. */
  run<T>(cost: number, work: () => T): T | Promise<T> {
    if (this.waiting.length === 0 && this.fits(cost)) {
      this.charge(cost);
      return work();
    }
    return new Promise((resolve, reject) => {
      const run = () => {
        try {
          resolve(work());
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      this.waiting.push({ cost, run });
    });
  }

  /** Adds cost to this turn, for a piece of work that costs more than estimated. */
  charge(cost: number): void {
    this.spent += cost;
    if (this.isTurning) return;
    this.isTurning = true;
    setImmediate(() => this.turn());
  }

  private fits(cost: number): boolean {
    return this.spent === 0 || this.spent + cost <= this.perTurnMax;
  }

  private turn(): void {
    this.spent = 0;
    this.isTurning = false;
    let first = this.waiting[0];
    while (first && this.fits(first.cost)) {
      this.waiting.shift();
      this.charge(first.cost);
      first.run();
      first = this.waiting[0];
    }
  }
}

/**
 * Runs the parts of a generator within a budget. After each part the generator yields the cost of that part, which is
 * also the estimate for the next part.
 * @param cost the estimate for the first part
 * @param signal ends the work before its next part; its reason is thrown
 */
export async function runInTurns<T>(
  parts: Generator<number, T>,
  budget: EventLoopBudget,
  cost: number,
  signal?: AbortSignal,
): Promise<T> {
  for (let expected = cost; ;) {
    const { done, value } = await budget.run(expected, () => {
      signal?.throwIfAborted();
      const part = parts.next();
      if (part.done !== true) budget.charge(Math.max(0, part.value - expected));
      return part;
    });
    if (done === true) return value;
    expected = value;
  }
}
