import { createHash, timingSafeEqual } from 'node:crypto';
import { permissionDenied, ServiceError, unauthorized } from '@receipts/kernel';
import type { QueryArguments } from '../parameters/query-string';
import { invalidToken, refusedToken, type BearerTokens } from './bearer';
import { anonymous, permissionsOf, type Caller } from './caller';
import type { UrlSignatures } from './url-signature';

type Access = 'retailer' | 'operator' | 'public';

const bearerScheme = /^bearer[ \t]+([^\s]+)[ \t]*$/i;

const operator: Caller = {
  principal: { kind: 'operator', id: 'operator' },
  retailer: '',
  permissions: permissionsOf(['view.*']),
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

export interface Authenticator {
  /**
   * Finds out who sends a request.
   * @throws ServiceError 401, 403.
   */
  authenticate(
    access: Access,
    authorization: string | undefined,
    args: QueryArguments,
  ): Caller | Promise<Caller>;
}

/** @param operatorToken undefined disables the operator's access. */
export function createAuthenticator(
  bearer: BearerTokens,
  signatures: UrlSignatures,
  operatorToken: string | undefined,
): Authenticator {
  // Digests have the same length, so comparing them in constant time does not reveal the length of the token.
  const expected = operatorToken === undefined ? undefined : digestOf(operatorToken);

  async function asOperator(authorization: string | undefined): Promise<Caller> {
    if (authorization === undefined) throw new ServiceError(unauthorized, { description: missing });
    const token = tokenOf(authorization);
    if (expected && timingSafeEqual(digestOf(token), expected)) return operator;
    try {
      await bearer.authenticate(token);
    } catch (error) {
      // The operator's token is a secret, so every token that is no client's is refused in the same words.
      const isRefused = error instanceof ServiceError && error.status === unauthorized.status;
      throw isRefused ? refusedToken('is invalid') : error;
    }
    const description = "permission denied: the operator's token is needed";
    throw new ServiceError(permissionDenied, { description });
  }

  return {
    authenticate(access, authorization, args) {
      if (access === 'public') return anonymous;
      if (access === 'operator') return asOperator(authorization);
      if (authorization !== undefined) return bearer.authenticate(tokenOf(authorization));
      if (signatures.isMeant(args)) return signatures.authenticate(args);
      throw new ServiceError(unauthorized, { description: missing });
    },
  };
}
