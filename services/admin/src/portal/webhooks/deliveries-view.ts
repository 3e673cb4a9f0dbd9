import type { WebhookDelivery } from '@receipts/contracts';
import { timeText } from '../../pages/formats';
import { postForm } from '../../pages/form-fields';
import { html, type Html } from '../../pages/html';
import { badge, table } from '../../pages/table';
import type { SignedIn } from '../signed-in';
import { webhooksPath } from './webhooks-path';

type Attempt = WebhookDelivery['log'][number];

const kinds = { succeeded: 'good', failed: 'bad', pending: 'warn' } as const;

const headersOf = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

function attemptView({ timestamp, duration_ms: ms, outcome, error, request, response }: Attempt): Html {
  return html`<h3>${timeText(timestamp)}, ${ms} ms: ${outcome} ${error}</h3>
    <pre tabindex="0" aria-label="Request">
POST ${request.url}
${headersOf(request.headers)}</pre>
    ${
      response &&
      html`<pre tabindex="0" aria-label="Response">
${response.status}
${headersOf(response.headers)}

${response.body}</pre>`
    }`;
}

function rowOf(delivery: WebhookDelivery, who: SignedIn, base: string): (Html | string)[] {
  const { id, endpoint_id: endpoint, type, event_id, status, reason, attempts, log } = delivery;
  return [
    html`<code>${type}</code><small>${event_id}</small>`,
    timeText(delivery.created_timestamp),
    html`${badge(kinds[status], status)}<small>${reason}</small>`,
    html`${attempts}
    ${
      log.length > 0 &&
      html`<details>
        <summary>Show</summary>
        ${log.map(attemptView)}
      </details>`
    }`,
    postForm(
      `${base}${webhooksPath}/${endpoint}`,
      who.session.csrf,
      html`<input type="hidden" name="delivery" value="${id}" />
        <button class="quiet" name="action" value="replay">Send again</button>`,
    ),
  ];
}

interface Deliveries {
  readonly id: string;
  readonly deliveries: readonly WebhookDelivery[];
  readonly older: string | undefined;
}

/** What was sent to an endpoint, with its answers. */
export function deliveriesView({ id, deliveries, older }: Deliveries, who: SignedIn, base: string): Html {
  const columns = ['Event', 'Time', 'Status', 'Attempts', 'Action'].map((head) => ({ head }));
  const next = older !== undefined && new URLSearchParams({ older }).toString();
  return html`<section class="card" aria-labelledby="deliveries">
    <h2 id="deliveries">Deliveries</h2>
    ${
      deliveries.length === 0
        ? html`<p class="empty">Nothing was sent yet.</p>`
        : table(
            'deliveries',
            columns,
            deliveries.map((delivery) => rowOf(delivery, who, base)),
          )
    }
    ${
      next !== false &&
      html`<nav class="pages" aria-label="More">
        <span></span><a class="button quiet" rel="next" href="${base}${webhooksPath}/${id}?${next}">Older</a>
      </nav>`
    }
  </section>`;
}
