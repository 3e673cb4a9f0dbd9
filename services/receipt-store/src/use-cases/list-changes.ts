import type { ChangedReceipt as Change, listChanges as contract, ReturnedReceipt } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { printChangePlace, readChangePlace, type ChangePlace } from '../domain/change-cursor';
import type { ChangedReceipt, ChangedReceipts } from '../storage/changed-receipts';
import { figuresOf } from '../storage/receipt-event';

export interface ListChangesParts {
  readonly changed: ChangedReceipts;
  readonly now: () => Date;
}

/** A change bears the time of the process that decided on it, and can be seen only a little later. */
const unsettledMs = 60_000;

function shown({ _id, version, seq, text, created }: ChangedReceipt): Change {
  return {
    id: _id,
    version,
    arrival: seq,
    arrived_timestamp: created?.at.toISOString() ?? null,
    ...(created?.confinedTo && { confined_to: [...created.confinedTo] }),
    figures: text === undefined ? null : figuresOf(JSON.parse(text) as ReturnedReceipt),
  };
}

/** New receipts first, in their order of arrival; then what was changed since, in the order of time. */
export function listChanges({ changed, now }: ListChangesParts): Handler<typeof contract> {
  return async ({ body: { after, arrived: known = 0, count } }, call) => {
    const settled = now().getTime() - unsettledMs;
    const place: ChangePlace = after === null ? { seq: 0, at: settled, id: '' } : readChangePlace(after);
    const begin = { ...place, seq: Math.max(place.seq, known) };
    const { retailer } = call;
    const arrived = await changed.arrivedAfter(retailer, begin.seq, count + 1, call);
    const page = arrived.slice(0, count);
    const seq = page.at(-1)?.seq ?? begin.seq;
    let next: ChangePlace = { ...begin, seq };
    let more = arrived.length >= count;
    if (!more) {
      const room = count - page.length;
      const later = await changed.changedAfter(retailer, begin, room + 1, call);
      const taken = later.slice(0, room);
      page.push(...taken);
      more = later.length > room;
      const last = taken.at(-1);
      if (!more) next = { seq, at: Math.max(begin.at, settled), id: '' };
      else if (last?.changed_at) next = { seq, at: last.changed_at.getTime(), id: last._id };
    }
    return { body: { changes: page.map(shown), arrived: seq, next: printChangePlace(next), more } };
  };
}
