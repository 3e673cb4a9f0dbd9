import { ServiceError } from '@receipts/kernel';

/** The error for a cursor that no response has contained. */
export const unknownCursor = {
  status: 400,
  code: 'unknown_cursor',
  description: 'the cursor is unknown',
};

/** @param parameter the query parameter that holds the cursor */
export function unknownCursorIn(parameter: string): ServiceError {
  const message = 'is unknown: use a value from an earlier answer';
  return new ServiceError(unknownCursor, {
    description: `${parameter} ${message}`,
    errors: [{ path: `/${parameter}`, code: unknownCursor.code, message }],
  });
}
