import type { adminContracts } from '@receipts/contracts';
import { ServiceError, type Handler } from '@receipts/kernel';
import { html, type Html } from '../pages/html';
import { pageReply } from '../pages/reply';
import { bodyOf, type Answer } from './answers';
import { layout } from './layout';
import { ago, asJson } from './parts';
import { parkedPage, parkedPath } from './parked';
import { signedIn, toSignIn, type OperationsDeps } from './signed-in';

const contentCharactersMax = 100_000;

/** The content in readable form. */
function contentText(content: unknown): string {
  const text = typeof content === 'string' ? content : (JSON.stringify(content, null, 2) ?? 'nothing');
  return text.length <= contentCharactersMax ? text : `${text.slice(0, contentCharactersMax)}\n…`;
}

/** What `GET /operator/messages/parked/{id}` says. */
export function parkedMessageView(
  message: Answer<'getParkedMessage'>,
  { base, now, csrf }: { readonly base: string; readonly now: Date; readonly csrf: string },
): Html {
  const { id, queue, type, retailer, reason, attempts } = message;
  const fact = (name: string, value: Html | string | null) =>
    value !== null &&
    html`<dt>${name}</dt>
      <dd>${value}</dd>`;
  const all = new URLSearchParams({ queue }).toString();
  return html`<p class="crumb"><a href="${base}${parkedPath}?${all}">Parked messages of ${queue}</a></p>
    <h1>${type}</h1>
    <section class="card" aria-labelledby="why">
      <h2 id="why">Why it is here</h2>
      <p class="reason">${reason}</p>
      <dl>
        ${fact('Queue', html`<code>${queue}</code>`)} ${fact('Retailer', retailer)}
        ${fact('Attempts', String(attempts))}
        ${fact('First attempt', message.first_failed_timestamp && ago(message.first_failed_timestamp, now))}
        ${fact('Last attempt', message.last_failed_timestamp && ago(message.last_failed_timestamp, now))}
        ${fact('Request', message.request_id)} ${fact('Trace', message.trace_id)} ${fact('Id', id)}
      </dl>
      <form method="post" action="${base}${parkedPath}">
        <input type="hidden" name="csrf" value="${csrf}" />
        <input type="hidden" name="queue" value="${queue}" />
        <input type="hidden" name="ids" value="${id}" />
        <div class="actions">
          <button name="action" value="replay">Replay</button>
          <button class="quiet danger" name="action" value="discard">Discard</button>
        </div>
      </form>
    </section>
    <section class="card" aria-labelledby="content">
      <h2 id="content">What is in it</h2>
      <pre tabindex="0">${contentText(message.content)}</pre>
    </section>
    ${asJson(`/operator/messages/parked/${encodeURIComponent(id)}?${all}`)}`;
}

export function operationsParkedMessage(
  deps: OperationsDeps,
): Handler<(typeof adminContracts)['operationsParkedMessage']> {
  const { base, endpoints, now } = deps;
  return async ({ params, query, headers }, call) => {
    const who = await signedIn(deps, headers, call);
    if (!who) return toSignIn(parkedPath);
    try {
      const message = await bodyOf(endpoints.getParkedMessage, { params, query }, who.call);
      const main = parkedMessageView(message, { base, now: now(), csrf: who.session.csrf });
      return pageReply(layout({ title: 'A parked message', main, who, place: parkedPath, base }));
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== 404) throw error;
      return parkedPage(deps, who, { fault: `It is not parked any more: ${error.description}.` }, 404);
    }
  };
}
