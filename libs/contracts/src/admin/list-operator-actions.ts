import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { text } from '../shared/query-parameters';
import { listLinks, timestampField } from '../shared/fields';
import { pageCount, pageCursor, unknownCursor } from '../shared/paging';

const operatorAction = z.object({
  id: z.string().meta({ description: 'The id of the entry.' }),
  timestamp: timestampField.meta({ description: 'When the request arrived.' }),
  operator: z.string().meta({
    description:
      'The name that the caller gave in the header `service-operator`; `operator` if the header is missing.',
  }),
  address: z.string().meta({ description: 'The IP address of the caller.' }),
  operation: z
    .string()
    .meta({ description: 'The name of the called operation.', examples: ['patch-retailer'] }),
  method: z.string().meta({ description: 'The HTTP method of the request.' }),
  path: z.string().meta({ description: 'The path of the request, without its query.' }),
  retailer: z
    .string()
    .nullable()
    .meta({ description: 'The id of the retailer that the request concerned; `null` if there was none.' }),
  fields: z.array(z.string()).meta({
    description:
      'The names of the members in the body, or the pointers in a JSON Patch. Values are not stored.',
    examples: [['settings']],
  }),
  status: z
    .int()
    .nullable()
    .meta({ description: 'The HTTP status code of the response; `null` if it is unknown.', examples: [200] }),
  request_id: z.string().meta({ description: 'The `request-id` of the request.' }),
});

/** Lists what each operator changed and when. */
export const listOperatorActions = defineQuery({
  name: 'admin.list-operator-actions',
  summary: 'List the audit log of the operator',
  description:
    'Returns all write requests under `/operator`, including rejected requests, newest first. Entries are kept for a year.',
  http: { method: 'GET', path: '/operator/audit', access: 'operator', success: 200 },
  query: z.object({
    retailer: text({
      max: 40,
      description: 'Only return actions that concern this retailer.',
      example: 'demo',
    }).optional(),
    count: pageCount,
    older: pageCursor(64),
  }),
  output: z.object({
    actions: z.array(operatorAction).meta({ description: 'The entries of this page, newest first.' }),
    _links: listLinks,
  }),
  errors: [unknownCursor],
});
