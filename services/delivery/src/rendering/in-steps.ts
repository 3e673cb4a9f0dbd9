import { EventLoopBudget, runInTurns } from '@receipts/concurrency';

/**
 * The limit for one turn of the event loop, for everything that is rendered at the same time: about 5 ms. The unit is a
 * character of a PDF that is measured or drawn, about 2.5 µs.
 */
const costPerTurnMax = 2_000;
const firstCost = 300;

/** The cost of an item on a page: 60 µs if its texts are long. */
const itemCost = 25;
const itemsAtOnce = 20;

const budget = new EventLoopBudget(costPerTurnMax);

/** Output that is rendered in steps. It yields the cost of each part after rendering it. */
export type Steps<T> = Generator<number, T>;

/** Maps the items of a receipt in steps. */
export function* mapped<T, U>(items: readonly T[], map: (item: T) => U): Steps<readonly U[]> {
  const results: U[] = [];
  for (const item of items) {
    results.push(map(item));
    if (results.length % itemsAtOnce === 0) yield itemsAtOnce * itemCost;
  }
  return results;
}

/**
 * Renders within a budget that all requests share, so that other requests are not delayed.
 * @param signal ends the work; its reason is thrown
 */
export function rendered<T>(steps: Steps<T>, signal?: AbortSignal): Promise<T> {
  return runInTurns(steps, budget, firstCost, signal);
}

/** Renders short output without yielding to other work. */
export function renderedAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const part = steps.next();
    if (part.done === true) return part.value;
  }
}
