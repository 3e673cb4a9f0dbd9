import { escaped, ManagementApi, TopologyNames, vhostOf } from '@receipts/messaging';
import type { IntegratorAccessOptions } from './integrator-access';

/** What happened in a queue in one minute. */
export interface QueueMinute {
  /** The end of the minute, epoch milliseconds. */
  readonly at: number;
  /** The number of messages that came in. */
  readonly in: number;
  /** The number of messages that consumers have finished. */
  readonly out: number;
  /** The number of messages in the queue at the end of the minute. */
  readonly messages: number;
}

/** How many messages a second come in and go out now. */
export interface QueueRates {
  readonly in: number;
  readonly out: number;
}

/** The last hour of a queue. */
export interface QueueHistory {
  readonly queue: string;
  /** The number of messages that consumers have received but not finished. */
  readonly unfinished: number;
  readonly perSecond: QueueRates;
  /** Oldest first. Empty if RabbitMQ collects no statistics, or has none yet. */
  readonly minutes: readonly QueueMinute[];
}

interface Series {
  /** The change in a second. */
  readonly rate?: number;
  /** Newest first. */
  readonly samples?: readonly { readonly sample: number; readonly timestamp: number }[];
}

interface BrokerQueue {
  readonly name: string;
  readonly messages_unacknowledged?: number;
  readonly messages_details?: Series;
  /** Counts of messages since the queue was created. Absent before the first message. */
  readonly message_stats?: Readonly<Record<string, Series | undefined>>;
}

const incoming = ['publish_details'];
/** Consumers acknowledge a message, or receive it without acknowledgement. */
const outgoing = ['ack_details', 'deliver_no_ack_details', 'get_no_ack_details'];

const counters = [...incoming, ...outgoing];

const hourSeconds = '3600';
const minuteSeconds = '60';
const parameters = {
  columns: [
    'name',
    'messages_unacknowledged',
    'messages_details.samples',
    ...counters.flatMap((series) => ['samples', 'rate'].map((part) => `message_stats.${series}.${part}`)),
  ].join(','),
  lengths_age: hourSeconds,
  lengths_incr: minuteSeconds,
  msg_rates_age: hourSeconds,
  msg_rates_incr: minuteSeconds,
};

const rateOf = ({ message_stats: stats = {} }: BrokerQueue, names: readonly string[]) =>
  names.reduce((sum, name) => sum + (stats[name]?.rate ?? 0), 0);

/** Sums of counters, by time. Times that one of the counters lacks are absent. */
function totals(series: readonly Series[]): Map<number, number> {
  const [first, ...others] = series.map(
    ({ samples = [] }) => new Map(samples.map(({ timestamp, sample }) => [timestamp, sample])),
  );
  return new Map(
    [...(first ?? [])].flatMap(([time, count]) =>
      others.every((other) => other.has(time))
        ? [[time, others.reduce((sum, other) => sum + (other.get(time) ?? 0), count)] as const]
        : [],
    ),
  );
}

function minutesOf({
  messages_details: lengths = {},
  message_stats: stats = {},
}: BrokerQueue): QueueMinute[] {
  const counted = [incoming, outgoing].map((names) => {
    const series = names.flatMap((name) => stats[name] ?? []);
    return series.length === 0 ? undefined : totals(series);
  });
  // RabbitMQ adds the latest sample to each series at a different time.
  const samples = [...(lengths.samples ?? [])]
    .reverse()
    .filter(({ timestamp }) => counted.every((total) => total === undefined || total.has(timestamp)));
  return samples.slice(1).map(({ timestamp: at, sample: messages }, index) => {
    const before = samples[index]?.timestamp ?? at;
    // The broker counts from zero again after a restart.
    const [came = 0, went = 0] = counted.map((total) =>
      Math.max(0, (total?.get(at) ?? 0) - (total?.get(before) ?? 0)),
    );
    return { at, in: came, out: went, messages };
  });
}

/**
 * Reads the last hour of the services' queues that are consumed, minute by minute, from RabbitMQ's statistics.
 * @throws Error if the management interface is unavailable or rejects the request
 */
export async function queueHistories({
  managementUrl,
  amqpUrl,
  platform,
}: Omit<IntegratorAccessOptions, 'publicUrl'>): Promise<readonly QueueHistory[]> {
  const prefix = new TopologyNames(platform).queue('');
  const pattern = `^${escaped(prefix)}[^.]+\\.(commands|on-[^.]+|(requests|queries)(\\.standby)?)$`;
  const queues = await new ManagementApi(managementUrl).matching<BrokerQueue>(
    ['queues', vhostOf(amqpUrl)],
    pattern,
    parameters,
  );
  return queues.map((queue) => ({
    queue: queue.name.slice(prefix.length),
    unfinished: queue.messages_unacknowledged ?? 0,
    perSecond: { in: rateOf(queue, incoming), out: rateOf(queue, outgoing) },
    minutes: minutesOf(queue),
  }));
}
