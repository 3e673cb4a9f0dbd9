import { defineEvent } from '@receipts/kernel';
import { z } from 'zod';
import { identifier } from './identifier';

/** Without the summary, which changes with every receipt. Receipts have events of their own. */
const data = identifier.omit({ summary: true });

export const identifierCreated = defineEvent({
  type: 'identifier.created',
  owner: 'identifier',
  collection: 'identifiers',
  summary: 'A consumer identifier became known',
  description: 'It was posted, or the first receipt with it arrived.',
  data,
});

export const identifierUpdated = defineEvent({
  type: 'identifier.updated',
  owner: 'identifier',
  collection: 'identifiers',
  summary: 'The properties of a consumer identifier changed',
  description: 'The data show the identifier after the change.',
  data,
});

export const identifierErased = defineEvent({
  type: 'identifier.erased',
  owner: 'identifier',
  collection: 'identifiers',
  summary: 'A consumer was forgotten',
  description:
    'Whoever keeps a copy forgets them, too. It names nobody: its subject is the SHA-256 of the identifier in UTF-8, by which those who know the identifier find it.',
  data: z.object({
    identifier_sha256: z.string().meta({ description: 'In hexadecimal digits.' }),
    erased_timestamp: z.string(),
  }),
});
