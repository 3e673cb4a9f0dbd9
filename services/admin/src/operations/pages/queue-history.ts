import type { QueueHistory, QueueMinute } from '../../broker/queue-histories';
import { html, type Html } from '@receipts/html';
import { table } from '../../pages/table';
import type { Operations } from '../open-operations';
import type { WatchedQueue } from '../queues';
import { lineChart, rateText } from './chart';
import { countText, numbered } from './formats';

/** The last hour of the queues, or why it is not known. */
export type Histories =
  | { readonly known: readonly QueueHistory[] }
  | { readonly known?: undefined; readonly why: string };

/** An hour. */
export const minutesShown = 60;
const minutesPerRow = 5;

/** Reads the last hour of the queues. Pages are shown without it if RabbitMQ's management interface fails. */
export async function readHistories({
  queueHistories,
  log,
}: Pick<Operations, 'queueHistories' | 'log'>): Promise<Histories> {
  if (!queueHistories) return { why: 'the setting BROKER_MANAGEMENT_URL is missing' };
  try {
    const known = await queueHistories();
    return known.some(({ minutes }) => minutes.length > 0)
      ? { known }
      : { why: 'RabbitMQ has no statistics yet, or is configured to collect none' };
  } catch (error) {
    log.warn('the statistics of the queues could not be read', { error });
    return { why: 'RabbitMQ’s management interface does not respond' };
  }
}

/** The note of a page without the last hour. */
export const unknownNote = (histories: Histories): Html | undefined =>
  histories.known
    ? undefined
    : html`<p class="notice" role="status">
        What went in and out in the last hour is not known: ${histories.why}. The other figures come from the
        queues themselves.
      </p>`;

/** The last hour of all queues that are shown as one; undefined if it is not known. */
export function historyOf(
  { consumed }: WatchedQueue,
  { known }: Histories,
): Omit<QueueHistory, 'queue'> | undefined {
  if (!known) return undefined;
  const own = known.filter(({ queue }) => consumed.includes(queue));
  const sums = new Map<number, QueueMinute>();
  for (const { at, ...minute } of own.flatMap(({ minutes }) => minutes)) {
    const others = sums.get(at);
    sums.set(at, {
      at,
      in: (others?.in ?? 0) + minute.in,
      out: (others?.out ?? 0) + minute.out,
      messages: (others?.messages ?? 0) + minute.messages,
    });
  }
  const sum = (figure: (history: QueueHistory) => number) =>
    own.reduce((all, history) => all + figure(history), 0);
  return {
    unfinished: sum(({ unfinished }) => unfinished),
    perSecond: { in: sum(({ perSecond }) => perSecond.in), out: sum(({ perSecond }) => perSecond.out) },
    minutes: [...sums.values()].sort((one, other) => one.at - other.at),
  };
}

const clockOf = (at: number) => new Date(at).toISOString().slice(11, 16);

/** The minutes in groups of five, latest first, each with the messages that were left at its end. */
function hourTable(minutes: readonly QueueMinute[]): Html {
  const columns = ['Until (UTC)', { numbers: 'In' }, { numbers: 'Out' }, { numbers: 'Left in the queue' }];
  const rows = [];
  for (let end = minutes.length; end > 0; end -= minutesPerRow) {
    const group = minutes.slice(Math.max(0, end - minutesPerRow), end);
    const last = group.at(-1);
    rows.push([
      last ? clockOf(last.at) : '',
      countText(group.reduce((sum, minute) => sum + minute.in, 0)),
      countText(group.reduce((sum, minute) => sum + minute.out, 0)),
      countText(last?.messages ?? 0),
    ]);
  }
  return html`<details>
    <summary id="figures">Figures</summary>
    ${table('figures', columns, rows)}
  </details>`;
}

/** What went in and out of a queue in the last hour, as a chart and as a table. */
export function hourCard({ minutes, perSecond }: Omit<QueueHistory, 'queue'>): Html {
  const came = minutes.map((minute) => minute.in);
  const went = minutes.map((minute) => minute.out);
  const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);
  const words = `${numbered(sum(came), 'message')} in (line) and ${countText(sum(went))} out (dashes) in the last hour; now ${rateText(perSecond.in)} in and ${rateText(perSecond.out)} out a second.`;
  return html`<section class="card" aria-labelledby="hour">
    <h2 id="hour">Last hour</h2>
    ${lineChart({
      words,
      lines: [
        { className: 'done', values: came },
        { className: 'out', values: went },
      ],
      slots: minutesShown,
      since: '1 h ago',
      unit: 'a minute',
    })}
    ${hourTable(minutes)}
  </section>`;
}
