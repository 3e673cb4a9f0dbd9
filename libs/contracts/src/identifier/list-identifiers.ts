import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { listLinks } from '../shared/fields';
import { pageCount, pageCursor, unknownCursor } from '../shared/paging';
import { identifier } from './identifier';

/** Used by back offices that copy the consumers. */
export const listIdentifiers = defineQuery({
  name: 'identifier.list-identifiers',
  summary: 'List identifiers',
  description: 'Returns the identifiers, most recently updated first.',
  permission: 'view.get_identifier',
  forConsumers: 'confined',
  http: { method: 'GET', path: '/identifiers', success: 200 },
  query: z.object({
    count: pageCount,
    older: pageCursor(200),
  }),
  output: z.object({
    identifiers: z.array(identifier).describe('The identifiers of this page, most recently updated first.'),
    _links: listLinks,
  }),
  errors: [unknownCursor],
});
