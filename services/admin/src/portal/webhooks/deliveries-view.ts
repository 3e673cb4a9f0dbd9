import type { WebhookDelivery } from '@receipts/contracts';
import { postForm } from '../../pages/form-fields';
import { html, type Html } from '@receipts/html';
import { olderLink } from '../../pages/older-link';
import { badge, table } from '../../pages/table';
import { messageKey, type Language } from '../../pages/language';
import type { SignedIn } from '../signed-in';
import { webhooksPath } from './webhooks-path';

type Attempt = WebhookDelivery['log'][number];

const kinds = { succeeded: 'good', failed: 'bad', pending: 'warn' } as const;

const headersOf = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

/** Why an attempt or a delivery has failed, in the reader's language. */
function reasonText(code: string, { t }: Language): string {
  const key = messageKey(`webhookReason.${code}`);
  return key ? t(key) : code;
}

const laidOut = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    // A truncated body is not valid JSON.
    return body;
  }
};

function attemptView(attempt: Attempt, { language, retailer }: SignedIn): Html {
  const { timestamp, duration_ms: ms, outcome, error, request, response } = attempt;
  const { t, time } = language;
  const at = time(timestamp, retailer.settings.timezone, 'medium');
  return html`<h3>${at}, ${ms} ms: ${reasonText(outcome, language)} ${error}</h3>
    <pre tabindex="0" aria-label="${t('webhook.request')}">
POST ${request.url}
${headersOf(request.headers)}</pre>
    ${
      response &&
      html`<pre tabindex="0" aria-label="${t('webhook.response')}">
${response.status}
${headersOf(response.headers)}

${response.body}</pre>`
    }`;
}

function attemptsView(log: readonly Attempt[], body: string | null, who: SignedIn): Html {
  const { t } = who.language;
  return html`<details>
    <summary>${t('show')}</summary>
    ${log.map((attempt) => attemptView(attempt, who))}
    ${
      body !== null &&
      html`<h3>${t('webhook.body')}</h3>
        <pre tabindex="0">${laidOut(body)}</pre>`
    }
  </details>`;
}

function rowOf(delivery: WebhookDelivery, body: string | null, who: SignedIn): (Html | string)[] {
  const { t, time } = who.language;
  const { id, endpoint_id: endpoint, type, event_id, status, reason, attempts, log } = delivery;
  const reasonNote = reason !== null && html`<small>${reasonText(reason, who.language)}</small>`;
  return [
    html`<code>${type}</code><small>${event_id}</small>`,
    time(delivery.created_timestamp, who.retailer.settings.timezone),
    html`${badge(kinds[status], t(`status.${status}`))}${reasonNote}`,
    html`${attempts} ${log.length > 0 && attemptsView(log, body, who)}`,
    postForm(
      `${who.base}${webhooksPath}/${endpoint}`,
      who.session.csrf,
      html`<input type="hidden" name="delivery" value="${id}" />
        <button class="quiet" name="action" value="replay">${t('webhook.sendAgain')}</button>`,
    ),
  ];
}

const refreshSeconds = 3;

interface Deliveries {
  readonly id: string;
  /** Whether the endpoint receives events. */
  readonly state: Html;
  readonly deliveries: readonly WebhookDelivery[];
  readonly bodies: readonly (string | null)[];
  readonly older: string | undefined;
}

/** The deliveries to an endpoint, with its responses. */
export function deliveriesView({ id, state, deliveries, bodies, older }: Deliveries, who: SignedIn): Html {
  const { t } = who.language;
  const columns = [t('webhook.event'), t('time'), t('status'), t('webhook.attempts'), t('action')];
  const next = older && `${who.base}${webhooksPath}/${id}?${new URLSearchParams({ older }).toString()}`;
  return html`<section class="card" aria-labelledby="deliveries" data-refreshed="${refreshSeconds}">
    <h2 id="deliveries">${t('webhook.deliveries')} ${state}</h2>
    ${
      deliveries.length === 0
        ? html`<p class="empty">${t('webhook.noDeliveries')}</p>`
        : table(
            'deliveries',
            columns,
            deliveries.map((delivery, index) => rowOf(delivery, bodies[index] ?? null, who)),
          )
    }
    ${olderLink(next, who.language)}
  </section>`;
}
