import type { listChanges as contract } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { printChangePlace, readChangePlace, type ChangePlace } from '../domain/change-cursor';
import type { ChangedReceipt, ChangedReceipts } from '../storage/changed-receipts';

export interface ListChangesParts {
  readonly changed: ChangedReceipts;
  readonly now: () => Date;
}

/** A change bears the time of the process that decided on it, and can be seen only a little later. */
const unsettledMs = 60_000;

function printed({ _id, version, text }: ChangedReceipt): string {
  return `{"id":"${_id}","version":${version},"receipt":${text ?? 'null'}}`;
}

/** New receipts first, in their order of arrival; then what was changed since, in the order of time. */
export function listChanges({ changed, now }: ListChangesParts): Handler<typeof contract> {
  return async ({ body: { after, count } }, call) => {
    const settled = now().getTime() - unsettledMs;
    const begin: ChangePlace = after === null ? { seq: 0, at: settled, id: '' } : readChangePlace(after);
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
    const text = `{"changes":[${page.map(printed).join(',')}],"next":"${printChangePlace(next)}","more":${more}}`;
    return { body: Buffer.from(text) };
  };
}
