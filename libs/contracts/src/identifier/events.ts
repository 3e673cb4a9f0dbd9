import { defineEvent } from '@receipts/kernel';
import { z } from 'zod';
import { identifier } from './identifier';

/** Does not contain the summary, which changes with every receipt. Receipts have their own events. */
const data = identifier.omit({ summary: true });

export const identifierCreated = defineEvent({
  type: 'identifier.created',
  owner: 'identifier',
  collection: 'identifiers',
  summary: 'A consumer identifier was created',
  description: 'The identifier was posted, or the first receipt with it arrived.',
  data,
});

export const identifierUpdated = defineEvent({
  type: 'identifier.updated',
  owner: 'identifier',
  collection: 'identifiers',
  summary: 'The properties of a consumer identifier changed',
  description: 'The data contains the identifier after the change.',
  data,
});

export const identifierErased = defineEvent({
  type: 'identifier.erased',
  owner: 'identifier',
  collection: 'identifiers',
  summary: 'A consumer was erased',
  description:
    "Systems with copies of the consumer's data should also erase it. The event does not contain the identifier: its subject is the SHA-256 digest of the identifier in UTF-8.",
  data: z.object({
    identifier_sha256: z
      .string()
      .describe('The SHA-256 digest of the erased identifier in UTF-8, in hexadecimal digits.'),
    erased_timestamp: z.string().describe('When the consumer was erased.'),
  }),
});
