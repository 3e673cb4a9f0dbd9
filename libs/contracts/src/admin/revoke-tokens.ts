import { concurrentWrite, defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';
import { always } from '../shared/schema-checks';
import { exactlyOneOf } from '../shared/exclusive';
import { clientNotFound, strongerClient, tokenParams } from './client';

const revocation = z
  .strictObject({
    jti: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe('The id of the token to revoke. Cannot be combined with `all`.'),
    all: z
      .literal(true)
      .optional()
      .describe('Revokes all tokens of the client issued so far. Cannot be combined with `jti`.'),
  })
  .superRefine(exactlyOneOf(['jti', 'all']), always);

export const tooManyRevocations = {
  status: 422,
  code: 'too_many_revocations',
  description: 'too many tokens of the client were revoked individually; use another client',
};

/** Revokes a lost token, or all tokens of a client, in all gateways within a second. */
export const revokeTokens = defineCommand({
  name: 'admin.revoke-tokens',
  summary: 'Revoke tokens of a bearer client',
  description:
    'Revokes one token by its `jti`, including one that you signed yourself, or all tokens issued so ' +
    'far. Revocations take effect within a second.',
  permission: 'view.patch_client',
  http: { method: 'POST', path: '/clients/bearer/{client_id}/tokens/_revoke', success: 204 },
  params: tokenParams,
  body: json(revocation),
  needs: { permissions: true },
  errors: [clientNotFound, strongerClient, tooManyRevocations, concurrentWrite],
  examples: { request: { all: true } },
});
