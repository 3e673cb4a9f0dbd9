import type { adminContracts } from '@receipts/contracts';
import { ServiceError, type Handler } from '@receipts/kernel';
import { field, problem } from '../pages/form-fields';
import { html, type Html } from '../pages/html';
import { pageReply } from '../pages/reply';
import { bodyOf, type Answer } from './answers';
import { layout } from './layout';
import { ago, asJson, badge, olderLink, table } from './parts';
import { signedIn, toSignIn, type OperationsDeps } from './signed-in';

type Page = Answer<'listOperatorActions'>;

const path = '/operator/pages/audit';
const pageCount = 50;

function outcome(status: number | null): Html {
  if (status === null) return badge('warn', 'not known');
  return badge(status < 400 ? 'good' : 'bad', String(status));
}

/** What `GET /operator/audit` says. */
export function auditView(
  { actions, _links }: Page,
  { retailer, fault }: { readonly retailer?: string | undefined; readonly fault?: string | undefined },
  base: string,
  now: Date,
): Html {
  const columns = ['When', 'Who', 'What', 'About', 'Answer'].map((head) => ({ head }));
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
      Everything that was asked for with the operator's token and is not merely looked at, also what was
      refused. Values are not kept.
    </p>
    ${problem(fault)}
    <form class="filter" method="get" action="${base}${path}">
      ${field({ name: 'retailer', label: 'Retailer', value: retailer })}
      <button class="quiet">Show</button>
    </form>
    <section class="card" aria-labelledby="log">
      <h2 id="log">Newest first</h2>
      ${rows.length === 0 ? html`<p class="empty">There are no actions yet.</p>` : table('log', columns, rows)}
    </section>
    ${olderLink(`${base}${path}`, _links.next?.href)} ${asJson('/operator/audit')}`;
}

export function operationsAudit(deps: OperationsDeps): Handler<(typeof adminContracts)['operationsAudit']> {
  const { base, endpoints, now } = deps;
  return async ({ query: { retailer, older }, headers }, call) => {
    const who = await signedIn(deps, headers, call);
    if (!who) return toSignIn(path);
    const query = { count: pageCount, ...(retailer && { retailer }), ...(older && { older }) };
    const reply = (page: Page, status = 200, fault?: string) => {
      const main = auditView(page, { retailer, fault }, base, now());
      return pageReply(layout({ title: 'Audit log', main, who, place: path, base }), status);
    };
    try {
      return reply(await bodyOf(endpoints.listOperatorActions, { query }, who.call));
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status >= 500) throw error;
      return reply({ actions: [], _links: {} }, error.status, error.description);
    }
  };
}
