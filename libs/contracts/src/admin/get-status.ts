import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { timestampField } from '../shared/fields';
import { deadLettersTimeoutMs } from './dead-letter';

const instance = z.object({
  instance: z.string().describe('The id of the process, which it keeps until it ends.'),
  version: z.string().describe('The release that the process is running.'),
  started_timestamp: timestampField.describe('When the process started.'),
  last_seen_timestamp: timestampField.describe('When the process last reported its state.'),
  loop_lag_ms: z.number().describe('The lag of the event loop of the process, in milliseconds.'),
});

const waitingSeconds = z
  .int()
  .describe(
    'How long the queue has been non-empty, in seconds. It is polled every 15 seconds. No message in the queue is older than this.',
  );

/** Shows whether the platform works, without access to its network. */
export const getStatus = defineQuery({
  name: 'admin.get-status',
  summary: 'Get the status of the platform',
  description:
    'Returns the services with their processes and versions, the lengths of the queues, and the events that are not published yet. A service is ready while at least one ' +
    'process consumes its requests. Processes report every 5 seconds; processes that have been silent for 20 seconds are not shown.',
  http: { method: 'GET', path: '/operator/status', access: 'operator', success: 200 },
  output: z.object({
    services: z
      .array(
        z.object({
          service: z.string().describe('The name of the service.'),
          ready: z.boolean().describe('Whether at least one process consumes the requests of the service.'),
          instances: z.int().describe('The number of processes that consume the requests of the service.'),
          versions: z
            .array(z.string())
            .describe('The releases that are running. There are several during an update.'),
          waiting: z.int().describe('The number of requests that no process has consumed yet.'),
          waiting_seconds: waitingSeconds,
          outbox: z
            .object({
              pending: z
                .int()
                .describe(
                  'The number of documents with unpublished events, counted up to 10,000 per collection.',
                ),
              oldest_age_seconds: z.number().describe('The age of the oldest unpublished event, in seconds.'),
            })
            .describe('The events of the service that are not published yet.'),
          processes: z.array(instance).describe('The processes that have reported in the last 20 seconds.'),
        }),
      )
      .describe('The services of the platform.'),
    queues: z
      .array(
        z.object({
          queue: z.string().describe('The name of the queue.'),
          messages: z.int().describe('The number of messages waiting in the queue.'),
          consumers: z.int().describe('The number of consumers of the queue.'),
          waiting_seconds: waitingSeconds,
          dead_letters: z
            .int()
            .describe('The number of messages from the queue that could not be processed.'),
        }),
      )
      .describe('The queues of the platform.'),
    incomplete_queues: z
      .array(
        z.object({
          queue: z.string().describe('The name of the queue.'),
          members: z.int().describe('The number of nodes that run a member of the queue.'),
          expected: z
            .int()
            .describe('The number of nodes that should run one: all running nodes, but at most 3.'),
        }),
      )
      .nullable()
      .describe(
        'The quorum queues that a running node of the broker should be a member of, but is not, for example because it has lost its disk. Checked once a minute. `null` if not known, or if `BROKER_MANAGEMENT_URL` is not set.',
      ),
  }),
  timeoutMs: deadLettersTimeoutMs,
});
