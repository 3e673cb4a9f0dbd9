import { defineQuery, flag } from '@receipts/kernel';
import { z } from 'zod';
import { timestampField } from '../shared/fields';

/** Shows whether tills are being served, on installations without monitoring. */
export const getThroughput = defineQuery({
  name: 'admin.get-throughput',
  summary: 'Throughput of the platform',
  description:
    'What each service has worked on in the last half hour, in intervals of 10 seconds, the oldest first: requests that the gateway has answered, and messages that the other services have handled. ' +
    'Known since the instance of admin that answers was started; what processes report every 5 seconds counts for the interval in which it was heard.',
  http: { method: 'GET', path: '/operator/throughput', access: 'operator', success: 200 },
  query: z.object({ pretty: flag('Readable formatting').optional() }),
  output: z.object({
    interval_seconds: z.number(),
    services: z.array(
      z.object({
        service: z.string(),
        points: z.array(
          z.object({
            timestamp: timestampField.meta({ description: 'When the interval began.' }),
            done: z.int(),
            failed: z
              .int()
              .meta({ description: 'Those of them that ended with a fault of the platform (5xx).' }),
          }),
        ),
      }),
    ),
  }),
});
