import { defineQuery, flag } from '@receipts/kernel';
import { z } from 'zod';
import { parkedTimeoutMs } from './parked-message';

/** One look that tells whether the platform is well, without a way into its network. */
export const getStatus = defineQuery({
  name: 'admin.get-status',
  summary: 'Status of the platform',
  description:
    'Which services take requests, with how many instances, and what waits in the queues. A service is ready while at least one instance consumes its requests. Versions, ages and the backlog of events are among the metrics of each process.',
  http: { method: 'GET', path: '/operator/status', access: 'operator', success: 200 },
  query: z.object({ pretty: flag('Readable formatting').optional() }),
  output: z.object({
    services: z.array(
      z.object({
        service: z.string(),
        ready: z.boolean(),
        instances: z.int(),
        waiting: z.int().meta({ description: 'Requests that no instance has taken yet.' }),
      }),
    ),
    queues: z.array(
      z.object({
        queue: z.string(),
        messages: z.int(),
        consumers: z.int(),
        parked: z.int().meta({ description: 'Messages that could not be processed and wait for somebody.' }),
      }),
    ),
  }),
  timeoutMs: parkedTimeoutMs,
});
