import { createHash, timingSafeEqual } from 'node:crypto';
import { everyPermission, isObject, type TokenUse } from '@receipts/contracts';
import { permissionDenied, ServiceError, unauthorized, type HttpRoute } from '@receipts/kernel';
import type { QueryArguments } from '../parameters/query-string';
import { anonymous, type Caller } from './caller';
import type { UrlSignatures } from './url-signature';
import { JsonWebTokenError, NotBeforeError, TokenExpiredError, verify } from 'jsonwebtoken';
import { LRUCache } from 'lru-cache';
import type { KnownCredential } from './credential';
import type { CredentialBook } from './credential-book';

/** The clocks of callers may differ from ours by this much. */
const leewaySeconds = 30;
/** Tokens issued further than this in the future are rejected: they would outlive a revocation made before that time. */
const issuedAheadMaxSeconds = 60;
const verifiedTokensMax = 10_000;
/** The end of the year 9999. A larger `exp` is in milliseconds, or an attack. */
const expMax = 253_402_300_799;

const base64url = /^[A-Za-z0-9_-]+$/;
const kidPattern = /^[A-Za-z0-9_-]{1,64}$/;

interface Verified {
  readonly known: KnownCredential;
  readonly expiresAt: number | undefined;
  readonly jti: string | undefined;
  usedAt: number;
}

interface Claims {
  readonly exp: number | undefined;
  readonly iat: number | undefined;
  readonly jti: string | undefined;
}

/** The challenge for a request that carried a token (RFC 6750, section 3). */
export const invalidToken = { 'www-authenticate': 'Bearer error="invalid_token"' };

/** The error for a request with a token. The sender is shown the reason. */
export function refusedToken(reason: string, options: { readonly cause?: unknown } = {}): ServiceError {
  return new ServiceError(unauthorized, {
    ...options,
    description: `the bearer token ${reason}`,
    headers: invalidToken,
  });
}

const malformed = (why: string) => refusedToken(`is malformed: ${why}`);

function refusalOf(cause: unknown): ServiceError {
  if (cause instanceof TokenExpiredError) return refusedToken('has expired', { cause });
  if (cause instanceof NotBeforeError) return refusedToken('is not valid yet', { cause });
  const isForged = cause instanceof JsonWebTokenError && cause.message === 'invalid signature';
  // A caller with a wrong secret learns neither that the secret is wrong nor anything about the client.
  return isForged ? refusedToken('is invalid', { cause }) : malformed('its header or payload is invalid');
}

/** Reads the `kid` of a token, and rejects headers that jsonwebtoken would accept. */
function kidOf(token: string): string {
  const parts = token.split('.');
  if (parts.length !== 3 || !parts.every((part) => base64url.test(part)))
    throw malformed('it must be a JSON Web Token of three parts');
  let header: unknown;
  try {
    header = JSON.parse(Buffer.from(parts[0] ?? '', 'base64url').toString());
  } catch {
    throw malformed('its header is not JSON');
  }
  if (!isObject(header) || header['alg'] !== 'HS256') throw malformed('alg must be HS256');
  const { typ, kid } = header;
  if (typ !== undefined && (typeof typ !== 'string' || typ.toUpperCase() !== 'JWT'))
    throw malformed('typ must be JWT');
  // No critical extension is supported here, and RFC 7515 requires rejecting unknown extensions.
  if ('crit' in header) throw malformed('crit is not supported');
  if (typeof kid !== 'string' || !kidPattern.test(kid))
    throw malformed('kid must be 1 to 64 letters, digits, "-" and "_"');
  return kid;
}

function claimsOf(payload: unknown): Claims {
  if (!isObject(payload)) throw malformed('its payload must be an object');
  const { exp, iat, jti } = payload;
  if (
    exp !== undefined &&
    !(typeof exp === 'number' && Number.isSafeInteger(exp) && exp > 0 && exp <= expMax)
  ) {
    throw malformed('exp must be a Unix timestamp in whole seconds');
  }
  if (iat !== undefined && !(typeof iat === 'number' && Number.isFinite(iat)))
    throw malformed('iat must be a number');
  if (jti !== undefined && typeof jti !== 'string') throw malformed('jti must be a string');
  return { exp, iat, jti };
}

function checkRevocation({ credential, revokedTokens }: KnownCredential, { iat, jti }: Claims): void {
  if (jti !== undefined && revokedTokens.has(jti)) throw refusedToken('is revoked');
  const before = credential.tokens_revoked_before;
  // A token without `iat` cannot prove that it was issued after the revocation.
  if (before !== null && (iat === undefined || iat < before)) throw refusedToken('is revoked');
}

/** Checks bearer tokens (docs/interface.md, "Bearer tokens"). */
export class BearerTokens {
  private readonly verified = new LRUCache<string, Verified>({ max: verifiedTokensMax });
  private usesToldUntil = 0;

  constructor(
    private readonly book: CredentialBook,
    private readonly now: () => number = Date.now,
  ) {}

