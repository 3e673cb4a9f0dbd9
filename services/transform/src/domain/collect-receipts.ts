import { completeReceipt, type Completion } from './complete-receipt';
import { ConversionError, faultOf, inPart, tooLarge, type ConversionFault } from './faults/conversion-fault';

/** A receipt and the part of the data from which it was made. */
export interface PartReceipt {
  readonly part: number;
  readonly receipt: Readonly<Record<string, unknown>>;
}

/** Drops receipts that repeat one of an earlier part, such as the shop's copy of the customer's receipt. */
function withoutCopies(given: readonly PartReceipt[]): readonly PartReceipt[] {
  if (given.length < 2) return given;
  const seen = new Map<string, number>();
  return given.filter(({ part, receipt }) => {
    const text = JSON.stringify(receipt);
    const earlier = seen.get(text) ?? part;
    seen.set(text, earlier);
    return earlier === part;
  });
}

function duplicatesIn(receipts: readonly PartReceipt[]): ConversionFault[] {
  const seen = new Set<unknown>();
  return receipts.flatMap(({ part, receipt }, index) => {
    const number = receipt['transaction_id'];
    if (typeof number !== 'string' || !seen.has(number)) {
      seen.add(number);
      return [];
    }
    const message = `another receipt of the packet has this transaction_id: ${number}`;
    return [inPart(faultOf(`/${index}/transaction_id`, 'duplicate_transaction_id', message), part)];
  });
}

/**
 * The receipts of all parts, completed. Copies in other parts count once.
 * @throws ConversionError `too_large`, or `duplicate_transaction_id` if two receipts have one number
 */
export function collectReceipts(
  given: readonly PartReceipt[],
  completion: Completion,
  receiptsMax: number,
): PartReceipt[] {
  const distinct = withoutCopies(given);
  if (distinct.length > receiptsMax)
    throw tooLarge('/limits/max_receipts', `there are more than ${receiptsMax} receipts`);
  const receipts = distinct.map(({ part, receipt }, index) => ({
    part,
    receipt: completeReceipt(receipt, index, completion),
  }));
  const faults = duplicatesIn(receipts);
  if (faults.length > 0) throw new ConversionError('duplicate_transaction_id', faults);
  return receipts;
}
