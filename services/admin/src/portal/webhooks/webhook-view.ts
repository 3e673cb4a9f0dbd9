import type { WebhookDelivery, WebhookEndpoint, WebhookEndpointSettings } from '@receipts/contracts';
import { field, postForm, problem, selectField, success } from '../../pages/form-fields';
import { html, type Html } from '../../pages/html';
import type { SignedIn } from '../signed-in';
import { deliveriesView } from './deliveries-view';
import { webhooksPath } from './webhooks-path';

/** An endpoint as its form shows it. */
export type Draft = Readonly<Record<keyof WebhookEndpointSettings, string>>;

export interface WebhookView {
  readonly draft: Draft;
  /** How many receipts the filter would have let through. */
  readonly matches: string;
  /** Absent for a new endpoint. */
  readonly stored?: WebhookEndpoint | undefined;
  readonly deliveries?: readonly WebhookDelivery[];
  /** The cursor of the next page of deliveries. */
  readonly older?: string | undefined;
  readonly done?: string | undefined;
  readonly fault?: string | undefined;
  /** Shown once. */
  readonly secret?: string | undefined;
}

export const newDraft: Draft = {
  url: '',
  description: '',
  event_types: 'receipt.*',
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

const doneTexts: Readonly<Record<string, string>> = {
  saved: 'The endpoint was saved.',
  tested: 'A test event is being sent. Reload the page to see the result.',
  recovering: 'Missed events are being sent, the oldest first.',
  replayed: 'The event is being sent again.',
};

function secretCard(secret: string): Html {
  return html`<section class="card" aria-labelledby="secret">
    <h2 id="secret">Secret</h2>
    <p>Copy it now: it is not shown again. Your endpoint verifies the signature of each event with it.</p>
    <pre>${secret}</pre>
  </section>`;
}

function settingsForm({ draft, matches, stored }: WebhookView, who: SignedIn, base: string): Html {
  const option = (value: string, label: string) => ({ value, label });
  const choice = (name: keyof Draft, label: string, options: ReturnType<typeof option>[]) =>
    selectField({ name, label, value: draft[name], options });
  return html`<form
    class="card"
    method="post"
    action="${base}${webhooksPath}/${stored?.id ?? 'new'}"
    aria-label="Endpoint"
    data-live-form
  >
    <input type="hidden" name="csrf" value="${who.session.csrf}" />
    ${field({ name: 'url', label: 'URL', type: 'url', value: draft.url, required: true })}
    ${field({ name: 'description', label: 'Note', value: draft.description })}
    ${field({
      name: 'event_types',
      label: 'Events',
      value: draft.event_types,
      hint: 'Types separated by spaces; * stands for any characters. All types are listed under Webhooks.',
    })}
    ${field({
      name: 'filter',
      label: 'Only receipts that match',
      value: draft.filter,
      hint: 'In the search language, such as +total:[100 TO *]. Empty for all receipts.',
    })}
    <p class="soft" role="status" data-live>${matches}</p>
    <div class="finder">
      ${choice('payload', 'Content', [option('thin', 'Facts only'), option('full', 'With the whole receipt')])}
      ${choice('ordering', 'Order', [option('none', 'As soon as possible'), option('subject', 'In the order of each receipt')])}
      ${choice('enabled', 'State', [option('true', 'Enabled'), option('false', 'Disabled')])}
    </div>
    <div class="actions">
      <button name="action" value="save">Save</button>
      <button class="quiet" name="action" value="run">Count matches</button>
    </div>
  </form>`;
}

function actionForms({ id }: WebhookEndpoint, who: SignedIn, base: string): Html {
  const form = (inside: Html) => postForm(`${base}${webhooksPath}/${id}`, who.session.csrf, inside);
  return html`<section class="card" aria-labelledby="actions">
    <h2 id="actions">Actions</h2>
    ${form(html`<button class="quiet" name="action" value="test">Send a test event</button>`)}
    <details>
      <summary>Send missed events</summary>
      ${form(
        html`${field({
            name: 'since',
            label: 'Since',
            type: 'date',
            required: true,
            hint: 'Events whose delivery failed, and those that occurred while the endpoint was disabled.',
          })} <button class="quiet" name="action" value="recover">Send</button>`,
      )}
    </details>
    <details>
      <summary>New secret</summary>
      <p>For 24 hours, events are signed with both secrets.</p>
      ${form(html`<button class="quiet" name="action" value="rotate">Make a new secret</button>`)}
    </details>
    <details>
      <summary>Delete</summary>
      <p>Events are no longer sent to this endpoint, and its deliveries are no longer shown.</p>
      ${form(html`<button class="danger" name="action" value="delete">Delete the endpoint</button>`)}
    </details>
  </section>`;
}

/** An endpoint with what can be done with it, and what it was sent. */
export function webhookView(view: WebhookView, who: SignedIn, base: string): Html {
  const { stored, done, fault, secret, deliveries = [], older } = view;
  const form = settingsForm(view, who, base);
  return html`<p class="crumb"><a href="${base}${webhooksPath}">All endpoints</a></p>
    <h1>${stored?.url ?? 'New endpoint'}</h1>
    ${problem(fault)} ${success(done === undefined ? undefined : doneTexts[done])}
    ${secret !== undefined && secretCard(secret)}
    ${stored ? html`<div class="bench">${form} ${actionForms(stored, who, base)}</div>` : form}
    ${stored && deliveriesView({ id: stored.id, deliveries, older }, who, base)}`;
}
