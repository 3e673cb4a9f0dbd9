import type { FailureReason } from '@receipts/contracts';

/** An error in a mapping, or in the receipts that it produced from a packet. */
export interface ConversionFault {
  /** A JSON Pointer into the mapping or into the receipts. */
  readonly path: string;
  readonly code: string;
  readonly message: string;
  /** The line of the raw data or of the expression, from 1, if known. */
  readonly line?: number;
  /** The part of the data, from 0, if the error belongs to one. */
  readonly part?: number;
}

/** The maximum length of a message, so that it does not grow with the data. */
const messageCharactersMax = 500;

export function faultOf(path: string, code: string, message: string, line?: number): ConversionFault {
  return { path, code, message: message.slice(0, messageCharactersMax), ...(line !== undefined && { line }) };
}

/** The packet cannot be converted. This is an ordinary outcome, not an unexpected error. */
export class ConversionError extends Error {
  constructor(
    readonly reason: FailureReason,
    readonly faults: readonly ConversionFault[],
  ) {
    super(faults[0]?.message ?? reason);
    this.name = 'ConversionError';
  }
}

export function decodeFailed(message: string, line?: number): ConversionError {
  return new ConversionError('decode_failed', [faultOf('/decode', 'decode_failed', message, line)]);
}

export function tooLarge(path: string, message: string): ConversionError {
  return new ConversionError('too_large', [faultOf(path, 'too_large', message)]);
}

/** The fault as one of a part. */
export const inPart = (fault: ConversionFault, part: number): ConversionFault => ({ ...fault, part });
