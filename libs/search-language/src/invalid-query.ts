import { ServiceError } from '@receipts/kernel';

/** The one error of this library: the query is at fault, and the description says where and why. */
const invalidQueryError = { status: 400, code: 'invalid_query', description: 'invalid query' };

/** An error whose text says all by itself, such as `invalid query: foo is not a valid field`. */
export function invalidQuery(detail: string): ServiceError {
  return new ServiceError(invalidQueryError, { description: `invalid query: ${detail}` });
}

/**
 * An error at a place of the query. Characters count from 1, as people count, and by code point, so that the number
 * is right behind an emoji too.
 * @param offset index into `text`, in UTF-16 units.
 */
export function invalidQueryAt(detail: string, text: string, offset: number): ServiceError {
  return invalidQuery(`${detail} at character ${[...text.slice(0, offset)].length + 1}`);
}
