import { ServiceError } from '@receipts/kernel';
import { postForm } from '../../pages/form-fields';
import { html, type Html } from '@receipts/html';
import { fact } from '../../pages/table';
import { ago, asJson } from './parts';
import type { HandlerOf, Operations } from '../open-operations';
import { getDeadLetter } from '../use-cases/get-dead-letter';
import { deadLettersMain, deadLettersPath } from './dead-letters';
import { bodyOf, operatorPage, type BodyOf } from './page';

const contentCharactersMax = 100_000;

/** The content in readable form. */
function contentText(content: unknown): string {
  const text = typeof content === 'string' ? content : (JSON.stringify(content, null, 2) ?? 'nothing');
  return text.length <= contentCharactersMax ? text : `${text.slice(0, contentCharactersMax)}\n…`;
}

/** The response of `GET /operator/messages/dead-letters/{id}`. */
export function deadLetterView(
  message: BodyOf<'getDeadLetter'>,
  { base, now, csrf }: { readonly base: string; readonly now: Date; readonly csrf: string },
): Html {
  const { id, queue, type, retailer, reason, attempts } = message;
  const all = new URLSearchParams({ queue }).toString();
  return html`<p class="crumb"><a href="${base}${deadLettersPath}?${all}">Dead letters of ${queue}</a></p>
    <h1>${type}</h1>
    <section class="card" aria-labelledby="why">
      <h2 id="why">Reason</h2>
      <p class="reason">${reason}</p>
      <dl>
        ${fact('Queue', html`<code>${queue}</code>`)} ${fact('Retailer', retailer)}
        ${fact('Attempts', String(attempts))}
        ${fact('First attempt', message.first_failed_timestamp && ago(message.first_failed_timestamp, now))}
        ${fact('Last attempt', message.last_failed_timestamp && ago(message.last_failed_timestamp, now))}
        ${fact('Request', message.request_id)} ${fact('Trace', message.trace_id)} ${fact('Id', id)}
      </dl>
      ${postForm(
        `${base}${deadLettersPath}`,
        csrf,
        html`<input type="hidden" name="queue" value="${queue}" />
          <input type="hidden" name="ids" value="${id}" />
          <div class="actions">
            <button name="action" value="replay">Replay</button>
            <button class="quiet danger" name="action" value="discard">Discard</button>
          </div>`,
      )}
    </section>
    <section class="card" aria-labelledby="content">
      <h2 id="content">Content</h2>
      <pre tabindex="0">${contentText(message.content)}</pre>
    </section>
    ${asJson(`/operator/messages/dead-letters/${encodeURIComponent(id)}?${all}`)}`;
}

export function operationsDeadLetter(operations: Operations): HandlerOf<'operationsDeadLetter'> {
  const { base, now } = operations;
  const find = getDeadLetter(operations);
  const facts = { title: 'A dead letter', menuPath: deadLettersPath } as const;
  return operatorPage(operations, facts, async (who, { params, query }) => {
    try {
      const message = await bodyOf(find, { params, query }, who.call);
      return deadLetterView(message, { base, now: now(), csrf: who.session.csrf });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== 404) throw error;
      const fault = `This message is no longer a dead letter: ${error.description}.`;
      return { main: await deadLettersMain(operations, who, { fault }), status: 404 };
    }
  });
}
