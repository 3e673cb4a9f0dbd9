import type { ReturnedReceipt } from '@receipts/contracts';

type Relation = ReturnedReceipt['related'][number];

const idKey = (id: string) => `i:${id}`;
const transactionKey = (transactionId: string) => `t:${transactionId}`;

/** The keys that find the receipts that refer to this receipt. */
export const keysOf = ({ id, transaction_id }: Pick<ReturnedReceipt, 'id' | 'transaction_id'>): string[] => [
  idKey(id),
  transactionKey(transaction_id),
];

/** The key of receipts that refer to a transaction whose receipt is not known yet. */
export const waitingKey = (transactionId: string) => `w:${transactionId}`;

/** The keys of the receipts to which a receipt belongs; undefined if there are none. */
export function relatedKeys({ related }: Pick<ReturnedReceipt, 'related'>): string[] | undefined {
  if (related.length === 0) return undefined;
  const keys = related.flatMap(({ id, transaction_id }) => {
    if (transaction_id === null) return [idKey(id ?? '')];
    return [transactionKey(transaction_id), ...(id === null ? [waitingKey(transaction_id)] : [])];
  });
  return [...new Set(keys)];
}

/** The transactions whose receipts a receipt with these keys is waiting for. */
export const awaitedTransactions = (keys: readonly string[] = []): string[] =>
  keys.filter((key) => key.startsWith(waitingKey(''))).map((key) => key.slice(waitingKey('').length));

/** The same relations, with the known ids filled in. */
export const withIds = (related: readonly Relation[], ids: ReadonlyMap<string, string>): Relation[] =>
  related.map((relation) => ({
    ...relation,
    id: relation.id ?? ids.get(relation.transaction_id ?? '') ?? null,
  }));

/** Whether a receipt returns or exchanges items of the sale. */
export const isReturnOf = (
  { id, related, duplicate, voided }: ReturnedReceipt,
  sale: Pick<ReturnedReceipt, 'id' | 'transaction_id'>,
): boolean =>
  id !== sale.id &&
  !duplicate &&
  voided === null &&
  related.some(
    (one) =>
      one.type !== 'correction' &&
      (one.transaction_id === null ? one.id === sale.id : one.transaction_id === sale.transaction_id),
  );
