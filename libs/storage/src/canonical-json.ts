import { createHash } from 'node:crypto';

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
  /** A JSON value, or bytes. Bytes are compared as they are unless `isJson` says that they contain JSON text. */
  readonly body?: unknown;
}

/** SHA-256 of the canonical form, in base64url. */
export function fingerprint(request: Fingerprinted, isJson: boolean): string {
  const { params, query, body } = request;
  const hash = createHash('sha256').update(canonicalJson([params, query]));
  if (Buffer.isBuffer(body) && !isJson) hash.update('bytes').update(body);
  else
    hash
      .update('json')
      .update(canonicalJson(Buffer.isBuffer(body) ? JSON.parse(body.toString('utf8')) : body));
  return hash.digest('base64url');
}
