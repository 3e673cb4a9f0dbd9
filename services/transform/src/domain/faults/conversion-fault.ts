import type { FailureReason } from '@receipts/contracts';

/** One thing that is wrong with a mapping, or with what it made of a packet. */
export interface ConversionFault {
  /** A JSON Pointer into the mapping or into the receipts. */
  readonly path: string;
  readonly code: string;
  readonly message: string;
  /** The line of the raw data or of the expression, from 1, where that is known. */
  readonly line?: number;
}

/** The text of a fault never grows with the data that caused it. */
const messageCharactersMax = 500;

export function faultOf(path: string, code: string, message: string, line?: number): ConversionFault {
  return { path, code, message: message.slice(0, messageCharactersMax), ...(line !== undefined && { line }) };
}

/** A packet can not be converted: an outcome, not an unexpected error. */
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
