import { webhookContracts, type WebhookEndpoint } from '@receipts/contracts';
import { success } from '../../pages/form-fields';
import { html, type Html } from '@receipts/html';
import { messageKey, type Language } from '../../pages/language';
import { olderLink, parameterOf } from '../../pages/older-link';
import { badge, table } from '../../pages/table';
import type { HandlerOf, Portal } from '../open-portal';
import { portalPage } from '../page';
import { checkPermission, type SignedIn } from '../signed-in';
import { webhooksPath } from './webhooks-path';

/** How often the page shows the state of the endpoints anew. */
const refreshSeconds = 5;

/** Whether an endpoint receives events. */
export function stateOf(endpoint: WebhookEndpoint, { language, retailer }: SignedIn): Html {
  const { enabled, disabled_reason: reason, failing_since: since } = endpoint;
  const { t, time } = language;
  if (!enabled) return badge(reason === null ? 'plain' : 'bad', t(`webhooks.${reason ?? 'disabled'}`));
  if (since === null) return badge('good', t('webhooks.enabled'));
  return badge('warn', t('webhooks.failingSince', { time: time(since, retailer.settings.timezone) }));
}

function rowOf(endpoint: WebhookEndpoint, who: SignedIn): (Html | string)[] {
  const { id, url, description, event_types: types } = endpoint;
  return [
    html`<a href="${who.base}${webhooksPath}/${id}">${url}</a
      >${description && html`<small>${description}</small>`}`,
    html`${types.map((type) => html`<code>${type}</code> `)}`,
    stateOf(endpoint, who),
  ];
}

/** When an event occurs, in the reader's language. */
export function eventText(type: string, { t }: Language): string | undefined {
  const key = messageKey(`event.${type}`);
  return key && t(key);
}

async function listOf({ ask }: Portal, who: SignedIn, older: string | undefined): Promise<Html> {
  checkPermission(who, 'view.manage_webhook');
  const { t } = who.language;
  const [{ body: listed }, { body: offered }] = await Promise.all([
    ask(webhookContracts.listWebhookEndpoints, { query: { count: 100, ...(older && { older }) } }, who.call),
    ask(webhookContracts.listWebhookEventTypes, {}, who.call),
  ]);
  const endpoints = listed.endpoints.map((endpoint) => rowOf(endpoint, who));
  const types = offered.event_types.map(({ type, description, schema }) => [
    html`<code>${type}</code>`,
    eventText(type, who.language) ?? html`<span lang="en">${description}</span>`,
    html`<a href="${who.base}/docs/events#${type}">${t('webhooks.example')}</a>
      <a href="${who.base}${schema}">${t('webhooks.schema')}</a>`,
  ]);
  const next = parameterOf(listed._links.next, 'older');
  const address = next && `${who.base}${webhooksPath}?${new URLSearchParams({ older: next }).toString()}`;
  return html`<section class="card" data-refreshed="${refreshSeconds}">
      ${
        endpoints.length === 0
          ? html`<p class="empty">${t('webhooks.none')}</p>`
          : table('webhooks', [t('webhooks.endpoint'), t('webhooks.events'), t('state')], endpoints)
      }
      ${olderLink(address, who.language)}
    </section>
    <section class="card" aria-labelledby="types">
      <h2 id="types">${t('webhooks.types')}</h2>
      ${table('types', [t('type'), t('webhooks.when'), t('webhooks.data')], types)}
    </section>`;
}

/** The webhook endpoints of the retailer, and the events that they can receive. */
export const portalWebhooks = (deps: Portal): HandlerOf<'portalWebhooks'> =>
  portalPage(deps, {
    title: 'menu.webhooks',
    menuPath: webhooksPath,
    script: '/portal/live-part.js',
    head: ({ query: { done } }, { base, language: { t } }) =>
      html`<h1 id="webhooks">${t('menu.webhooks')}</h1>
        <p class="lead">${t('webhooks.lead')}</p>
        ${success(done === 'deleted' ? t('webhooks.deleted') : undefined)}
        <p class="actions">
          <a class="button" href="${base}${webhooksPath}/new">${t('webhooks.new')}</a>
        </p>`,
    result: ({ query: { older } }, who) => listOf(deps, who, older),
  });
