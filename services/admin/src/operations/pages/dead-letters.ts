import { postForm, problem, success } from '../../pages/form-fields';
import { html, type Html } from '@receipts/html';
import { olderLink } from '../../pages/older-link';
import { countText, numbered } from './formats';
import { ago, asJson, olderAddress } from './parts';
import type { HandlerOf, Operations } from '../open-operations';
import { listDeadLetters } from '../use-cases/list-dead-letters';
import { language } from './layout';
import { bodyOf, operatorPage, orRefused, type BodyOf } from './page';
import type { Operator } from './signed-in';

type Page = BodyOf<'listDeadLetters'>;
export type DeadLetters = Page['messages'][number];

export const deadLettersPath = '/operator/pages/dead-letters';
const pageCount = 50;

/** The address of a dead letter. */
export const pathOf = ({ id, queue }: DeadLetters) =>
  `${deadLettersPath}/${encodeURIComponent(id)}?${new URLSearchParams({ queue }).toString()}`;

function doneText(done: string | undefined, messages = 0): string | undefined {
  if (done !== 'replay' && done !== 'discard') return undefined;
  const many = `${numbered(messages, 'message')} ${messages === 1 ? 'was' : 'were'}`;
  return done === 'replay' ? `${many} sent back to the queue.` : `${many} discarded.`;
}

function messageRow(message: DeadLetters, base: string, now: Date): Html {
  const { id, type, retailer, reason, attempts, last_failed_timestamp: last } = message;
  return html`<li>
    <input type="checkbox" name="ids" value="${id}" id="m-${id}" />
    <label for="m-${id}"
      ><strong>${type}</strong> <span class="tag">${retailer ?? 'no retailer'}</span></label
    >
    <p class="reason">${reason}</p>
    <p class="when">
      ${numbered(attempts, 'attempt')}, the last ${ago(last, now)}
      <a href="${base}${pathOf(message)}">Details<span class="visually-hidden"> (${type} ${id})</span></a>
    </p>
  </li>`;
}

/** A form with the dead letters of a queue, for replaying or discarding selected messages or all messages. */
function queueForm(
  { queue, dead_letters: count }: Page['queues'][number],
  messages: readonly DeadLetters[],
  { base, now, csrf }: PageContext,
): Html {
  const title = `q-${queue}`;
  const inside = html`<input type="hidden" name="queue" value="${queue}" />
    <ul class="messages">
      ${messages.map((message) => messageRow(message, base, now))}
    </ul>
    <div class="actions">
      <button name="action" value="replay">Replay selected</button>
      <button class="quiet danger" name="action" value="discard">Discard selected</button>
      <span class="gap"></span>
      <button class="quiet" name="action" value="replay-all">Replay all</button>
      <button class="quiet danger" name="action" value="discard-all">Discard all</button>
    </div>`;
  return html`<section class="card" aria-labelledby="${title}">
    <h2 id="${title}">
      <code>${queue}</code>
      <span class="badge warn">${countText(count)} ${count === 1 ? 'dead letter' : 'dead letters'}</span>
    </h2>
    ${postForm(`${base}${deadLettersPath}`, csrf, inside)}
  </section>`;
}

interface PageContext {
  readonly base: string;
  readonly now: Date;
  readonly csrf: string;
}

export interface DeadLettersNotes {
  readonly queue?: string | undefined;
  readonly done?: string | undefined;
  readonly messages?: number | undefined;
  readonly fault?: string;
}

/** The data of `GET /operator/messages/dead-letters`, queue by queue. */
export function deadLettersView(page: Page, notes: DeadLettersNotes, context: PageContext): Html {
  const { base } = context;
  const shown = page.queues
    .map((queue) => ({ queue, messages: page.messages.filter((each) => each.queue === queue.queue) }))
    .filter(({ messages }) => messages.length > 0);
  return html`<h1>Dead letters</h1>
    <p class="lead">
      Messages that could not be processed after all attempts. Replay them once the cause has been fixed, or
      discard them.
    </p>
    ${problem(notes.fault)} ${success(doneText(notes.done, notes.messages))}
    ${notes.queue !== undefined && html`<p class="crumb"><a href="${base}${deadLettersPath}">All queues</a></p>`}
    ${shown.map(({ queue, messages }) => queueForm(queue, messages, context))}
    ${shown.length === 0 && html`<p class="card empty">No dead letters${notes.queue !== undefined && ' here'}.</p>`}
    ${olderLink(olderAddress(`${base}${deadLettersPath}`, page._links.next?.href), language)}
    ${asJson('/operator/messages/dead-letters')}`;
}

/** The content of the dead-letter page, with a note about the last action. */
export async function deadLettersMain(
  operations: Operations,
  who: Operator,
  { older, ...notes }: DeadLettersNotes & { readonly older?: string | undefined },
): Promise<Html> {
  const { queue } = notes;
  const query = { count: pageCount, ...(queue && { queue }), ...(older && { older }) };
  const page = await bodyOf(listDeadLetters(operations), { query }, who.call);
  return deadLettersView(page, notes, contextOf(operations, who));
}

const contextOf = ({ base, now }: Operations, { session }: Operator): PageContext => ({
  base,
  now: now(),
  csrf: session.csrf,
});

export const operationsDeadLetters = (operations: Operations): HandlerOf<'operationsDeadLetters'> =>
  operatorPage(operations, { title: 'Dead letters', menuPath: deadLettersPath }, (who, { query }) =>
    orRefused(
      () => deadLettersMain(operations, who, query),
      ({ description: fault }) =>
        deadLettersView(
          { messages: [], queues: [], _links: {} },
          { ...query, fault },
          contextOf(operations, who),
        ),
    ),
  );
