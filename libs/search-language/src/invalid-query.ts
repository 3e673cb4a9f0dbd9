import { ServiceError } from '@receipts/kernel';

/** The only error of this library. The description states where and why a query is invalid. */
const invalidQueryError = { status: 400, code: 'invalid_query', description: 'invalid query' };

/** An error with a complete description, such as `invalid query: foo is not a valid field`. */
export function invalidQuery(detail: string): ServiceError {
  return new ServiceError(invalidQueryError, { description: `invalid query: ${detail}` });
}

/**
 * An error at a position in the query. Positions are counted from 1 in code points, so that they are correct after an
 * emoji, too.
 * @param offset index into `text`, in UTF-16 units.
 */
export function invalidQueryAt(detail: string, text: string, offset: number): ServiceError {
  return invalidQuery(`${detail} at character ${Array.from(text.slice(0, offset)).length + 1}`);
}
