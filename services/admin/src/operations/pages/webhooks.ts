import { deliveryContracts } from '@receipts/contracts';
import type { ReceivedReply } from '@receipts/kernel';
import { html, type Html } from '@receipts/html';
import { badge, table } from '../../pages/table';
import { countText } from './formats';
import { ago, asJson } from './parts';
import type { HandlerOf, Operations } from '../open-operations';
import { operatorPage } from './page';

const path = '/operator/pages/webhooks';
const pendingMax = 1_000;

type TroubledEndpoint = ReceivedReply<
  typeof deliveryContracts.listTroubledWebhookEndpoints
>['body']['endpoints'][number];

const reasonText = {
  gone: 'it returned 410 Gone',
  failing: 'it kept failing',
  invalid_filter: 'its filter became invalid',
} as const;

function stateOf(
  { disabled_reason: reason, disabled_timestamp: disabled, failing_since: failing }: TroubledEndpoint,
  now: Date,
) {
  if (reason !== null)
    return html`${badge('bad', `disabled: ${reasonText[reason]}`)} <small>${ago(disabled, now)}</small>`;
  return html`${badge('warn', 'every attempt fails')} <small>since ${ago(failing, now)}</small>`;
}

/** The response of `GET /operator/webhooks/troubled`. */
export function webhooksView(endpoints: readonly TroubledEndpoint[], now: Date): Html {
  const columns = ['Endpoint', 'Retailer', 'State', { numbers: 'Waiting' }, 'Last failure'];
  const rows = endpoints.map((each) => [
    html`<strong>${each.origin}</strong><small>${each.id}</small>`,
    each.retailer,
    stateOf(each, now),
    each.pending >= pendingMax ? `${countText(pendingMax)} or more` : countText(each.pending),
    each.last_failure === null
      ? html`<span class="soft">not known</span>`
      : html`<code>${each.last_failure}</code>`,
  ]);
  return html`<h1>Failing webhook endpoints</h1>
    <p class="lead">
      Receivers that have not accepted events for a while, and those that were disabled for this reason. The
      retailers can request missed events again for 30 days.
    </p>
    ${
      rows.length === 0
        ? html`<p class="card empty">All endpoints are accepting events.</p>`
        : html`<section class="card" aria-labelledby="endpoints">
            <h2 id="endpoints">Longest failing first, then disabled</h2>
            ${table('endpoints', columns, rows)}
          </section>`
    }
    ${asJson('/operator/webhooks/troubled')}`;
}

export const operationsWebhooks = (operations: Operations): HandlerOf<'operationsWebhooks'> =>
  operatorPage(operations, { title: 'Webhooks', menuPath: path }, async (who) => {
    const contract = deliveryContracts.listTroubledWebhookEndpoints;
    const { body } = await operations.ask(contract, {}, who.call);
    return webhooksView(body.endpoints, operations.now());
  });
