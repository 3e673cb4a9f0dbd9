import type { ChangedReceipt as Change, listChanges as contract, ReturnedReceipt } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { cursorOverlapMs } from '@receipts/storage';
import { printChangePosition, readChangePosition, type ChangePosition } from '../domain/change-cursor';
import type { ChangedReceipt } from '../storage/changed-receipts';
import { figuresOf } from '../storage/receipt-event';
import { changesAfter } from './changes-after';
import type { Dependencies } from './dependencies';

function shown({ _id, version, arrival, text, created }: ChangedReceipt): Change {
  return {
    id: _id,
    version,
    arrival,
    arrived_timestamp: created?.at.toISOString() ?? null,
    ...(created?.confinedTo && { confined_to: [...created.confinedTo] }),
    figures: text === undefined ? null : figuresOf(JSON.parse(text) as ReturnedReceipt),
  };
}

/** New receipts first, in their order of arrival; then those changed since, by time. */
export function listChanges({ changed, receipts, now }: Dependencies): Handler<typeof contract> {
  return async ({ body: { after, arrived: known = 0, count } }, call) => {
    const at = now().getTime();
    const position: ChangePosition =
      after === null ? { arrival: 0, at: at - cursorOverlapMs, id: '' } : readChangePosition(after);
    const begin = { ...position, arrival: Math.max(position.arrival, known) };
    const { changes, next, more } = await changesAfter(
      'receipts',
      begin,
      { changed, receipts, count, now: at },
      call,
    );
    return {
      body: { changes: changes.map(shown), arrived: next.arrival, next: printChangePosition(next), more },
    };
  };
}
