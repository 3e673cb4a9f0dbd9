import { createHash } from 'node:crypto';

/**
 * The hash that replaces the identifier of a consumer who was erased: anyone who knows the identifier can recognize the
 * hash.
 */
export const personHash = (identifier: string): string =>
  createHash('sha256').update(identifier).digest('hex');
