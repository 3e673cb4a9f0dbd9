import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { timestampField } from '../shared/fields';

/** Shows whether tills are being served, on installations without monitoring. */
export const getThroughput = defineQuery({
  name: 'admin.get-throughput',
  summary: 'Get the throughput of the platform',
  description:
    'Returns the throughput of each service over the last 30 minutes in 10-second intervals, oldest first. The gateway counts completed requests; the other services count handled messages. ' +
    'The admin process that responds keeps the figures in memory, so there are none from before its start.',
  http: { method: 'GET', path: '/operator/throughput', access: 'operator', success: 200 },
  output: z.object({
    interval_seconds: z.number().describe('The length of an interval in seconds.'),
    services: z
      .array(
        z.object({
          service: z.string().describe('The name of the service.'),
          points: z
            .array(
              z.object({
                timestamp: timestampField.describe('When the interval began.'),
                done: z.int().describe('The number of requests or messages that ended in the interval.'),
                failed: z
                  .int()
                  .describe(
                    'The number of these requests or messages that failed with a platform error (5xx).',
                  ),
              }),
            )
            .describe('The intervals, oldest first.'),
        }),
      )
      .describe('The services that have reported.'),
  }),
});
