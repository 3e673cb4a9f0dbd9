import { webhookContracts, type WebhookEndpoint } from '@receipts/contracts';
import { success } from '../../pages/form-fields';
import { timeText } from '../../pages/formats';
import { html, type Html } from '../../pages/html';
import { badge, table } from '../../pages/table';
import type { Endpoint, Portal } from '../open-portal';
import { portalPage } from '../page';
import { checkPermission, type SignedIn } from '../signed-in';
import { webhooksPath } from './webhooks-path';

export function stateOf({ enabled, disabled_reason: reason, failing_since: since }: WebhookEndpoint): Html {
  if (!enabled) return badge(reason === null ? 'plain' : 'bad', reason ?? 'disabled');
  return since === null ? badge('good', 'enabled') : badge('warn', `failing since ${timeText(since)}`);
}

function rowOf(endpoint: WebhookEndpoint, base: string): (Html | string)[] {
  const { id, url, description, event_types: types } = endpoint;
  return [
    html`<a href="${base}${webhooksPath}/${id}">${url}</a
      >${description && html`<small>${description}</small>`}`,
    html`${types.map((type) => html`<code>${type}</code> `)}`,
    stateOf(endpoint),
  ];
}

async function listOf({ ask, base }: Portal, who: SignedIn): Promise<Html> {
  checkPermission(who, 'view.manage_webhook');
  const [{ body: listed }, { body: offered }] = await Promise.all([
    ask(webhookContracts.listWebhookEndpoints, { query: { count: 100 } }, who.call),
    ask(webhookContracts.listWebhookEventTypes, {}, who.call),
  ]);
  const endpoints = listed.endpoints.map((endpoint) => rowOf(endpoint, base));
  const types = offered.event_types.map(({ type, description, schema }) => [
    html`<code>${type}</code>`,
    description.replaceAll('`', ''),
    html`<a href="${base}/docs/events#${type}">Example</a> <a href="${base}${schema}">Schema</a>`,
  ]);
  const columns = (...heads: string[]) => heads.map((head) => ({ head }));
  return html`<section class="card">
      ${
        endpoints.length === 0
          ? html`<p class="empty">There are no endpoints yet.</p>`
          : table('webhooks', columns('Endpoint', 'Events', 'State'), endpoints)
      }
    </section>
    <section class="card" aria-labelledby="types">
      <h2 id="types">Event types</h2>
      ${table('types', columns('Type', 'When', 'Data'), types)}
    </section>`;
}

/** The webhook endpoints of the retailer, and the events that they can receive. */
export const portalWebhooks = (deps: Portal): Endpoint<'portalWebhooks'> =>
  portalPage(deps, {
    ...{ title: 'Webhooks', place: webhooksPath },
    form: ({ query: { done } }) =>
      html`<h1 id="webhooks">Webhooks</h1>
        <p class="lead">
          An endpoint is an address of yours. Each event that you choose is posted there as JSON, signed with
          a secret that only you and we know.
        </p>
        ${success(done === 'deleted' ? 'The endpoint was deleted.' : undefined)}
        <p class="actions"><a class="button" href="${deps.base}${webhooksPath}/new">New endpoint</a></p>`,
    result: (_, who) => listOf(deps, who),
  });
