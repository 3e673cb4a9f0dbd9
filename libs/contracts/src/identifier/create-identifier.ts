import { defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';
import { identifier, identifierExists, postedIdentifier } from './identifier';

/** A consumer may be registered before the first receipt, for example when a loyalty card is handed out. */
export const createIdentifier = defineCommand(
  {
    name: 'identifier.create-identifier',
    summary: 'Create an identifier',
    description:
      'Registers a consumer. If the identifier already exists, even if only on a receipt, the response is 409 `identifier_exists`. A signature that contains `consumer` can only create one of its values.',
    permission: 'view.post_identifier',
    forConsumers: 'confined',
    http: { method: 'POST', path: '/identifiers', success: 201 },
    body: json(postedIdentifier),
    output: identifier,
    meta: z.object({ identifier: z.string(), version: z.int() }),
    errors: [identifierExists],
    examples: { request: { identifier: '990000000001', properties: { email: 'joe.smith@example.com' } } },
  },
  {
    consumerOf: ({ body }) => body.identifier,
    response: (meta) => ({
      headers: { location: `/identifiers/${encodeURIComponent(meta.identifier)}`, etag: `"${meta.version}"` },
    }),
  },
);
