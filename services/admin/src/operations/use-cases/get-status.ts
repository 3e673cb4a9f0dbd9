import { timestampOf } from '@receipts/kernel';
import { deadLetterQueue } from '@receipts/messaging';
import { orUnavailable } from '../../broker/or-unavailable';
import type { HandlerOf, Operations } from '../open-operations';
import type { Instance } from '../instances';
import { deadLetterSources, owners, requestQueues, requestQueuesOf, standbyQueuesOf } from '../queues';

const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);

/** The gateway consumes no requests. */
const gateway = 'gateway';

function processesOf(alive: readonly Instance[]) {
  return {
    versions: [...new Set(alive.map(({ version }) => version))],
    // Processes of a service share a database, so each reports the same backlog.
    outbox: {
      pending: Math.max(0, ...alive.map(({ outbox }) => sum(outbox.map(({ documents }) => documents)))),
      oldest_age_seconds:
        Math.max(0, ...alive.flatMap(({ outbox }) => outbox.map(({ oldestAgeMs }) => oldestAgeMs))) / 1000,
    },
    processes: alive.map(({ instance, version, started, lastSeen, loopLagMs }) => ({
      instance,
      version,
      started_timestamp: timestampOf(new Date(started)),
      last_seen_timestamp: timestampOf(new Date(lastSeen)),
      loop_lag_ms: loopLagMs,
    })),
  };
}

export function getStatus(
  deps: Pick<Operations, 'depth' | 'instances' | 'ages' | 'lastCheck' | 'now'>,
): HandlerOf<'getStatus'> {
  const { instances, ages } = deps;
  const watched = [...requestQueues, ...deadLetterSources, ...deadLetterSources.map(deadLetterQueue)];
  return async () => {
    const found = await orUnavailable(deps.depth(watched));
    const depths = new Map(found.map((depth) => [depth.queue, depth]));
    const now = deps.now().getTime();
    ages.note([...depths.values()], now);
    const alive = instances.alive(now);
    const ofService = (name: string) => alive.filter(({ service }) => service === name);
    const services = owners.map((service) => {
      const asked = requestQueuesOf(service);
      const standbys = standbyQueuesOf(service);
      const ready = Math.min(...standbys.map((queue) => depths.get(queue)?.consumers ?? 0));
      return {
        service,
        ready: ready > 0,
        instances: ready,
        waiting: sum(asked.map((queue) => depths.get(queue)?.messages ?? 0)),
        waiting_seconds: Math.max(...asked.map((queue) => ages.secondsOf(queue, now))),
        ...processesOf(ofService(service)),
      };
    });
    const gateways = ofService(gateway);
    const queues = deadLetterSources.map((queue) => ({
      queue,
      messages: depths.get(queue)?.messages ?? 0,
      consumers: depths.get(queue)?.consumers ?? 0,
      waiting_seconds: ages.secondsOf(queue, now),
      dead_letters: depths.get(deadLetterQueue(queue))?.messages ?? 0,
    }));
    const front = {
      service: gateway,
      ready: gateways.length > 0,
      instances: gateways.length,
      waiting: 0,
      waiting_seconds: 0,
      ...processesOf(gateways),
    };
    const incomplete = deps.lastCheck.incomplete?.map((each) => ({ ...each })) ?? null;
    return { body: { services: [front, ...services], queues, incomplete_queues: incomplete } };
  };
}
