/** The MongoDB error codes that this server uses. */
export const codeNames: Readonly<Record<number, string>> = {
  1: 'InternalError',
  2: 'BadValue',
  8: 'UnknownError',
  9: 'FailedToParse',
  13: 'Unauthorized',
  14: 'TypeMismatch',
  15: 'Overflow',
  18: 'AuthenticationFailed',
  20: 'IllegalOperation',
  22: 'InvalidBSON',
  26: 'NamespaceNotFound',
  28: 'PathNotViable',
  40: 'ConflictingUpdateOperators',
  43: 'CursorNotFound',
  48: 'NamespaceExists',
  50: 'MaxTimeMSExpired',
  52: 'DollarPrefixedFieldName',
  54: 'NotSingleValueField',
  56: 'EmptyFieldName',
  59: 'CommandNotFound',
  66: 'ImmutableField',
  67: 'CannotCreateIndex',
  73: 'InvalidNamespace',
  85: 'IndexOptionsConflict',
  86: 'IndexKeySpecsConflict',
  91: 'ShutdownInProgress',
  112: 'WriteConflict',
  168: 'InvalidPipelineOperator',
  171: 'CannotIndexParallelArrays',
  175: 'QueryPlanKilled',
  197: 'InvalidIndexSpecificationOption',
  201: 'CursorInUse',
  334: 'MechanismUnavailable',
  292: 'QueryExceededMemoryLimitNoDiskUseAllowed',
  10334: 'BSONObjectTooLarge',
  11000: 'DuplicateKey',
  14031: 'OutOfDiskSpace',
};

/** An error that is returned to the client. */
export class MongoError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }

  get codeName(): string {
    return codeNames[this.code] ?? `Location${this.code}`;
  }
}

/** Code 2: an argument is invalid. */
export const badValue = (message: string): MongoError => new MongoError(2, message);
/** Code 9: the input cannot be parsed. */
export const failedToParse = (message: string): MongoError => new MongoError(9, message);
/** Code 14: a value has the wrong type. */
export const typeMismatch = (message: string): MongoError => new MongoError(14, message);
