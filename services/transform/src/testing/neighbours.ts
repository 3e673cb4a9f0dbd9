import { addConvertedReceipts, finishPacket, receiptStoreContracts } from '@receipts/contracts';
import type { ReceivedReply, Input } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';

export type Finished = Input<typeof finishPacket>['body'];
export type Converted = Input<typeof addConvertedReceipts>['body'];

type Checks = ReceivedReply<typeof receiptStoreContracts.previewReceipt>['body']['checks'];

interface Stored {
  readonly id: string;
  readonly receipt: Record<string, unknown>;
  readonly part: number;
  readonly packet: string;
  readonly retailer: string;
}

/** Fakes of ingest and receipt-store. */
export class Neighbours {
  readonly finished: Finished[] = [];
  /** The packets whose receipts receipt-store was to store. */
  readonly converted: Converted[] = [];
  readonly stored: Stored[] = [];
  /** The failed checks of receipts, by transaction id. */
  readonly checks = new Map<string, Checks>();

  async serve(broker: Broker): Promise<void> {
    await broker.serve({
      owner: 'ingest',
      contracts: { finishPacket },
      handlers: {
        finishPacket: ({ body }) => {
          this.finished.push(body);
          return Promise.resolve({});
        },
      },
    });
    await broker.serve({
      owner: 'receipt-store',
      contracts: { addConvertedReceipts, previewReceipt: receiptStoreContracts.previewReceipt },
      handlers: {
        // The real receipt-store completes the receipt, which transform does not use.
        previewReceipt: ({ body: { receipt } }) =>
          Promise.resolve({
            body: { receipt: receipt as never, checks: this.checks.get(receipt.transaction_id) ?? [] },
          }),
        addConvertedReceipts: ({ body }, { retailer }) => {
          this.converted.push(body);
          for (const { id, part, receipt } of body.receipts) {
            this.stored.push({ id, part, receipt: { ...receipt }, packet: body.pos_data_id, retailer });
          }
          return Promise.resolve({});
        },
      },
    });
  }
}
