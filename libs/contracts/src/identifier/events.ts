import { defineEvent } from '@receipts/kernel';
import { identifier } from './identifier';

/** Summaries change with every receipt and are not part of it: a listener has the receipts' own events for that. */
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
