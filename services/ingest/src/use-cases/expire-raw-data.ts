import type { expireRawData as contract } from '@receipts/contracts';
import { ServiceError, schemaValidationFailed, type Handler } from '@receipts/kernel';
import type { ArrivalPosition } from '../storage/packet-deletions';
import { deleteRawData } from './delete-raw-data';
import type { Dependencies } from './dependencies';

/** The approximate maximum time of one execution. The caller repeats the command until everything is done. */
const workMsMax = 1_000;
const documentsAtOnce = 50;

interface Position extends ArrivalPosition {
  readonly kind: 'packets' | 'attachments';
}

const begin = { at: new Date(0), id: '' };
const print = ({ kind, at, id }: Position) => JSON.stringify([kind, at.getTime(), id]);

function parse(text: string | null): Position {
  if (text === null) return { kind: 'packets', ...begin };
  const [kind, at, id] = JSON.parse(text) as [Position['kind'], number, string];
  return { kind, at: new Date(at), id };
}

/** Deletes a page of documents. @returns undefined at the end */
async function expirePage(
  deps: Dependencies,
  position: Position,
  before: Date,
  call: Parameters<Handler<typeof contract>>[1],
): Promise<{ readonly count: number; readonly last: ArrivalPosition } | undefined> {
  const { retailer } = call;
  if (position.kind === 'packets') {
    const packets = await deps.packetDeletions.withoutReceipts(
      retailer,
      before,
      position,
      documentsAtOnce,
      call,
    );
    const last = packets.at(-1);
    if (!last) return undefined;
    await deleteRawData(deps, { packets, attachments: [] }, call);
    return { count: packets.length, last: { at: last.receivedAt, id: last._id } };
  }
  const found = await deps.attachments.createdBefore(retailer, before, position, documentsAtOnce, call);
  const last = found.at(-1);
  if (!last) return undefined;
  const attachments = found.map(({ _id }) => _id);
  await deleteRawData(deps, { packets: [], attachments }, call);
  return { count: found.length, last: { at: last.createdAt, id: last._id } };
}

/** Deletes packets without receipts, and attachments that no receipt refers to, after the retention period. */
export function expireRawData(deps: Dependencies): Handler<typeof contract> {
  return async ({ body: { before: text, after } }, call) => {
    const before = new Date(text);
    if (Number.isNaN(before.getTime())) throw new ServiceError(schemaValidationFailed);
    const endAt = Date.now() + workMsMax;
    let position = parse(after);
    for (let count = 0; ;) {
      const page = await expirePage(deps, position, before, call);
      count += page?.count ?? 0;
      if (page) position = { kind: position.kind, ...page.last };
      else if (position.kind === 'packets') position = { kind: 'attachments', ...begin };
      else return { body: { count, next: null } };
      if (Date.now() >= endAt) return { body: { count, next: print(position) } };
    }
  };
}
