/** The maximum number and total size of the items in one message. */
export interface MessageLimits {
  readonly itemsMax: number;
  readonly bytesMax: number;
}

/**
 * The number of items from the start that fit into one message: at least one, so an item that exceeds the size limit is
 * sent alone.
 */
export function countThatFits<T>(
  items: readonly T[],
  { itemsMax, bytesMax }: MessageLimits,
  bytesOf: (item: T) => number,
): number {
  let bytes = 0;
  let count = 0;
  for (const item of items) {
    bytes += bytesOf(item);
    if (count === itemsMax || (count > 0 && bytes > bytesMax)) break;
    count++;
  }
  return count;
}

/** Splits items into messages. */
export function fillMessages<T>(
  items: readonly T[],
  limits: MessageLimits,
  bytesOf: (item: T) => number,
): T[][] {
  const messages: T[][] = [];
  const left = [...items];
  while (left.length > 0) messages.push(left.splice(0, countThatFits(left, limits, bytesOf)));
  return messages;
}

/**
 * Handles a batch. If that fails as a whole, its items are handled one by one, so that one bad item does not fail the
 * others.
 * @param toResult the result of an item whose handling failed
 * @param isAnswer whether an error is the reply to all items
 */
export async function handleBatch<I, R>(
  items: readonly I[],
  handle: (items: readonly I[]) => Promise<readonly R[]>,
  toResult: (error: unknown) => R,
  isAnswer: (error: unknown) => boolean = () => false,
): Promise<readonly R[]> {
  try {
    return await handle(items);
  } catch (error) {
    if (items.length === 1 || isAnswer(error))
      return items.map(() => toResult(error ?? new Error('the handler failed')));
    const results: R[] = [];
    for (const item of items) results.push(...(await handleBatch([item], handle, toResult)));
    return results;
  }
}
