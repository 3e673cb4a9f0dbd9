import type { adminContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { html, type Html } from '../pages/html';
import { livePageReply } from '../pages/reply';
import { bodyOf, type Answer } from './answers';
import { countText, spanText } from './formats';
import { layout } from './layout';
import { asJson, badge, table } from './parts';
import { signedIn, toSignIn, type OperationsDeps } from './signed-in';

/** What `GET /operator/status` says of queues. */
export function queuesView({ services, queues }: Answer<'getStatus'>, base: string): Html {
  const requests = services.map(({ service, waiting, waiting_seconds: seconds, instances }) => ({
    name: `requests to ${service}`,
    ...{ waiting, seconds, deadLetters: undefined, consumers: instances },
  }));
  const safe = queues.map((each) => ({
    name: each.queue,
    ...{
      waiting: each.messages,
      seconds: each.waiting_seconds,
      deadLetters: each.dead_letters,
      consumers: each.consumers,
    },
  }));
  const columns = [
    { head: 'Queue' },
    { head: 'Waiting', isNumber: true },
    { head: 'Non-empty for', isNumber: true },
    { head: 'Consumers', isNumber: true },
    { head: 'Dead letters', isNumber: true },
  ];
  const deadLettersPath = `${base}/operator/pages/dead-letters`;
  const rows = [...safe, ...requests]
    .sort(
      (a, b) =>
        b.waiting - a.waiting || (b.deadLetters ?? 0) - (a.deadLetters ?? 0) || (a.name < b.name ? -1 : 1),
    )
    .map(({ name, waiting, seconds, deadLetters, consumers }) => [
      html`<code>${name}</code>`,
      countText(waiting),
      waiting === 0 ? html`<span class="soft">empty</span>` : spanText(seconds),
      consumers === 0 ? badge('bad', 'none') : countText(consumers),
      deadLetters === undefined
        ? html`<span class="soft">cannot be</span>`
        : deadLetters === 0
          ? '0'
          : html`<a href="${deadLettersPath}?${new URLSearchParams({ queue: name }).toString()}"
              >${countText(deadLetters)}</a
            >`,
    ]);
  return html`<h1>Queues</h1>
    <p class="lead">
      How deep they are, and for how long each has not been seen empty: no message in it is older.
    </p>
    <section class="card" aria-labelledby="queues" data-live>
      <h2 id="queues">Longest first</h2>
      ${table('queues', columns, rows)}
    </section>
    ${asJson('/operator/status')}`;
}

export function operationsQueues(deps: OperationsDeps): Handler<(typeof adminContracts)['operationsQueues']> {
  const { base, endpoints } = deps;
  return async ({ headers }, call) => {
    const who = await signedIn(deps, headers, call);
    if (!who) return toSignIn('/operator/pages/queues');
    const status = await bodyOf(endpoints.getStatus, {}, who.call);
    const main = queuesView(status, base);
    return livePageReply(
      layout({ title: 'Queues', main, who, place: '/operator/pages/queues', base, isLive: true }),
    );
  };
}
