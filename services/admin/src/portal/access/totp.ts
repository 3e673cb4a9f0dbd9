import { createHash, randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

const periodSeconds = 30;
/** Codes of the previous and the next period are accepted too, because the clocks of phones differ. */
const periodsAround = 1;
const secretBytes = 20;
const recoveryCodes = 10;
const recoveryBytes = 10;

const totpOf = (secret: string, label = '', issuer = '') =>
  new TOTP({ issuer, label, period: periodSeconds, secret: Secret.fromBase32(secret) });

/** A new secret of an authenticator, in base32. */
export const newTotpSecret = (): string => new Secret({ size: secretBytes }).base32;

/** The address that an authenticator reads from a QR code. */
export const totpAddress = (secret: string, label: string, issuer: string): string =>
  totpOf(secret, label, issuer).toString();

/**
 * The number of the period for which a code is right (RFC 6238); undefined for a wrong code. Each period may be used
 * once, so that a code that was overheard is worth nothing.
 */
export function periodOf(secret: string, code: string, now: Date): number | undefined {
  const token = code.replace(/\s/g, '');
  if (!/^\d{6}$/.test(token)) return undefined;
  const delta = totpOf(secret).validate({ token, timestamp: now.getTime(), window: periodsAround });
  return delta === null ? undefined : Math.floor(now.getTime() / 1000 / periodSeconds) + delta;
}

/** Codes for users who have lost their authenticator, each valid once. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodes }, () => {
    const text = new Secret({ buffer: new Uint8Array(randomBytes(recoveryBytes)).buffer }).base32;
    return text.toLowerCase().match(/.{4}/g)?.join('-') ?? text;
  });
}

/** Recovery codes are stored as hashes. They have 80 random bits, so a slow hash is not needed. */
export function recoveryHash(code: string): string {
  const text = code.toLowerCase().replace(/[^a-z2-7]/g, '');
  return createHash('sha256').update(text).digest('base64url');
}
