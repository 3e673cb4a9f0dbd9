import { defineQuery, flag } from '@receipts/kernel';
import { z } from 'zod';
import { timestampField } from '../shared/fields';
import { deadLettersTimeoutMs } from './dead-letter';

const instance = z.object({
  instance: z.string().meta({ description: 'Names the process, from its start to its end.' }),
  version: z.string(),
  started_timestamp: timestampField,
  heard_timestamp: timestampField.meta({ description: 'When it last reported.' }),
  loop_lag_ms: z.number().meta({ description: 'How late its event loop is.' }),
});

const waitingSeconds = z.int().meta({
  description:
    'For how long it has not been seen empty, looked at every 15 seconds since admin started: no message in it is older.',
});

/** Shows whether the platform works, without access to its network. */
export const getStatus = defineQuery({
  name: 'admin.get-status',
  summary: 'Status of the platform',
  description:
    'Which services take requests, their processes and versions, what waits in the queues, and which events wait to be published. A service is ready while at least one ' +
    'process consumes its requests. Processes report every 5 seconds; one that was silent for 20 is not shown any more.',
  http: { method: 'GET', path: '/operator/status', access: 'operator', success: 200 },
  query: z.object({ pretty: flag('Readable formatting').optional() }),
  output: z.object({
    services: z.array(
      z.object({
        service: z.string(),
        ready: z.boolean(),
        instances: z.int(),
        versions: z.array(z.string()).meta({ description: 'More than one while an update is on its way.' }),
        waiting: z.int().meta({ description: 'Requests that no instance has taken yet.' }),
        waiting_seconds: waitingSeconds,
        outbox: z.object({
          pending: z.int().meta({
            description: 'Things with events that are not published yet, up to 10,000 a collection.',
          }),
          oldest_age_seconds: z.number().meta({ description: 'Age of the oldest of these events.' }),
        }),
        processes: z.array(instance),
      }),
    ),
    queues: z.array(
      z.object({
        queue: z.string(),
        messages: z.int(),
        consumers: z.int(),
        waiting_seconds: waitingSeconds,
        dead_letters: z
          .int()
          .meta({ description: 'Messages that could not be processed. They wait for a replay or discard.' }),
      }),
    ),
  }),
  timeoutMs: deadLettersTimeoutMs,
});
