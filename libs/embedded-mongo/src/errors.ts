/** Plain values, for example `keyPattern` and `keyValue` of a duplicate key. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

/** An error that is returned to the client, with MongoDB's code for it. */
export class MongoError extends Error {
  /** @param details further members of the error's document */
  constructor(
    readonly code: number,
    message: string,
    readonly details: ErrorDetails = {},
  ) {
    super(message);
  }
}

/** Code 2: an argument is invalid. */
export const badValue = (message: string): MongoError => new MongoError(2, message);
/** Code 9: the input cannot be parsed. */
export const failedToParse = (message: string): MongoError => new MongoError(9, message);
/** Code 14: a value has the wrong type. */
export const typeMismatch = (message: string): MongoError => new MongoError(14, message);
