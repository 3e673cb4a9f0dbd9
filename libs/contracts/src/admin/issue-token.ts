import { defineCommand, jsonVariants } from '@receipts/kernel';
import { z } from 'zod';
import {
  clientNotFound,
  clientIsRevoked,
  secretToldOnce,
  strongerClient,
  tokenExpiry,
  tokenId,
  tokenParams,
} from './client';
import { prettyMember } from '../shared/fields';

const expiresInSecondsMax = 100 * 366 * 86_400;

/** Issues a bearer token, for use without the shared secret. */
export const issueToken = defineCommand({
  name: 'admin.issue-token',
  summary: 'Issue a bearer token',
  description:
    'Returns a JSON Web Token (HS256) for the client, for use without the shared secret. The token is returned only once.',
  permission: 'view.patch_client',
  http: { method: 'POST', path: '/clients/bearer/{client_id}/tokens', success: 201 },
  params: tokenParams,
  body: {
    ...jsonVariants({
      'application/json': z.strictObject({
        pretty: prettyMember,
        expires_in: z
          .int()
          .min(1)
          .max(expiresInSecondsMax)
          .optional()
          .describe(
            'The lifetime of the token in seconds. By default, the token is valid until it is revoked.',
          ),
      }),
    }),
    optional: true,
  },
  output: z.object({
    token: secretToldOnce.describe(
      'The token, returned only once; `null` if the request is a retry with the same `Idempotency-Key`.',
    ),
    jti: tokenId,
    expires: tokenExpiry,
  }),
  needs: { permissions: true },
  errors: [clientNotFound, strongerClient, clientIsRevoked],
  examples: { request: { expires_in: 3600 } },
});