  /** @throws ServiceError 401; 503 if admin cannot return the credential of an unknown `kid`. */
  authenticate(token: string): Caller | Promise<Caller> {
    const cached = this.verified.get(token);
    if (cached) {
      const now = this.now();
      if (this.isStillGood(cached, now)) {
        cached.usedAt = now;
        return cached.known.caller;
      }
      this.verified.delete(token);
    }
    const kid = kidOf(token);
    const known = this.book.get(kid);
    return known ? this.check(token, known) : this.book.find(kid).then((found) => this.check(token, found));
  }

  /** An update replaces the credential object, which invalidates all tokens verified with the previous object. */
  private isStillGood({ known, expiresAt }: Verified, now: number): boolean {
    if (this.book.get(known.credential.key) !== known) return false;
    return expiresAt === undefined || expiresAt + leewaySeconds > now / 1000;
  }

  /** Returns the uses since the last call. Only tokens with a `jti` are reported, as others have no id. */
  drainTokenUses(): TokenUse[] {
    const since = this.usesToldUntil;
    this.usesToldUntil = this.now();
    const uses: TokenUse[] = [];
    for (const { known, jti, usedAt } of this.verified.values()) {
      const { retailer, id } = known.credential;
      if (jti !== undefined && usedAt >= since) uses.push({ retailer, client_id: id, jti, at: usedAt });
    }
    return uses;
  }

  private check(token: string, known: KnownCredential | undefined): Caller {
    if (known?.credential.authentication !== 'bearer') throw refusedToken('has an unknown key (kid)');
    const payload = this.payloadOf(token, known);
    // Only a holder of the secret gets more details.
    if (known.credential.revoked) throw refusedToken('has a revoked key (kid)');
    const claims = claimsOf(payload);
    if (claims.iat !== undefined && claims.iat > this.now() / 1000 + issuedAheadMaxSeconds) {
      throw refusedToken('was issued in the future (iat)');
    }
    checkRevocation(known, claims);
    this.verified.set(token, { known, expiresAt: claims.exp, jti: claims.jti, usedAt: this.now() });
    return known.caller;
  }

  private payloadOf(token: string, known: KnownCredential): unknown {
    const key = known.signingKey;
    try {
      return verify(token, key, {
        algorithms: ['HS256'],
        clockTolerance: leewaySeconds,
        clockTimestamp: Math.floor(this.now() / 1000),
      });
    } catch (cause) {
      throw refusalOf(cause);
    }
  }
}

type Access = NonNullable<HttpRoute['access']>;

const bearerScheme = /^bearer[ \t]+([^\s]+)[ \t]*$/i;

const operator: Omit<Caller, 'principal'> = {
  retailer: '',
  permissions: [everyPermission],
  limitedAs: 'operator',
};

const missing = 'credentials are missing';

const digestOf = (text: string) => createHash('sha256').update(text).digest();

function tokenOf(authorization: string): string {
  const token = bearerScheme.exec(authorization)?.[1];
  if (token !== undefined) return token;
  throw new ServiceError(unauthorized, {
    description: 'the Authorization header is malformed: it must be "Bearer <token>"',
    ...(/^bearer\b/i.test(authorization) && { headers: invalidToken }),
  });
}

/**
 * Identifies the sender of a request.
 * @throws ServiceError 401, 403.
 */
export type Authenticate = (
  access: Access,
  authorization: string | undefined,
  args: QueryArguments,
) => Caller | Promise<Caller>;

/** @param operatorTokens by operator; if there are none, operators have no access */
export function createAuthenticator(
  bearer: BearerTokens,
  signatures: UrlSignatures,
  operatorTokens: Readonly<Record<string, string>>,
): Authenticate {
  // Digests have the same length, so comparing them in constant time does not reveal the length of a token.
  const expected = Object.entries(operatorTokens).map(([id, token]) => ({ id, digest: digestOf(token) }));

  async function asOperator(authorization: string | undefined): Promise<Caller> {
    if (authorization === undefined) throw new ServiceError(unauthorized, { description: missing });
    const token = tokenOf(authorization);
    const given = digestOf(token);
    // All are compared, so that the time does not reveal whose token is similar.
    const [found] = expected.filter(({ digest }) => timingSafeEqual(given, digest));
    if (found) return { ...operator, principal: { kind: 'operator', id: found.id } };
    try {
      await bearer.authenticate(token);
    } catch (error) {
      // The operator's token is a secret, so all invalid tokens are rejected with the same message.
      const isRefused = error instanceof ServiceError && error.status === unauthorized.status;
      throw isRefused ? refusedToken('is invalid') : error;
    }
    const description = "permission denied: the operator's token is required";
    throw new ServiceError(permissionDenied, { description });
  }

  return (access, authorization, args) => {
    if (access === 'public') return anonymous;
    if (access === 'operator') return asOperator(authorization);
    if (authorization !== undefined) return bearer.authenticate(tokenOf(authorization));
    if (signatures.isMeant(args)) return signatures.authenticate(args);
    throw new ServiceError(unauthorized, { description: missing });
  };
}
