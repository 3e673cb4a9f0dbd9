import { createHash } from 'node:crypto';
import {
  idempotencyMismatch,
  longNumbersIn,
  parseExactly,
  ServiceError,
  type Call,
  type ContractShape,
  type RequestKey,
} from '@receipts/kernel';

/**
 * JSON with the members of every object sorted by name, so that equal values have equal text. Undefined
 * members are omitted, as in JSON.stringify.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members: string[] = [];
  const object = value as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(object).sort()) {
    if (object[name] !== undefined) members.push(`${JSON.stringify(name)}:${canonicalJson(object[name])}`);
  }
  return `{${members.join(',')}}`;
}

/** The parts of a request that identify it: requests with the same fingerprint are the same request. */
export interface Fingerprinted {
  readonly params?: unknown;
  readonly query?: unknown;
  /** A JSON value, or bytes. Bytes are compared directly unless `isJson` says that they contain JSON text. */
  readonly body?: unknown;
}

/** SHA-256 of the canonical form, in base64url. */
export function fingerprint(request: Fingerprinted, isJson: boolean): string {
  const { params, query, body } = request;
  const hash = createHash('sha256').update(canonicalJson([params, query]));
  if (Buffer.isBuffer(body) && !isJson) hash.update('bytes').update(body);
  else {
    const parsed = Buffer.isBuffer(body) ? parseExactly(body.toString('utf8')) : body;
    hash.update('json').update(canonicalJson(parsed)).update(longNumbersIn(parsed).join());
  }
  return hash.digest('base64url');
}

/** How long a retry returns the first reply. */
export const keyKeptMs = 24 * 60 * 60_000;

export function isKeyExpired({ at }: Pick<RequestKey, 'at'>, now: Date): boolean {
  return now.getTime() - at.getTime() > keyKeptMs;
}

export type Contracted = ContractShape & { readonly name: string };

/** False for a contract whose body is raw bytes. */
function bodyIsJson({ body }: ContractShape): boolean {
  return body === undefined || !('kind' in body) || body.kind !== 'bytes';
}

/** The idempotency key of a request; undefined if it has none. Keys are scoped to a principal and a contract. */
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

type KeyUse = Pick<RequestKey, 'fingerprint' | 'at'>;

/**
 * Whether a request is a retry of the request that used its key before. False if the stored key has expired; the caller
 * then releases it.
 * @throws ServiceError 409 if the key is reused for a different request
 */
export function isRepetition(mine: KeyUse, kept: KeyUse): boolean {
  if (isKeyExpired(kept, mine.at)) return false;
  if (mine.fingerprint !== kept.fingerprint) throw new ServiceError(idempotencyMismatch);
  return true;
}
