import { z } from 'zod';
import { choice, integer, text } from '../../shared/query-parameters';
import { authentications } from '../../shared/authentications';
import { csrf, doneParameter, portalPages } from './browser-pages';

/** The pages on which a retailer's staff connect their systems. */
const { page, form } = portalPages;

const params = z.object({
  authentication: choice(authentications, 'How the client authenticates.'),
  client_id: text({ max: 15, description: 'The id of the client that the page shows.', example: '7' }),
});

export const portalIntegration = page({
  name: 'portal-integration',
  summary: 'API clients',
  path: '/portal/integration',
  query: z.object({
    older: integer({
      min: 1,
      max: Number.MAX_SAFE_INTEGER,
      description: 'Only show clients with a smaller id.',
      example: 120,
    }).optional(),
  }),
});

export const portalCreateClient = form({
  name: 'portal-create-client',
  summary: 'create an API client',
  path: '/portal/integration',
  body: z.object({
    csrf,
    authentication: z.enum(authentications).describe('How the client authenticates.'),
    description: z.string().describe('A note that helps you tell your clients apart.'),
    permissions: z
      .union([z.string(), z.array(z.string())])
      .optional()
      .describe('The permissions of the client.'),
  }),
});

export const portalClient = page({
  name: 'portal-client',
  summary: 'an API client with its last calls',
  path: '/portal/integration/{authentication}/{client_id}',
  params,
  query: z.object({ done: doneParameter }),
});

export const portalClientForm = form({
  name: 'portal-client-form',
  summary: 'change an API client',
  path: '/portal/integration/{authentication}/{client_id}',
  params,
  body: z.object({
    csrf,
    action: z
      .enum(['issue', 'replace', 'succeed', 'revoke', 'restore'])
      .describe(
        'Whether to issue a token, issue one and revoke all others, create a second client with a new secret, revoke the client, or end its revocation.',
      ),
    days: z
      .string()
      .optional()
      .describe('The number of days for which a token is valid; empty for no limit.'),
  }),
});
