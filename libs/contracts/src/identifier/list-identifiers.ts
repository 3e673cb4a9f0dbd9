import { defineQuery, flag, integer, text } from '@receipts/kernel';
import { z } from 'zod';
import { unknownCursor } from '../shared/paging';
import { identifier } from './identifier';

/** Used by back offices that copy the consumers. */
export const listIdentifiers = defineQuery({
  name: 'identifier.list-identifiers',
  summary: 'List identifiers',
  description: 'The one that was updated last comes first. `_links.next` is there while more follow.',
  permission: 'view.get_identifier',
  http: { method: 'GET', path: '/identifiers', success: 200 },
  query: z.object({
    count: integer({
      min: 1,
      max: 100,
      description: 'Identifiers on a page; 100 when it is not given.',
    }).optional(),
    older: text({ max: 200, description: 'From `_links.next`.' }).optional(),
    pretty: flag('Readable formatting').optional(),
  }),
  output: z.object({
    identifiers: z.array(identifier),
    _links: z.object({ next: z.object({ href: z.string() }).optional() }),
  }),
  errors: [unknownCursor],
});
