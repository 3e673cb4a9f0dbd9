import { postForm } from '../../pages/form-fields';
import { html, type Html } from '@receipts/html';
import { redirectTo } from '../../pages/reply';
import { numbered } from './formats';
import type { HandlerOf, Operations } from '../open-operations';
import { discardDeadLetters } from '../use-cases/discard-dead-letters';
import { replayDeadLetters } from '../use-cases/replay-dead-letters';
import { deadLettersMain, deadLettersPath } from './dead-letters';
import { bodyOf, operatorForm, orRefused } from './page';
import { audited, type Operator } from './signed-in';

/** The choice that an operator submits on the dead-letter page. */
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
    ? 'The messages are deleted and will never be processed.'
    : 'The messages return to their queue and are processed again. Messages that fail again come back here.';
  const word = isDiscard ? 'discard' : 'replay';
  const inside = html`<input type="hidden" name="queue" value="${queue}" />
    <input type="hidden" name="confirmed" value="yes" />
    ${ids?.map((id) => html`<input type="hidden" name="ids" value="${id}" />`)}
    <div class="actions">
      <button class="${isDiscard && 'danger'}" name="action" value="${ids ? word : `${word}-all`}">
        ${isDiscard ? 'Yes, discard' : 'Yes, replay'}
      </button>
      <a class="button quiet" href="${base}${deadLettersPath}?${new URLSearchParams({ queue }).toString()}"
        >No</a
      >
    </div>`;
  return html`<div class="card narrow">
    <h1>${what}</h1>
    <p>In <code>${queue}</code>. ${then}</p>
    ${postForm(`${base}${deadLettersPath}`, csrf, inside)}
  </div>`;
}

/** Replays or discards messages after a confirmation. */
export function operationsDecideDeadLetters(
  operations: Operations,
): HandlerOf<'operationsDecideDeadLetters'> {
  const [replay, discard] = [replayDeadLetters(operations), discardDeadLetters(operations)];
  /** @returns the number of affected messages */
  const carryOut = async ({ queue, isDiscard, ids }: Decision, { call }: Operator): Promise<number> => {
    const body = ids === undefined ? { queue, all: true as const } : { queue, ids: [...ids] };
    if (isDiscard) return (await bodyOf(discard, { body }, call)).discarded;
    return (await bodyOf(replay, { body }, call)).replayed;
  };
  const facts = { title: 'Dead letters', menuPath: deadLettersPath } as const;
  return operatorForm(operations, facts, async (who, { headers, body }) => {
    const decision = decisionOf(body);
    const { queue, isDiscard, ids } = decision;
    const list = (fault: string) => deadLettersMain(operations, who, { fault });
    if (ids?.length === 0) return { main: await list('Select messages first.'), status: 422 };
    if (body.confirmed === undefined) return confirmView(decision, operations.base, who.session.csrf);
    const operation = isDiscard ? 'discard-dead-letters' : 'replay-dead-letters';
    const action = { operation, path: deadLettersPath, fields: ['queue', ids ? 'ids' : 'all'] };
    return orRefused(
      async () => {
        const messages = await audited(operations, who, headers, action, () => carryOut(decision, who));
        const done = { done: isDiscard ? 'discard' : 'replay', messages: String(messages) };
        return redirectTo(`${deadLettersPath}?${new URLSearchParams(done).toString()}`);
      },
      ({ description }) => list(`${queue}: ${description}`),
    );
  });
}
