import { createHash } from 'node:crypto';
import { tooManyRevocations } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { changedClient, type ClientRecord } from './client';

/** An issued token. The token itself is not stored. */
export interface TokenRecord {
  readonly jti: string;
  /** The order in which a client's tokens were issued. */
  readonly number: number;
  readonly issued: Date;
  /** null for a token that does not expire. */
  readonly expires: Date | null;
  readonly lastUsed: Date | null;
}

/** The claims of the token, RFC 7519. Times are epoch seconds. */
export interface TokenClaims {
  readonly jti: string;
  readonly iat: number;
  readonly exp?: number;
}

/** How long expired tokens are listed, and their revocations are kept. */
export const expiredTokenKeptMs = 30 * 24 * 60 * 60_000;

const revokedTokensMax = 1000;

function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}

/**
 * The id of the token that a call issues: the same if the call is executed again. It has the form of a version 4 UUID
 * (RFC 9562, section 5.4), as the interface recommends.
 */
export function jtiOf(callId: string): string {
  const hex = createHash('sha256').update(`token of ${callId}`).digest('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(12, 15)}`, `8${hex.slice(15, 18)}`];
  return `${parts.join('-')}-${hex.slice(18, 30)}`;
}

/** A token issued in the same second in which all others were revoked counts as newer than the revocation. */
export function newToken(
  client: ClientRecord,
  jti: string,
  expiresInSeconds: number | undefined,
  now: Date,
): Pick<TokenRecord, 'jti' | 'issued' | 'expires'> {
  const iat = Math.max(secondsOf(now), client.tokens_revoked_before ?? 0);
  const expires =
    expiresInSeconds === undefined ? null : new Date((secondsOf(now) + expiresInSeconds) * 1000);
  return { jti, issued: new Date(iat * 1000), expires };
}

/** The claims of an issued token. */
export function claimsOf({
  jti,
  issued,
  expires,
}: Pick<TokenRecord, 'jti' | 'issued' | 'expires'>): TokenClaims {
  return { jti, iat: secondsOf(issued), ...(expires && { exp: secondsOf(expires) }) };
}

export function isRevoked(client: ClientRecord, token: TokenRecord): boolean {
  const before = client.tokens_revoked_before;
  if (client.revoked || (before !== null && secondsOf(token.issued) < before)) return true;
  return client.revoked_tokens.some(({ jti }) => jti === token.jti);
}

/** The individually revoked tokens that would otherwise still be valid. */
function stillRevoked({ revoked_tokens: revoked }: ClientRecord, now: Date) {
  return revoked.filter(({ until }) => until === null || until > now);
}

/**
 * @param token the known data of the token; integrators may also revoke tokens that they have signed themselves
 * @throws ServiceError 422 `too_many_revocations`
 */
export function revokeToken(
  client: ClientRecord,
  jti: string,
  token: TokenRecord | null,
  now: Date,
): ClientRecord {
  const still = stillRevoked(client, now);
  if (still.some((revoked) => revoked.jti === jti)) return client;
  if (still.length >= revokedTokensMax) throw new ServiceError(tooManyRevocations);
  const until = token?.expires ? new Date(token.expires.getTime() + expiredTokenKeptMs) : null;
  return changedClient(client, { revoked_tokens: [...still, { jti, until }] });
}

/**
 * Revokes all tokens issued up to and including this second. Individual revocations are kept, because a token may claim
 * to have been issued later than it actually was.
 */
export function revokeAllTokens(client: ClientRecord, now: Date): ClientRecord {
  return changedClient(client, {
    revoked_tokens: stillRevoked(client, now),
    tokens_revoked_before: secondsOf(now) + 1,
  });
}
