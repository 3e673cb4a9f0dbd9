import { createHmac, randomUUID } from 'node:crypto';

/** A bearer client that creates its tokens locally: its key, which is a token's `kid`, and its secret in base64. */
export interface BearerKey {
  readonly kid: string;
  readonly secret: string;
}

/** A client for URL signatures: its key, and its secret in base64. */
export interface SignatureKey {
  readonly key: string;
  readonly secret: string;
}

export interface SignatureScope {
  /** Restricts the signature to these consumers (1 to 5). */
  readonly consumer?: string | readonly string[];
  /** The validity of the signature; at most a day, or the client's `signature_max_age`. */
  readonly lifetimeSeconds?: number;
}

const tokenLifetimeSeconds = 3600;
const signatureLifetimeSeconds = 3600;

const hmac = (secret: string, message: string) =>
  createHmac('sha256', Buffer.from(secret, 'base64')).update(message);

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/**
 * A bearer token (JSON Web Token, HS256).
 * @param nowMs epoch milliseconds
 */
export function bearerToken(
  { kid, secret }: BearerKey,
  lifetimeSeconds: number = tokenLifetimeSeconds,
  nowMs: number = Date.now(),
): string {
  const now = Math.floor(nowMs / 1000);
  const header = base64url({ alg: 'HS256', typ: 'JWT', kid });
  const payload = base64url({ iat: now, exp: now + lifetimeSeconds, jti: randomUUID() });
  return `${header}.${payload}.${hmac(secret, `${header}.${payload}`).digest('base64url')}`;
}

/**
 * The URL with `key`, `expires`, `signature` and, if restricted, `consumer`: a back end returns it to an end user's
 * device. An existing `consumer` in the URL is also signed.
 * @param nowMs epoch milliseconds
 */
export function signUrl(
  url: string | URL,
  { key, secret }: SignatureKey,
  { consumer, lifetimeSeconds = signatureLifetimeSeconds }: SignatureScope = {},
  nowMs: number = Date.now(),
): string {
  const signed = new URL(url);
  const { searchParams: query } = signed;
  if (consumer !== undefined)
    query.set('consumer', typeof consumer === 'string' ? consumer : consumer.join(','));
  const expires = String(Math.floor(nowMs / 1000) + lifetimeSeconds);
  const confinedTo = query.get('consumer');
  const message = [key, ...(confinedTo === null ? [] : [confinedTo]), expires].join('\n');
  query.set('key', key);
  query.set('expires', expires);
  query.set('signature', hmac(secret, message).digest('base64'));
  return signed.href;
}
