import { ServiceError } from '@receipts/kernel';
import { integer, text } from './query-parameters';

/** The number of entries per page; 100 is both the default and the maximum. */
export const pageCount = integer({
  min: 1,
  max: 100,
  description: 'The maximum number of entries per page. Defaults to 100.',
  example: 20,
}).optional();

/** The cursor of the next page. */
export const pageCursor = (max: number) =>
  text({
    max,
    description: 'The cursor of the next page, taken from `_links.next` of the previous page.',
    example: '6a1f3c2b9d4e5f60718293a4',
  }).optional();

/** The cursor of the next page of a list whose entries have numbers. */
export const olderNumber = integer({
  min: 1,
  max: Number.MAX_SAFE_INTEGER,
  description: 'The number of the last entry on the previous page, taken from `_links.next`.',
  example: 42,
}).optional();

/** The error for a cursor that was never issued. */
export const unknownCursor = {
  status: 400,
  code: 'unknown_cursor',
  description: 'the cursor is unknown',
};

/** @param parameter the query parameter that holds the cursor */
export function unknownCursorIn(parameter: string): ServiceError {
  const message = 'is unknown: use a value from an earlier response';
  return new ServiceError(unknownCursor, {
    description: `${parameter} ${message}`,
    errors: [{ path: `/${parameter}`, code: unknownCursor.code, message }],
  });
}
