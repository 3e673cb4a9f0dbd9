import { defineCommand, jsonVariants } from '@receipts/kernel';
import { z } from 'zod';
import { clientNotFound, clientIsRevoked, secretToldOnce, strongerClient, tokenParams } from './client';
import { timestampField } from '../shared/fields';

const expiresInSecondsMax = 100 * 366 * 86_400;

/** Issues a bearer token, so that its user does not need the shared secret. */
export const issueToken = defineCommand({
  name: 'admin.issue-token',
  summary: 'Issue a bearer token',
  description:
    'The token is a JSON Web Token (HS256) of the client. Without `expires_in` it lives until it is revoked. It is never shown again.',
  permission: 'view.patch_client',
  http: { method: 'POST', path: '/clients/bearer/{client_id}/tokens', success: 201 },
  params: tokenParams,
  body: {
    ...jsonVariants({
      'application/json': z.strictObject({
        pretty: z.boolean().optional(),
        expires_in: z
          .int()
          .min(1)
          .max(expiresInSecondsMax)
          .optional()
          .meta({ description: 'Seconds until the token expires.' }),
      }),
    }),
    optional: true,
  },
  output: z.object({ token: secretToldOnce, jti: z.string(), expires: timestampField.nullable() }),
  needs: { permissions: true },
  errors: [clientNotFound, strongerClient, clientIsRevoked],
  examples: { request: { expires_in: 3600 } },
});
