import type { adminContracts } from '@receipts/contracts';
import { ServiceError, type Handler } from '@receipts/kernel';
import { html, type Html } from '../pages/html';
import { leadTo, pageReply } from '../pages/reply';
import { checkForm, checkSameSite } from '../pages/same-site';
import { bodyOf } from './answers';
import { numbered } from './formats';
import { layout } from './layout';
import { deadLettersPage, deadLettersPath } from './dead-letters';
import { audited, signedIn, toSignIn, type OperationsDeps, type Operator } from './signed-in';

/** The choice in the form of dead letters. */
export interface Decision {
  readonly queue: string;
  readonly isDiscard: boolean;
  /** Undefined for all dead letters. */
  readonly ids: readonly string[] | undefined;
}

export function decisionOf(body: {
  readonly queue: string;
  readonly action: 'replay' | 'discard' | 'replay-all' | 'discard-all';
  readonly ids?: string | readonly string[] | undefined;
}): Decision {
  const { queue, action, ids = [] } = body;
  return {
    queue,
    isDiscard: action.startsWith('discard'),
    ids: action.endsWith('-all') ? undefined : [ids].flat(),
  };
}

/** Asks for confirmation. */
export function confirmView({ queue, isDiscard, ids }: Decision, base: string, csrf: string): Html {
  const which = ids === undefined ? 'all dead letters' : numbered(ids.length, 'message');
  const what = isDiscard ? `Discard ${which}?` : `Replay ${which}?`;
  const then = isDiscard
    ? 'They are deleted for good, and their work is never done.'
    : 'They return to their queue and are tried again. Messages that fail again come back here.';
  const word = isDiscard ? 'discard' : 'replay';
  return html`<div class="card narrow">
    <h1>${what}</h1>
    <p>In <code>${queue}</code>. ${then}</p>
    <form method="post" action="${base}${deadLettersPath}">
      <input type="hidden" name="csrf" value="${csrf}" />
      <input type="hidden" name="queue" value="${queue}" />
      <input type="hidden" name="confirmed" value="yes" />
      ${ids?.map((id) => html`<input type="hidden" name="ids" value="${id}" />`)}
      <div class="actions">
        <button class="${isDiscard && 'danger'}" name="action" value="${ids ? word : `${word}-all`}">
          ${isDiscard ? 'Yes, discard' : 'Yes, replay'}
        </button>
        <a class="button quiet" href="${base}${deadLettersPath}?${new URLSearchParams({ queue }).toString()}"
          >No</a
        >
      </div>
    </form>
  </div>`;
}

/** @returns the number of affected messages */
async function carryOut(
  { endpoints }: OperationsDeps,
  { call }: Operator,
  { queue, isDiscard, ids }: Decision,
): Promise<number> {
  const body = ids === undefined ? { queue, all: true as const } : { queue, ids: [...ids] };
  if (isDiscard) return (await bodyOf(endpoints.discardDeadLetters, { body }, call)).discarded;
  return (await bodyOf(endpoints.replayDeadLetters, { body }, call)).replayed;
}

/** Replays or discards messages after a confirmation. */
export function operationsDecideDeadLetters(
  deps: OperationsDeps,
): Handler<(typeof adminContracts)['operationsDecideDeadLetters']> {
  const { base } = deps;
  return async ({ headers, body }, call) => {
    checkSameSite(headers);
    const who = await signedIn(deps, headers, call);
    if (!who) return toSignIn(deadLettersPath);
    checkForm(who.session, body.csrf);
    const decision = decisionOf(body);
    const { queue, isDiscard, ids } = decision;
    if (ids?.length === 0) return deadLettersPage(deps, who, { fault: 'Select messages first.' }, 422);
    if (body.confirmed === undefined) {
      const main = confirmView(decision, base, who.session.csrf);
      return pageReply(layout({ title: 'Are you sure?', main, who, place: deadLettersPath, base }));
    }
    const operation = isDiscard ? 'discard-dead-letters' : 'replay-dead-letters';
    const action = { operation, path: deadLettersPath, fields: ['queue', ids ? 'ids' : 'all'] };
    try {
      const messages = await audited(deps, who, headers, action, () => carryOut(deps, who, decision));
      const done = { done: isDiscard ? 'discard' : 'replay', messages: String(messages) };
      return leadTo(`${deadLettersPath}?${new URLSearchParams(done).toString()}`);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status >= 500) throw error;
      return deadLettersPage(deps, who, { fault: `${queue}: ${error.description}` }, error.status);
    }
  };
}
