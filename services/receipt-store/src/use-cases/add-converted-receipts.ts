import { finishPacket, type addConvertedReceipts as contract, type PacketFault } from '@receipts/contracts';
import { causedCall, ServiceError, type BatchHandler, type Item, type Reply } from '@receipts/kernel';
import type { Dependencies } from './dependencies';
import type { StoreOutcome, Submission } from './submission';

type ConvertedItem = Item<typeof contract>;

/** The maximum number of receipts prepared and written at once. A packet may contain a thousand. */
const receiptsAtOnceMax = 256;
/** The maximum number of errors stored with a packet. */
const faultsMax = 100;
/** Limits the wait for the broker's confirmation. */
const confirmTimeoutMs = 30_000;

function submissionsOf({ input: { body }, call }: ConvertedItem): Submission[] {
  const { pos_data_id: packet, receipts } = body;
  return receipts.map(({ id, receipt }) => ({
    id,
    posted: receipt,
    posDataIds: [packet],
    origin: `packet:${packet}|${id}`,
    call,
  }));
}

/** The packet is not at fault, so its command is retried until all its receipts have been handled. */
const isTemporary = (outcome: StoreOutcome): outcome is ServiceError =>
  outcome instanceof ServiceError && outcome.status >= 500;

type ConvertedReceipt = ConvertedItem['input']['body']['receipts'][number];

/** The path of an error begins with the index of its receipt. */
function faultsOf(refusal: ServiceError, { part, receipt }: ConvertedReceipt, index: number): PacketFault[] {
  const { code = 'refused', description, errors = [] } = refusal;
  if (errors.length > 0)
    return errors.map((error) => ({
      path: `/${index}${error.path}`,
      code: error.code,
      message: error.message,
      part,
    }));
  // Nothing else identifies the receipt of a duplicate.
  const message =
    code === 'duplicate_transaction_id' ? `${description}: ${receipt.transaction_id}` : description;
  return [{ path: `/${index}`, code, message, part }];
}

/** The outcome of a packet whose receipts have all been handled. */
function outcomeOf({ input: { body } }: ConvertedItem, outcomes: readonly StoreOutcome[]) {
  const receiptIds: string[] = [];
  const errors: PacketFault[] = [];
  body.receipts.forEach((receipt, index) => {
    const outcome = outcomes[index] as StoreOutcome;
    if (outcome instanceof ServiceError) errors.push(...faultsOf(outcome, receipt, index));
    else receiptIds.push(outcome.id);
  });
  const isDuplicate = errors.some(({ code }) => code === 'duplicate_transaction_id');
  const reason = isDuplicate ? ('duplicate_transaction_id' as const) : ('invalid_receipt' as const);
  return {
    id: body.pos_data_id,
    attempt: body.attempt,
    mapping: body.mapping,
    receiptIds,
    failure: errors.length > 0 ? { reason, errors: errors.slice(0, faultsMax) } : null,
  };
}

/**
 * Stores the receipts of converted packets, combining those of several packets, and reports each packet's outcome to
 * ingest. The ids were assigned beforehand, so a retry recognizes the receipts that were stored before.
 */
export function addConvertedReceipts({
  storing,
  broker,
  now,
}: Pick<Dependencies, 'storing' | 'broker' | 'now'>): BatchHandler<typeof contract> {
  const report = async (
    item: ConvertedItem,
    outcomes: readonly StoreOutcome[],
  ): Promise<Reply<typeof contract> | ServiceError> => {
    const failure = outcomes.find(isTemporary);
    if (failure) return failure;
    const call = causedCall('receipt-store', item.call, now().getTime(), confirmTimeoutMs);
    try {
      await broker.send(finishPacket, { body: outcomeOf(item, outcomes) }, call);
      return {};
    } catch (error) {
      if (error instanceof ServiceError) return error;
      throw error;
    }
  };
  return {
    async batch(items) {
      const submissions = items.flatMap(submissionsOf);
      const stored: StoreOutcome[] = [];
      for (let at = 0; at < submissions.length; at += receiptsAtOnceMax) {
        stored.push(...(await storing.store(submissions.slice(at, at + receiptsAtOnceMax))));
      }
      return Promise.all(
        items.map((item) => report(item, stored.splice(0, item.input.body.receipts.length))),
      );
    },
  };
}
