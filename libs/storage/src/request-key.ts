import { createHash } from 'node:crypto';
import { idempotencyMismatch, ServiceError, type Call, type RequestKey } from '@receipts/kernel';
import { fingerprint, type Fingerprinted } from './canonical-json';
import { bodyIsJson, keyKeptMs, type Contracted } from './idempotency-records';

/** The key of a request, if it has one. Keys belong to one principal and to one contract. */
export function requestKeyOf(
  contract: Contracted,
  request: Fingerprinted,
  { idempotencyKey, principal }: Pick<Call, 'idempotencyKey' | 'principal'>,
  at: Date,
): RequestKey | undefined {
  if (idempotencyKey === undefined) return undefined;
  const names = [principal.kind, principal.id, contract.name, idempotencyKey];
  const key = createHash('sha256').update(names.join('\n')).digest('base64url');
  return { key, fingerprint: fingerprint(request, bodyIsJson(contract)), at };
}

/**
 * True when a request is a repetition of the one that has used its key before; false when the key is kept no longer and
 * must be released.
 * @throws ServiceError 409 when it asks for something else
 */
export function isRepetition(mine: RequestKey, kept: RequestKey): boolean {
  if (mine.at.getTime() - kept.at.getTime() > keyKeptMs) return false;
  if (mine.fingerprint !== kept.fingerprint) throw new ServiceError(idempotencyMismatch);
  return true;
}
