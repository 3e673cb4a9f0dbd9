import { createHmac, randomUUID } from 'node:crypto';

const tokenLifetimeS = 3600;

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A bearer token as integrators create it: HS256 with the base64-decoded secret. */
export function bearerToken(
  client: { key: string; secret: string },
  overrides: { header?: object; payload?: object } = {},
): string {
  const header = { alg: 'HS256', typ: 'JWT', kid: client.key, ...overrides.header };
  const payload = {
    exp: Math.floor(Date.now() / 1000) + tokenLifetimeS,
    jti: randomUUID(),
    ...overrides.payload,
  };
  const signed = `${base64url(header)}.${base64url(payload)}`;
  const signature = createHmac('sha256', Buffer.from(client.secret, 'base64'))
    .update(signed)
    .digest('base64url');
  return `${signed}.${signature}`;
}

export interface SignatureOptions {
  readonly consumer?: string;
  readonly expires?: number | string;
}

/** The query parameters of a signed URL. */
export function signedQuery(
  client: { key: string; secret: string },
  options: SignatureOptions = {},
): Record<string, string> {
  const expires = String(options.expires ?? Math.floor(Date.now() / 1000) + tokenLifetimeS);
  const message = [client.key, ...(options.consumer === undefined ? [] : [options.consumer]), expires].join(
    '\n',
  );
  const signature = createHmac('sha256', Buffer.from(client.secret, 'base64'))
    .update(message)
    .digest('base64');
  return {
    key: client.key,
    ...(options.consumer !== undefined && { consumer: options.consumer }),
    expires,
    signature,
  };
}
