import { deliveryContracts } from '@receipts/contracts';
import type { ReceivedReply } from '@receipts/kernel';
import { html, type Html } from '@receipts/html';
import { badge, table } from '../../pages/table';
import { countText, momentText, numbered } from './formats';
import { ago, asJson } from './parts';
import type { HandlerOf, Operations } from '../open-operations';
import { operatorPage } from './page';

const path = '/operator/pages/deliveries';

type Waiting = ReceivedReply<typeof deliveryContracts.listWaitingDeliveries>['body'];

/** The response of `GET /operator/deliveries/waiting`. */
export function deliveriesView({ groups, is_complete: isComplete }: Waiting, now: Date): Html {
  const columns = ['Retailer', 'Channel', 'Last attempt', { numbers: 'Waiting' }, 'Oldest', 'Next attempt'];
  const rows = groups.map((each) => [
    html`<strong>${each.retailer}</strong>`,
    each.channel,
    each.reason === null
      ? html`<span class="soft">none yet</span>`
      : html`<code>${each.reason}</code><small>up to ${numbered(each.attempts, 'attempt')}</small>`,
    countText(each.deliveries),
    ago(each.oldest_timestamp, now),
    momentText(each.next_attempt_timestamp),
  ]);
  return html`<h1>Waiting deliveries</h1>
    <p class="lead">E-mails and messages of all retailers that have not been sent yet.</p>
    ${
      rows.length === 0
        ? html`<p class="card empty">No deliveries are waiting.</p>`
        : html`<section class="card" aria-labelledby="waiting">
            <h2 id="waiting">Largest group first ${!isComplete && badge('warn', 'of the first 10,000')}</h2>
            ${table('waiting', columns, rows)}
          </section>`
    }
    ${asJson('/operator/deliveries/waiting')}`;
}

export const operationsDeliveries = (operations: Operations): HandlerOf<'operationsDeliveries'> =>
  operatorPage(operations, { title: 'Deliveries', menuPath: path }, async (who) => {
    const { body } = await operations.ask(deliveryContracts.listWaitingDeliveries, {}, who.call);
    return deliveriesView(body, operations.now());
  });
