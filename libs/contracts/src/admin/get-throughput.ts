import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { timestampField } from '../shared/fields';

/** Shows whether tills are being served, on installations without monitoring. */
export const getThroughput = defineQuery({
  name: 'admin.get-throughput',
  summary: 'Throughput of the platform',
  description:
    'Shows for each service what it has done in the last 30 minutes, in intervals of 10 seconds, oldest first: the gateway counts answered requests, the other services count handled messages. ' +
    'The figures are kept in memory by the process of admin that answers, and start when it starts.',
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
                  .describe('The number of them that failed with an error of the platform (5xx).'),
              }),
            )
            .describe('The intervals, oldest first.'),
        }),
      )
      .describe('The services that have reported.'),
  }),
});
