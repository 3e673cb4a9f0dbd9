import { createHash } from 'node:crypto';
import {
  idempotencyMismatch,
  ServiceError,
  type Call,
  type ContractShape,
  type RequestKey,
} from '@receipts/kernel';
import { fingerprint, type Fingerprinted } from './canonical-json';

/** For this long a repetition gets the first reply again. */
export const keyKeptMs = 24 * 60 * 60_000;

export type Contracted = ContractShape & { readonly name: string };

/** False for a contract whose body is raw bytes. */
function bodyIsJson({ body }: ContractShape): boolean {
  return body === undefined || !('kind' in body) || body.kind !== 'bytes';
}

/** The idempotency key of a request, if it has one. Keys are scoped to a principal and a contract. */
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
 * Whether a request repeats the one that used its key before. False when the stored key has expired; the
 * caller then releases it.
 * @throws ServiceError 409 when the repeated key comes with a different request
 */
export function isRepetition(mine: RequestKey, kept: RequestKey): boolean {
  if (mine.at.getTime() - kept.at.getTime() > keyKeptMs) return false;
  if (mine.fingerprint !== kept.fingerprint) throw new ServiceError(idempotencyMismatch);
  return true;
}
