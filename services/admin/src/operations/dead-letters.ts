import type { adminContracts } from '@receipts/contracts';
import { ServiceError, type Handler } from '@receipts/kernel';
import { problem, success } from '../pages/form-fields';
import { html, type Html } from '../pages/html';
import { pageReply, type PageReply } from '../pages/reply';
import { bodyOf, type Answer } from './answers';
import { countText, numbered } from './formats';
import { layout } from './layout';
import { ago, asJson, olderLink } from './parts';
import { signedIn, toSignIn, type OperationsDeps, type Operator } from './signed-in';

type Page = Answer<'listDeadLetters'>;
export type DeadLetters = Page['messages'][number];

export const deadLettersPath = '/operator/pages/dead-letters';
const pageCount = 50;

const pathOf = ({ id, queue }: DeadLetters) =>
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
      <a href="${base}${pathOf(message)}">Show<span class="visually-hidden"> (${type} ${id})</span></a>
    </p>
  </li>`;
}

/** A form with the dead letters of a queue, for replaying or discarding the selected ones or all. */
function queueForm(
  { queue, dead_letters: count }: Page['queues'][number],
  messages: readonly DeadLetters[],
  { base, now, csrf }: Around,
): Html {
  const title = `q-${queue}`;
  return html`<section class="card" aria-labelledby="${title}">
    <h2 id="${title}">
      <code>${queue}</code>
      <span class="badge warn">${countText(count)} ${count === 1 ? 'dead letter' : 'dead letters'}</span>
    </h2>
    <form method="post" action="${base}${deadLettersPath}">
      <input type="hidden" name="csrf" value="${csrf}" />
      <input type="hidden" name="queue" value="${queue}" />
      <ul class="messages">
        ${messages.map((message) => messageRow(message, base, now))}
      </ul>
      <div class="actions">
        <button name="action" value="replay">Replay selected</button>
        <button class="quiet danger" name="action" value="discard">Discard selected</button>
        <span class="gap"></span>
        <button class="quiet" name="action" value="replay-all">Replay all</button>
        <button class="quiet danger" name="action" value="discard-all">Discard all</button>
      </div>
    </form>
  </section>`;
}

interface Around {
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

/** What `GET /operator/messages/dead-letters` says, queue by queue. */
export function deadLettersView(page: Page, notes: DeadLettersNotes, around: Around): Html {
  const { base } = around;
  const shown = page.queues
    .map((queue) => ({ queue, messages: page.messages.filter((each) => each.queue === queue.queue) }))
    .filter(({ messages }) => messages.length > 0);
  return html`<h1>Dead letters</h1>
    <p class="lead">
      What could not be processed, however often it was tried. Nothing of it is lost: replay it once the cause
      is gone, or discard what nobody will need.
    </p>
    ${problem(notes.fault)} ${success(doneText(notes.done, notes.messages))}
    ${notes.queue !== undefined && html`<p class="crumb"><a href="${base}${deadLettersPath}">All queues</a></p>`}
    ${shown.map(({ queue, messages }) => queueForm(queue, messages, around))}
    ${shown.length === 0 && html`<p class="card empty">No dead letters${notes.queue !== undefined && ' here'}.</p>`}
    ${olderLink(`${base}${deadLettersPath}`, page._links.next?.href)}
    ${asJson('/operator/messages/dead-letters')}`;
}

/** The page of dead letters, with a note about the last action. */
export async function deadLettersPage(
  { base, endpoints, now }: OperationsDeps,
  who: Operator,
  { older, ...notes }: DeadLettersNotes & { readonly older?: string | undefined },
  status = 200,
): Promise<PageReply> {
  const { queue } = notes;
  const query = { count: pageCount, ...(queue && { queue }), ...(older && { older }) };
  const show = (page: Page, fault = notes.fault) =>
    deadLettersView(
      page,
      { ...notes, ...(fault !== undefined && { fault }) },
      { base, now: now(), csrf: who.session.csrf },
    );
  const reply = (main: Html, code: number) =>
    pageReply(layout({ title: 'Dead letters', main, who, place: deadLettersPath, base }), code);
  try {
    return reply(show(await bodyOf(endpoints.listDeadLetters, { query }, who.call)), status);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status >= 500) throw error;
    return reply(show({ messages: [], queues: [], _links: {} }, error.description), error.status);
  }
}

export function operationsDeadLetters(
  deps: OperationsDeps,
): Handler<(typeof adminContracts)['operationsDeadLetters']> {
  return async ({ query, headers }, call) => {
    const who = await signedIn(deps, headers, call);
    if (!who) return toSignIn(deadLettersPath);
    return deadLettersPage(deps, who, query);
  };
}
