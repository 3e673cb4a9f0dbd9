import { field, problem } from '../../pages/form-fields';
import { html, type Html } from '@receipts/html';
import { olderLink } from '../../pages/older-link';
import { badge, table } from '../../pages/table';
import { ago, asJson, olderAddress } from './parts';
import type { HandlerOf, Operations } from '../open-operations';
import { listOperatorActions } from '../use-cases/list-operator-actions';
import { language } from './layout';
import { bodyOf, operatorPage, orRefused, type BodyOf } from './page';

type Page = BodyOf<'listOperatorActions'>;

const path = '/operator/pages/audit';
const pageCount = 50;

function outcome(status: number | null): Html {
  if (status === null) return badge('warn', 'not known');
  return badge(status < 400 ? 'good' : 'bad', String(status));
}

/** The response of `GET /operator/audit`. */
export function auditView(
  { actions, _links }: Page,
  { retailer, fault }: { readonly retailer?: string | undefined; readonly fault?: string | undefined },
  base: string,
  now: Date,
): Html {
  const columns = ['When', 'Who', 'What', 'About', 'Answer'];
  const rows = actions.map((each) => [
    ago(each.timestamp, now),
    html`<strong>${each.operator}</strong><small>${each.address}</small>`,
    html`${each.operation}<small>${each.method} ${each.path}</small>`,
    html`${each.retailer ?? html`<span class="soft">the platform</span>`}${
      each.fields.length > 0 && html`<small>${each.fields.join(', ')}</small>`
    }`,
    outcome(each.status),
  ]);
  return html`<h1>Audit log</h1>
    <p class="lead">
      Every change that was requested with the operator's token, including rejected ones. Values are not
      stored.
    </p>
    ${problem(fault)}
    <form class="filter" method="get" action="${base}${path}">
      ${field({ name: 'retailer', label: 'Retailer', value: retailer })}
      <button class="quiet">Show</button>
    </form>
    <section class="card" aria-labelledby="log">
      <h2 id="log">Newest first</h2>
      ${rows.length === 0 ? html`<p class="empty">There are no entries yet.</p>` : table('log', columns, rows)}
    </section>
    ${olderLink(olderAddress(`${base}${path}`, _links.next?.href), language)} ${asJson('/operator/audit')}`;
}

export function operationsAudit(operations: Operations): HandlerOf<'operationsAudit'> {
  const { base, now } = operations;
  const list = listOperatorActions(operations);
  return operatorPage(
    operations,
    { title: 'Audit log', menuPath: path },
    (who, { query: { retailer, older } }) => {
      const query = { count: pageCount, ...(retailer && { retailer }), ...(older && { older }) };
      const view = (page: Page, fault?: string) => auditView(page, { retailer, fault }, base, now());
      return orRefused(
        async () => view(await bodyOf(list, { query }, who.call)),
        ({ description }) => view({ actions: [], _links: {} }, description),
      );
    },
  );
}
