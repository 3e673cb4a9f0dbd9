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
