import {
  exportCursorEvery,
  exportDaysMax,
  ndjsonType,
  unknownCursorIn,
  type ExportPart,
  type ExportQuery,
  type exportReceipts as contract,
} from '@receipts/contracts';
import { invalidParameters, type Call, type Handler } from '@receipts/kernel';
import { toUnavailableError } from '@receipts/storage';
import type { ListPosition } from '../domain/cursor';
import { csvExport, ndjsonExport, type ExportFormat } from '../domain/export-lines';
import type { ExportRange } from '../domain/export-cursor';
import type { ListedReceipt } from '../storage/receipts';
import type { Dependencies } from './dependencies';
import { visibleTo } from './visible-to';

const dayMs = 24 * 60 * 60_000;
/** The size at which a part ends. */
const partBytesMax = 1024 * 1024;
/**
 * The maximum number of positions that are searched for receipts of the range in one part: few enough for a slow
 * database to search within its time limit.
 */
const partPlacesMax = 4_000;
/** The number of attempts to read a part if the database does not respond. */
const attemptsMax = 3;

/** Returns one part of an export. The gateway requests the next part once the caller has read this part. */
export function exportReceipts(deps: Dependencies): Handler<typeof contract> {
  return async ({ query, headers }, call) => {
    const filter = filterOf(query, deps, call);
    const { format = headers.accept === ndjsonType ? 'ndjson' : 'csv' } = query;
    const printing = format === 'csv' ? csvExport : ndjsonExport;
    const part = query.part ?? (await firstPart(query, filter, deps, call));
    const lines = new PartLines(part, printing, (position, last) =>
      deps.exportCursors.encode(call.retailer, position, filter, last),
    );
    if (!query.part) lines.add(Buffer.from(printing.header));
    const upTo = Math.min(part.last, part.scanned + partPlacesMax);
    const positions = { above: part.scanned, upTo };
    const isRead = await readLines(lines, () =>
      deps.byTime.read(call.retailer, filter, positions, call, (receipt) => lines.addReceipt(receipt)),
    );
    const isComplete = isRead && upTo >= part.last;
    if (isComplete) lines.addLastCursor();
    const { contentType, fileName } = printing;
    return {
      body: lines.bytes,
      meta: { contentType, fileName, ...(!isComplete && { next: lines.next(isRead ? upTo : undefined) }) },
    };
  };
}

/** @throws ServiceError 400 `invalid_parameter` */
function filterOf(
  { from, to, store_reference: references }: ExportQuery,
  deps: Dependencies,
  call: Call,
): ExportRange {
  const refuse = (message: string) => invalidParameters([{ path: '/to', code: 'out_of_range', message }]);
  if (to < from) throw refuse('must not be before from');
  if (to - from > exportDaysMax * dayMs) throw refuse(`must be at most ${exportDaysMax} days after from`);
  const { storeKeys } = visibleTo(deps, call, { stores: references });
  return { from, to, storeKeys };
}

async function firstPart(
  { after }: ExportQuery,
  filter: ExportRange,
  { byTime, receipts, cursors, exportCursors }: Dependencies,
  call: Call,
): Promise<ExportPart> {
  const { retailer } = call;
  const cursor = after === undefined ? undefined : exportCursors.read(after, retailer, filter);
  if (after !== undefined && !cursor) throw unknownCursorIn('after');
  const { position, last: known } = cursor ?? {};
  const arrival = position === undefined ? 0 : cursors.arrivalOf(position);
  const id =
    arrival === undefined ? undefined : (await receipts.idsAt(retailer, [arrival], call)).get(arrival);
  if (arrival === undefined || id === undefined) throw unknownCursorIn('after');
  if (position !== undefined && !cursors.matches(position, retailer, { arrival, id }))
    throw unknownCursorIn('after');
  if (known !== undefined && known > arrival) {
    return { arrival, id, scanned: arrival, last: known, sinceCursor: 0, endsWithCursor: false };
  }
  const positions = await byTime.positionRangeOf(retailer, filter, arrival, call);
  const [scanned, last] = positions ? [positions.first - 1, positions.last] : [arrival, arrival];
  return { arrival, id, scanned, last, sinceCursor: 0, endsWithCursor: false };
}

/**
 * If the database briefly does not respond, a long download does not fail: a part ends with the receipts read so far,
 * and a part without receipts is read again.
 * @returns true if there are no more receipts
 */
async function readLines(lines: PartLines, read: () => Promise<boolean>): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read();
    } catch (error) {
      if (!toUnavailableError(error)) throw error;
      if (lines.hasReceipts) return false;
      if (attempt === attemptsMax) throw error;
    }
  }
}

/** The lines of one part. */
class PartLines {
  private lines: Buffer[] = [];
  private length = 0;
  private last: Pick<ExportPart, 'arrival' | 'id'>;
  private sinceCursor: number;
  private endsWithCursor: boolean;

  constructor(
    private readonly part: ExportPart,
    private readonly format: ExportFormat,
    private readonly cursorOf: (position: ListPosition, last: number | undefined) => string,
  ) {
    this.last = part;
    this.sinceCursor = part.sinceCursor;
    this.endsWithCursor = part.endsWithCursor;
  }

  get hasReceipts(): boolean {
    return this.last !== this.part;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.lines, this.length);
  }

  add(bytes: Buffer): void {
    this.lines.push(bytes);
    this.length += bytes.length;
  }

  /** @returns false if the part is full */
  addReceipt({ arrival, _id: id, text }: Pick<ListedReceipt, '_id' | 'arrival' | 'text'>): boolean {
    for (const bytes of this.format.receipt(text)) this.add(bytes);
    this.last = { arrival, id };
    this.sinceCursor++;
    this.endsWithCursor = false;
    if (this.sinceCursor === exportCursorEvery) this.addCursor(this.part.last);
    return this.length < partBytesMax;
  }

  /** Written at the end of the export, unless the last line is already a cursor. */
  addLastCursor(): void {
    if (!this.endsWithCursor) this.addCursor(undefined);
  }

  private addCursor(last: number | undefined): void {
    const { arrival, id } = this.last;
    this.add(Buffer.from(this.format.cursor(this.cursorOf({ arrival, id }, last))));
    this.sinceCursor = 0;
    this.endsWithCursor = true;
  }

  /** @param scanned the position up to which all receipts have been read; undefined after the last receipt */
  next(scanned: number | undefined): ExportPart {
    const { arrival, id } = this.last;
    return {
      arrival,
      id,
      scanned: scanned ?? arrival,
      last: this.part.last,
      sinceCursor: this.sinceCursor,
      endsWithCursor: this.endsWithCursor,
    };
  }
}
