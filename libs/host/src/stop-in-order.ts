import { within } from '@receipts/concurrency';

export interface StopStep {
  readonly name: string;
  /** How much of the whole time is kept for this step, relative to the other steps. */
  readonly weight: number;
  /** @param graceMs how long work in progress may take, in milliseconds */
  readonly stop: (graceMs: number) => unknown;
}

/** The rest of a step's time is for what follows its work in progress, such as closing a connection. */
const gracePart = 0.9;

/**
 * Stops parts in order, altogether within `graceMs`: each step may take what is left, except for what is kept for later
 * steps. A part that fails or takes too long does not prevent the later parts from stopping.
 * @throws Error at the end, if a part failed or took too long
 */
export async function stopInOrder(graceMs: number, steps: readonly StopStep[]): Promise<void> {
  const endsAt = performance.now() + graceMs;
  const wholeWeight = steps.reduce((sum, { weight }) => sum + weight, 0);
  let laterWeight = wholeWeight;
  const errors: Error[] = [];
  for (const { name, weight, stop } of steps) {
    laterWeight -= weight;
    const limitMs = Math.round(endsAt - performance.now() - (graceMs * laterWeight) / wholeWeight);
    try {
      await within(limitMs, `stopping ${name}`, Promise.resolve(stop(limitMs * gracePart)));
    } catch (error) {
      errors.push(error as Error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, errors.map(({ message }) => message).join('; '));
}
