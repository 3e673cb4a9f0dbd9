import { unknownCursor } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { z } from 'zod';

/** How far somebody has read: new receipts up to a number, and later changes up to a moment and, within it, an id. */
export interface ChangePlace {
  readonly seq: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly id: string;
}

const place = z.tuple([z.int().min(0), z.int().min(0), z.string().max(24)]);

export function printChangePlace({ seq, at, id }: ChangePlace): string {
  return Buffer.from(JSON.stringify([seq, at, id])).toString('base64url');
}

/** @throws ServiceError 400 `unknown_cursor` */
export function readChangePlace(text: string): ChangePlace {
  try {
    const [seq, at, id] = place.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')));
    return { seq, at, id };
  } catch (cause) {
    throw new ServiceError(unknownCursor, { cause });
  }
}
