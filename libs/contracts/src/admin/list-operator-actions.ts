import { defineQuery, flag, integer, text } from '@receipts/kernel';
import { z } from 'zod';
import { listLinks, timestampField } from '../shared/fields';
import { unknownCursor } from '../shared/paging';

const operatorAction = z.object({
  id: z.string(),
  timestamp: timestampField,
  operator: z.string().meta({
    description: 'What the caller called itself in the header `service-operator`; `operator` without one.',
  }),
  address: z.string().meta({ description: 'From where the request came.' }),
  operation: z.string().meta({ examples: ['patch-retailer'] }),
  method: z.string(),
  path: z.string(),
  retailer: z.string().nullable(),
  fields: z.array(z.string()).meta({
    description:
      'What the body was about: names of members, or the pointers of a JSON Patch. Values are not kept.',
    examples: [['settings']],
  }),
  status: z
    .int()
    .nullable()
    .meta({ description: 'How it was answered; null when that is not known.', examples: [200] }),
  request_id: z.string(),
});

/** Lists which operator changed what, and when. */
export const listOperatorActions = defineQuery({
  name: 'admin.list-operator-actions',
  summary: 'Audit log of the operator',
  description:
    'Everything that was asked for under `/operator` and is not merely looked at, also what was refused. The newest comes first. Kept for a year.',
  http: { method: 'GET', path: '/operator/audit', access: 'operator', success: 200 },
  query: z.object({
    pretty: flag('Readable formatting').optional(),
    retailer: text({ max: 40, description: 'Only what was done to this retailer.' }).optional(),
    count: integer({
      min: 1,
      max: 100,
      description: 'Entries on a page; 100 when it is not given.',
    }).optional(),
    older: text({ max: 64, description: 'From `_links.next`.' }).optional(),
  }),
  output: z.object({ actions: z.array(operatorAction), _links: listLinks }),
  errors: [unknownCursor],
});
