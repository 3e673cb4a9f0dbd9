import { unknownCursor } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';

/**
 * The position of a reader: new receipts up to a number, and later changes up to a time and, for equal times, an id.
 */
export interface ChangePosition {
  readonly arrival: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly id: string;
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

export function printChangePosition({ arrival, at, id }: ChangePosition): string {
  return Buffer.from(JSON.stringify([arrival, at, id])).toString('base64url');
}

/** @throws ServiceError 400 `unknown_cursor` */
export function readChangePosition(text: string): ChangePosition {
  try {
    const position = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as unknown;
    if (Array.isArray(position)) {
      const [arrival, at, id] = position as unknown[];
      if (isCount(arrival) && isCount(at) && typeof id === 'string') return { arrival, at, id };
    }
  } catch (cause) {
    throw new ServiceError(unknownCursor, { cause });
  }
  throw new ServiceError(unknownCursor);
}
