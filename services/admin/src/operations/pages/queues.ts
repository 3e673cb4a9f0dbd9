import { integratorQueues } from '@receipts/messaging';
import { html, type Html } from '../../pages/html';
import { badge, table } from '../../pages/table';
import { countText, spanText } from './formats';
import { asJson } from './parts';
import type { Endpoint, Operations } from '../open-operations';
import { getStatus } from '../use-cases/get-status';
import { bodyOf, operatorPage, type BodyOf } from './page';

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

/** The part of `GET /operator/status` about queues. */
export function queuesView({ services, queues, incomplete_queues: incomplete }: Status, base: string): Html {
  const requests = services.map(({ service, waiting, waiting_seconds: seconds, instances }) => ({
    name: `requests to ${service}`,
    waiting,
    seconds,
    deadLetters: undefined,
    consumers: instances,
  }));
  const retryingQueues = queues.map((each) => ({
    name: each.queue,
    waiting: each.messages,
    seconds: each.waiting_seconds,
    deadLetters: each.dead_letters,
    // Integrators need not be connected.
    consumers: each.queue === integratorQueues ? undefined : each.consumers,
  }));
  const columns = [
    'Queue',
    { numbers: 'Waiting' },
    { numbers: 'Non-empty for' },
    { numbers: 'Consumers' },
    { numbers: 'Dead letters' },
  ];
  const deadLettersPath = `${base}/operator/pages/dead-letters`;
  const rows = [...retryingQueues, ...requests]
    .sort(
      (a, b) =>
        b.waiting - a.waiting || (b.deadLetters ?? 0) - (a.deadLetters ?? 0) || (a.name < b.name ? -1 : 1),
    )
    .map(({ name, waiting, seconds, deadLetters, consumers }) => [
      html`<code>${name}</code>`,
      countText(waiting),
      waiting === 0 ? html`<span class="soft">empty</span>` : spanText(seconds),
      consumers === undefined
        ? html`<span class="soft">–</span>`
        : consumers === 0
          ? badge('bad', 'none')
          : countText(consumers),
      deadLetters === undefined
        ? html`<span class="soft">–</span>`
        : deadLetters === 0
          ? '0'
          : html`<a href="${deadLettersPath}?${new URLSearchParams({ queue: name }).toString()}"
              >${countText(deadLetters)}</a
            >`,
    ]);
  return html`<h1>Queues</h1>
    <p class="lead">
      The length of each queue and the time since it was last empty. No message in a queue is older than that.
    </p>
    <div data-live>
      ${incomplete && incomplete.length > 0 && incompleteCard(incomplete)}
      <section class="card" aria-labelledby="queues">
        <h2 id="queues">Longest first</h2>
        ${table('queues', columns, rows)}
      </section>
    </div>
    ${asJson('/operator/status')}`;
}

export function operationsQueues(operations: Operations): Endpoint<'operationsQueues'> {
  const status = getStatus(operations);
  const facts = { title: 'Queues', menuPath: '/operator/pages/queues', isLive: true } as const;
  return operatorPage(operations, facts, async (who) =>
    queuesView(await bodyOf(status, {}, who.call), operations.base),
  );
}
