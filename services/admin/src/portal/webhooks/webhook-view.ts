import {
  integratorEvents,
  type WebhookDelivery,
  type WebhookEndpoint,
  type WebhookEndpointSettings,
} from '@receipts/contracts';
import { choice, field, postForm, problem, selectField, success } from '../../pages/form-fields';
import { html, type Html } from '@receipts/html';
import { doneText, type DoneTexts } from '../done-text';
import type { SignedIn } from '../signed-in';
import type { Language, MessageKey } from '../../pages/language';
import { deliveriesView } from './deliveries-view';
import { eventText, stateOf } from './webhooks';
import { webhooksPath } from './webhooks-path';

/** An endpoint as shown in its form. */
export type Draft = Readonly<Record<keyof WebhookEndpointSettings, string>>;

export interface WebhookView {
  readonly draft: Draft;
  /** How many receipts the filter would have matched. */
  readonly matches: string;
  /** Absent for a new endpoint. */
  readonly stored?: WebhookEndpoint | undefined;
  readonly deliveries?: readonly WebhookDelivery[];
  /** The request bodies of the deliveries; null if their event is no longer stored. */
  readonly bodies?: readonly (string | null)[];
  /** The cursor of the next page of deliveries. */
  readonly older?: string | undefined;
  readonly done?: string | undefined;
  readonly fault?: string | undefined;
  /** The secret, which is shown only once. */
  readonly secret?: string | undefined;
}

export const newDraft: Draft = {
  url: '',
  description: '',
  event_types: 'receipt.created receipt.updated',
  filter: '',
  payload: 'thin',
  ordering: 'none',
  enabled: 'true',
};

export const draftOf = (endpoint: WebhookEndpoint): Draft => ({
  url: endpoint.url,
  description: endpoint.description ?? '',
  event_types: endpoint.event_types.join(' '),
  filter: endpoint.filter ?? '',
  payload: endpoint.payload,
  ordering: endpoint.ordering,
  enabled: String(endpoint.enabled),
});

/** The event types and globs of a draft. */
export const typesIn = ({ event_types: text }: Draft): readonly string[] =>
  text.split(/[\s,]+/).filter((type) => type !== '');

const doneTexts: DoneTexts = {
  saved: 'webhook.saved',
  tested: 'webhook.tested',
  recovering: 'webhook.recovering',
  replayed: 'webhook.replayed',
};

function secretCard(secret: string, { t }: Language): Html {
  return html`<section class="card" aria-labelledby="secret">
    <h2 id="secret">${t('webhook.secret')}</h2>
    <p>${t('webhook.secretText')}</p>
    <pre>${secret}</pre>
  </section>`;
}

/** Check boxes for the event types, and a field for globs. */
function typeChoices(draft: Draft, language: Language): Html {
  const { t } = language;
  const chosen = typesIn(draft);
  const globs = chosen.filter((type) => !integratorEvents.some((event) => event.type === type));
  return html`<fieldset>
      <legend>${t('webhooks.events')}</legend>
      ${integratorEvents.map(({ type }) =>
        choice({
          name: 'event_types',
          value: type,
          label: eventText(type, language),
          note: html`<code>${type}</code>`,
          isChosen: chosen.includes(type),
        }),
      )}
    </fieldset>
    ${field({
      name: 'event_types',
      label: t('webhook.globs'),
      value: globs.join(' '),
      hint: t('webhook.globsHint', { example: 'receipt.*' }),
    })}`;
}

function settingsForm({ draft, matches, stored }: WebhookView, who: SignedIn): Html {
  const { t } = who.language;
  const option = (value: string, label: MessageKey) => ({ value, label: t(label) });
  const setting = (name: keyof Draft, label: MessageKey, options: ReturnType<typeof option>[]) =>
    selectField({ name, label: t(label), value: draft[name], options });
  const inside = html`${field({ name: 'url', label: t('webhook.url'), type: 'url', value: draft.url, required: true })}
    ${field({ name: 'description', label: t('webhook.note'), value: draft.description })}
    ${typeChoices(draft, who.language)}
    ${field({
      name: 'filter',
      label: t('webhook.filter'),
      value: draft.filter,
      hint: t('webhook.filterHint', { example: '+total:[100 TO *]' }),
    })}
    <p class="soft" role="status" data-live>${matches}</p>
    <div class="finder">
      ${setting('payload', 'webhook.content', [option('thin', 'webhook.thin'), option('full', 'webhook.full')])}
      ${setting('ordering', 'webhook.order', [option('none', 'webhook.unordered'), option('subject', 'webhook.ordered')])}
      ${setting('enabled', 'state', [option('true', 'webhook.stateEnabled'), option('false', 'webhook.stateDisabled')])}
    </div>
    <div class="actions">
      <button name="action" value="save">${t('save')}</button>
      <button class="quiet" name="action" value="run">${t('webhook.count')}</button>
    </div>`;
  const action = `${who.base}${webhooksPath}/${stored?.id ?? 'new'}`;
  const attributes = { className: 'card', label: t('webhooks.endpoint'), isLive: true };
  return postForm(action, who.session.csrf, inside, attributes);
}

function actionForms({ id }: WebhookEndpoint, who: SignedIn): Html {
  const { t } = who.language;
  const form = (inside: Html) => postForm(`${who.base}${webhooksPath}/${id}`, who.session.csrf, inside);
  return html`<section class="card" aria-labelledby="actions">
    <h2 id="actions">${t('actions')}</h2>
    ${form(html`<button class="quiet" name="action" value="test">${t('webhook.test')}</button>`)}
    <details>
      <summary>${t('webhook.recover')}</summary>
      ${form(
        html`${field({
            name: 'since',
            label: t('webhook.since'),
            type: 'date',
            required: true,
            hint: t('webhook.recoverHint'),
          })} <button class="quiet" name="action" value="recover">${t('webhook.sendMissed')}</button>`,
      )}
    </details>
    <details>
      <summary>${t('webhook.newSecret')}</summary>
      <p>${t('webhook.newSecretText')}</p>
      ${form(html`<button class="quiet" name="action" value="rotate">${t('webhook.makeSecret')}</button>`)}
    </details>
    <details>
      <summary>${t('webhook.delete')}</summary>
      <p>${t('webhook.deleteText')}</p>
      ${form(html`<button class="danger" name="action" value="delete">${t('webhook.deleteButton')}</button>`)}
    </details>
  </section>`;
}

/** An endpoint, with its actions and its deliveries. */
export function webhookView(view: WebhookView, who: SignedIn): Html {
  const { stored, done, fault, secret, deliveries = [], bodies = [], older } = view;
  const { t } = who.language;
  const form = settingsForm(view, who);
  return html`<p class="crumb"><a href="${who.base}${webhooksPath}">${t('webhooks.all')}</a></p>
    <h1>${stored?.url ?? t('webhooks.new')}</h1>
    ${problem(fault)} ${success(doneText(doneTexts, done, who.language))}
    ${secret !== undefined && secretCard(secret, who.language)}
    ${stored ? html`<div class="bench">${form} ${actionForms(stored, who)}</div>` : form}
    ${stored && deliveriesView({ id: stored.id, state: stateOf(stored, who), deliveries, bodies, older }, who)}`;
}
