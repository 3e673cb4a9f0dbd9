import { unknownCursorIn, listPage, pageCountDefault } from '@receipts/contracts';
import { idPattern } from '@receipts/kernel';
import type { HandlerOf, Operations } from '../open-operations';
import { checkQueue, deadLetterSources } from '../queues';
import { deadLetterOf } from './dead-letter';

const path = '/operator/messages/dead-letters';

export function listDeadLetters(deps: Operations): HandlerOf<'listDeadLetters'> {
  return async ({ query }) => {
    const { queue, count = pageCountDefault, older } = query;
    if (queue !== undefined) checkQueue(queue);
    const found = [];
    const queues = [];
    for (const name of queue === undefined ? deadLetterSources : [queue]) {
      const messages = await deps.deadLetters.list(name);
      queues.push({ queue: name, dead_letters: messages.length });
      found.push(...messages);
    }
    // The last message of the previous page may have been replayed since, and messages from other senders may have any
    // id.
    if (older !== undefined && !idPattern.test(older) && !found.some(({ id }) => id === older)) {
      throw unknownCursorIn('older');
    }
    const newest = found
      .filter(({ id }) => older === undefined || id < older)
      .sort((a, b) => (a.id < b.id ? 1 : -1))
      .slice(0, count + 1);
    const { entries, links } = listPage(newest, count, path, ({ id }) => id, { queue });
    return { body: { messages: entries.map(deadLetterOf), queues, _links: links } };
  };
}
