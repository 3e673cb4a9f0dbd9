import { createPrivateKey, createPublicKey, sign, verify, type JsonWebKey } from 'node:crypto';

/** The type in the header of a proof. */
const type = 'receipt+jwt';
const partPattern = /^[A-Za-z0-9_-]+$/;

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Signs a payload as a compact JWS with ES256 (RFC 7515, RFC 7518). */
export function signProof(payload: object, kid: string, privateKey: JsonWebKey): string {
  const input = `${encoded({ alg: 'ES256', kid, typ: type })}.${encoded(payload)}`;
  const key = createPrivateKey({ key: privateKey, format: 'jwk' });
  const signature = sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}

export interface ReadProof {
  readonly kid: string;
  readonly payload: unknown;
  isSignedWith(publicKey: JsonWebKey): boolean;
}

function jsonIn(part: string): unknown {
  if (!partPattern.test(part)) return undefined;
  const bytes = Buffer.from(part, 'base64url');
  // Base64 can encode the same bytes in several ways; only the canonical encoding is valid.
  if (bytes.toString('base64url') !== part) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Undefined unless the text is a compact JWS with the header of a proof. Only ES256 is accepted. */
export function readProof(text: string): ReadProof | undefined {
  const parts = text.trim().split('.');
  const [header = '', body = '', signature = ''] = parts;
  if (parts.length !== 3 || !partPattern.test(signature)) return undefined;
  const { alg, kid, typ, ...more } = (jsonIn(header) ?? {}) as Readonly<Record<string, unknown>>;
  if (alg !== 'ES256' || typ !== type || typeof kid !== 'string' || Object.keys(more).length > 0)
    return undefined;
  const payload = jsonIn(body);
  if (typeof payload !== 'object' || payload === null) return undefined;
  const bytes = Buffer.from(signature, 'base64url');
  return {
    kid,
    payload,
    isSignedWith(publicKey) {
      if (bytes.toString('base64url') !== signature) return false;
      const key = createPublicKey({ key: publicKey, format: 'jwk' });
      const input = Buffer.from(`${header}.${body}`);
      return verify('sha256', input, { key, dsaEncoding: 'ieee-p1363' }, bytes);
    },
  };
}
