import { clientCallsMax, type adminContracts, type ClientCall } from '@receipts/contracts';
import type { Input } from '@receipts/kernel';
import type { CollectionDeclaration } from '@receipts/storage';
import type { Collection } from 'mongodb';

export interface ClientCallsDocument {
  /** `retailer/bearer:7` */
  readonly _id: string;
  readonly retailer: string;
  /** The last calls, in the order in which they were reported. */
  readonly calls: readonly ClientCall[];
}

export const clientCallsDeclaration: CollectionDeclaration = { name: 'client_calls', indexes: [] };

type Reported = Input<typeof adminContracts.recordClientCalls>['body'];

const idOf = (retailer: string, client: string) => `${retailer}/${client}`;

/** The last calls of each client. */
export class ClientCalls {
  constructor(private readonly collection: Collection<ClientCallsDocument>) {}

  async add({ clients }: Reported, signal: AbortSignal): Promise<void> {
    if (clients.length === 0) return;
    const operations = clients.map(({ retailer, client, calls }) => ({
      updateOne: {
        filter: { _id: idOf(retailer, client), retailer },
        update: { $push: { calls: { $each: calls, $slice: -clientCallsMax } } },
        upsert: true,
      },
    }));
    await this.collection.bulkWrite(operations, { ordered: false, signal });
  }

  /** Newest first. Gateways report in any order; of one gateway's calls in a millisecond, the later is reported later. */
  async of(retailer: string, client: string, signal: AbortSignal): Promise<ClientCall[]> {
    const found = await this.collection.findOne({ _id: idOf(retailer, client), retailer }, { signal });
    return [...(found?.calls ?? [])].reverse().sort((a, b) => b.at - a.at);
  }
}
