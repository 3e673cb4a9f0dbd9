import { addConvertedReceipts, finishPacket, receiptStoreContracts } from '@receipts/contracts';
import { ServiceError, type Answer, type Input } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';

export type Finished = Input<typeof finishPacket>['body'];

type Checks = Answer<typeof receiptStoreContracts.previewReceipt>['body']['checks'];

interface Stored {
  readonly id: string;
  readonly receipt: Record<string, unknown>;
  readonly packet: string;
  readonly retailer: string;
}

/** Fakes of ingest and receipt-store. */
export class Neighbours {
  readonly finished: Finished[] = [];
  readonly stored: Stored[] = [];
  /** The errors of receipt-store, by transaction id. */
  readonly refusals = new Map<string, ConstructorParameters<typeof ServiceError>[0]>();

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
          const results = body.receipts.map(({ id, receipt }) => {
            const refusal = this.refusals.get(receipt.transaction_id);
            if (refusal) return { error: new ServiceError(refusal).toWire() };
            this.stored.push({ id, receipt: { ...receipt }, packet: body.pos_data_id, retailer });
            return { id };
          });
          return Promise.resolve({ body: { results } });
        },
      },
    });
  }
}
