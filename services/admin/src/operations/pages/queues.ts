import { integratorQueues, rpcQueue } from '@receipts/messaging';
import { html, type Html } from '@receipts/html';
import { badge, table } from '../../pages/table';
import { rateText, sparkline } from './chart';
import { countText, spanText } from './formats';
import { asJson } from './parts';
import type { HandlerOf, Operations } from '../open-operations';
import { watchedQueues } from '../queues';
import { getStatus } from '../use-cases/get-status';
import { deadLettersPath } from './dead-letters';
import { bodyOf, operatorPage, type BodyOf } from './page';
import { historyOf, minutesShown, readHistories, unknownNote, type Histories } from './queue-history';
import { livePart } from './layout';

export const queuesPath = '/operator/pages/queues';

type Status = BodyOf<'getStatus'>;

function incompleteCard(incomplete: NonNullable<Status['incomplete_queues']>): Html {
  const columns = ['Queue', { numbers: 'Members' }, { numbers: 'Expected' }];
  const rows = incomplete.map(({ queue, members, expected }) => [
    html`<code>${queue}</code>`,
    badge('bad', countText(members)),
    countText(expected),
  ]);
  return html`<section class="card" aria-labelledby="incomplete">
    <h2 id="incomplete">Missing members</h2>
    <p>
      These queues do not have a member on every node of the broker. Make the new node a member of all queues:
      <code>rabbitmq-queues grow &lt;node&gt; all</code>
    </p>
    ${table('incomplete', columns, rows)}
  </section>`;
}

interface QueueRow {
  readonly name: string;
  readonly title: string;
  readonly waiting: number;
  readonly seconds: number;
  /** Undefined if the queue has none. */
  readonly deadLetters?: number;
  /** Undefined if the queue need not have any. */
  readonly consumers?: number;
}

/** The requests to a service are shown as one queue. The gateway has no queue. */
function rowsOf({ services, queues }: Status): QueueRow[] {
  const requests = services.flatMap<QueueRow>(({ service, waiting, waiting_seconds: seconds, instances }) =>
    service === 'gateway'
      ? []
      : [
          {
            name: rpcQueue(service, 'command'),
            title: `requests to ${service}`,
            waiting,
            seconds,
            consumers: instances,
          },
        ],
  );
  const retrying = queues.map<QueueRow>(
    ({ queue, messages, waiting_seconds: seconds, consumers, dead_letters }) => ({
      name: queue,
      title: queue,
      waiting: messages,
      seconds,
      deadLetters: dead_letters,
      // Integrators need not be connected.
      ...(queue !== integratorQueues && { consumers }),
    }),
  );
  return [...retrying, ...requests].sort(
    (a, b) =>
      b.waiting - a.waiting || (b.deadLetters ?? 0) - (a.deadLetters ?? 0) || (a.title < b.title ? -1 : 1),
  );
}

const none = html`<span class="soft">–</span>`;

function cellsOf(row: QueueRow, histories: Histories, base: string): (Html | string)[] {
  const { name, title, waiting, seconds, deadLetters, consumers } = row;
  const watched = watchedQueues.find((queue) => queue.name === name);
  const history = watched && historyOf(watched, histories);
  const label = html`<code>${title}</code>`;
  return [
    watched ? html`<a href="${base}${queuesPath}/${encodeURIComponent(name)}">${label}</a>` : label,
    html`${countText(waiting)}${waiting > 0 && html`<small>for ${spanText(seconds)}</small>`}`,
    history ? rateText(history.perSecond.in) : none,
    history ? rateText(history.perSecond.out) : none,
    history
      ? sparkline(
          history.minutes.map((minute) => minute.in),
          minutesShown,
        )
      : none,
    consumers === undefined ? none : consumers === 0 ? badge('bad', 'none') : countText(consumers),
    deadLetters === undefined
      ? none
      : deadLetters === 0
        ? '0'
        : html`<a href="${base}${deadLettersPath}?${new URLSearchParams({ queue: name }).toString()}"
            >${countText(deadLetters)}</a
          >`,
  ];
}

/** The part of `GET /operator/status` about queues, and what went in and out of each. */
export function queuesView(status: Status, histories: Histories, base: string): Html {
  const { incomplete_queues: incomplete } = status;
  const columns = [
    'Queue',
    { numbers: 'Waiting' },
    { numbers: 'In a second' },
    { numbers: 'Out a second' },
    'In, last hour',
    { numbers: 'Consumers' },
    { numbers: 'Dead letters' },
  ];
  return html`<h1>Queues</h1>
    <p class="lead">
      The messages in each queue and the time since it was last empty; no message is older than that.
    </p>
    ${livePart(
      html`${unknownNote(histories)} ${incomplete && incomplete.length > 0 && incompleteCard(incomplete)}
        <section class="card" aria-labelledby="queues">
          <h2 id="queues">Longest first</h2>
          ${table(
            'queues',
            columns,
            rowsOf(status).map((row) => cellsOf(row, histories, base)),
          )}
        </section>`,
    )}
    ${asJson('/operator/status')}`;
}

export function operationsQueues(operations: Operations): HandlerOf<'operationsQueues'> {
  const status = getStatus(operations);
  const facts = { title: 'Queues', menuPath: queuesPath, isLive: true } as const;
  return operatorPage(operations, facts, async (who) => {
    const [found, histories] = await Promise.all([bodyOf(status, {}, who.call), readHistories(operations)]);
    return queuesView(found, histories, operations.base);
  });
}
