import { deadLetterQueue, quarantineQueue, retryQueue, retrySteps } from '@receipts/messaging';
import type { QueueDepth } from '@receipts/messaging';
import { orUnavailable } from '../../broker/or-unavailable';
import { html, type Html } from '@receipts/html';
import { table } from '../../pages/table';
import type { HandlerOf, Operations } from '../open-operations';
import { watchedQueue, type WatchedQueue } from '../queues';
import { listDeadLetters } from '../use-cases/list-dead-letters';
import { deadLettersPath, pathOf, type DeadLetters } from './dead-letters';
import { countText, spanText } from './formats';
import { bodyOf, operatorPage } from './page';
import { ago } from './parts';
import { historyOf, hourCard, readHistories, unknownNote, type Histories } from './queue-history';
import { queuesPath } from './queues';
import { livePart } from './layout';

const failuresShown = 10;

/** A place where messages of a queue wait. */
interface Place {
  readonly queue: string;
  readonly meaning: string;
}

/** Where messages wait, from new to given up. */
function placesOf({ name, consumed, isRetried }: WatchedQueue): Place[] {
  const waiting = consumed.map((queue) => ({ queue, meaning: 'waiting for a consumer' }));
  if (!isRetried) return waiting;
  return [
    ...waiting,
    ...retrySteps.map((step) => ({
      queue: retryQueue(name, step),
      meaning: `failed, tried again after ${spanText(step.delayMs / 1000)}`,
    })),
    { queue: quarantineQueue(name), meaning: 'in progress when a process crashed, tried one at a time' },
    { queue: deadLetterQueue(name), meaning: 'failed, not tried again' },
  ];
}

export interface QueueView {
  readonly watched: WatchedQueue;
  readonly depths: readonly QueueDepth[];
  readonly histories: Histories;
  /** The newest dead letters. */
  readonly failures: readonly DeadLetters[];
}

function placesCard({ watched, depths, histories }: QueueView): Html {
  const unfinished = historyOf(watched, histories)?.unfinished;
  const columns = ['Queue', 'Its messages', { numbers: 'Messages' }, { numbers: 'Consumers' }];
  const rows = placesOf(watched).map(({ queue, meaning }) => {
    const depth = depths.find((each) => each.queue === queue);
    const isConsumed = watched.consumed.includes(queue);
    return [
      html`<code>${queue}</code>`,
      meaning,
      countText(depth?.messages ?? 0),
      isConsumed ? countText(depth?.consumers ?? 0) : html`<span class="soft">–</span>`,
    ];
  });
  return html`<section class="card" aria-labelledby="places">
    <h2 id="places">Waiting and failing</h2>
    ${table('places', columns, rows)}
    ${unfinished !== undefined && html`<p class="soft">Consumers are processing ${countText(unfinished)} more.</p>`}
  </section>`;
}

function failuresCard({ watched: { name }, failures }: QueueView, base: string, now: Date): Html {
  const all = `${base}${deadLettersPath}?${new URLSearchParams({ queue: name }).toString()}`;
  const rows = failures.map((message) => [
    html`<a href="${base}${pathOf(message)}">${message.type}</a><small>${message.retailer}</small>`,
    html`<span class="reason">${message.reason}</span>`,
    ago(message.last_failed_timestamp, now),
  ]);
  return html`<section class="card" aria-labelledby="failures">
    <h2 id="failures">Newest dead letters</h2>
    ${
      rows.length === 0
        ? html`<p class="empty">No dead letters.</p>`
        : html`${table('failures', ['Message', 'Reason', 'Last attempt'], rows)}
            <p><a href="${all}">Replay or discard them</a></p>`
    }
  </section>`;
}

/** Where the messages of a queue wait, what went in and out, and which messages failed. */
export function queueView(view: QueueView, base: string, now: Date): Html {
  const { watched, histories } = view;
  const history = historyOf(watched, histories);
  return html`<p class="crumb"><a href="${base}${queuesPath}">All queues</a></p>
    <h1><code>${watched.title}</code></h1>
    ${livePart(
      html`${unknownNote(histories)} ${history && hourCard(history)} ${placesCard(view)}
      ${watched.isRetried && failuresCard(view, base, now)}`,
    )}`;
}

export function operationsQueue(operations: Operations): HandlerOf<'operationsQueue'> {
  const { base, now } = operations;
  const list = listDeadLetters(operations);
  const facts = { title: 'A queue', menuPath: queuesPath, isLive: true } as const;
  return operatorPage(operations, facts, async (who, { params }) => {
    const watched = watchedQueue(params.queue);
    const query = { queue: watched.name, count: failuresShown };
    const [depths, histories, failures] = await Promise.all([
      orUnavailable(operations.depth(placesOf(watched).map(({ queue }) => queue))),
      readHistories(operations),
      watched.isRetried ? bodyOf(list, { query }, who.call).then(({ messages }) => messages) : [],
    ]);
    return queueView({ watched, depths, histories, failures }, base, now());
  });
}
