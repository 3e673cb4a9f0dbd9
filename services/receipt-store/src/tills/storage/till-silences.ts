import type { Collection } from 'mongodb';
import { tillBack, tillSilent } from '@receipts/contracts';
import { eventOf, serviceCall, timestampOf, type EventContract } from '@receipts/kernel';
import {
  majorityRead,
  outboxIndex,
  outboxItem,
  updateVersioned,
  type Aggregate,
  type CollectionDeclaration,
  type OutboxRelay,
} from '@receipts/storage';
import type { KnownTill } from '../../totals/domain/till';

/** Whether a till is silent, so that each silence is reported once, whichever process notices it. */
export interface SilenceDocument extends Aggregate {
  /** Retailer and till. */
  readonly _id: string;
  readonly till: string;
  /** Present during a silence: when the till was last heard of. */
  readonly silentSince?: Date;
}

const silentIndex = {
  name: 'silent',
  key: { retailer: 1, till: 1 },
  partial: { silentSince: { $exists: true } },
} as const;

export const silencesDeclaration: CollectionDeclaration = {
  name: 'till_silences',
  indexes: [silentIndex, outboxIndex],
};

/** Stores the silences of tills together with their events. */
export class TillSilences {
  constructor(
    private readonly collection: Collection<SilenceDocument>,
    private readonly relay: Pick<OutboxRelay<SilenceDocument>, 'enqueue'>,
    private readonly now: () => Date,
  ) {}

  /** The tills that are silent, with the time when each was last heard of. */
  async current(retailer: string): Promise<ReadonlyMap<string, Date>> {
    const found = await this.collection
      .find({ retailer, silentSince: { $exists: true } }, { hint: silentIndex.name, ...majorityRead() })
      .toArray();
    return new Map(found.map(({ till, silentSince }) => [till, silentSince as Date]));
  }

  async begin(retailer: string, till: KnownTill, lastReceived: Date): Promise<void> {
    const _id = idOf(retailer, till);
    await this.collection.updateOne(
      { _id },
      { $setOnInsert: { retailer, till: till.id, version: 0 } },
      { upsert: true },
    );
    await this.change(retailer, till, tillSilent, lastReceived, ({ silentSince }) => !silentSince, {
      $set: { silentSince: lastReceived },
    });
  }

  async end(retailer: string, till: KnownTill, lastReceived: Date): Promise<void> {
    const isSilent = ({ silentSince }: SilenceDocument) => silentSince !== undefined;
    await this.change(retailer, till, tillBack, lastReceived, isSilent, { $unset: { silentSince: '' } });
  }

  private async change(
    retailer: string,
    till: KnownTill,
    contract: EventContract,
    lastReceived: Date,
    applies: (current: SilenceDocument) => boolean,
    update: object,
  ): Promise<void> {
    const { collection, relay, now } = this;
    const _id = idOf(retailer, till);
    const data = {
      ...{ store_reference: till.store, till_uuid: till.till, last_received: timestampOf(lastReceived) },
    };
    const outbox = await updateVersioned<SilenceDocument, ReturnType<typeof outboxItem>[]>({
      ...{ collection, retailer, id: _id },
      decide(current) {
        if (!applies(current)) return { result: [] };
        const facts = { subject: till.id, sequence: current.version + 1, data };
        const call = serviceCall('receipt-store', now().getTime(), retailer);
        const items = [outboxItem(eventOf(contract, facts, call, now()))];
        return { update, outbox: items, result: items };
      },
    });
    if (outbox && outbox.length > 0) relay.enqueue([{ _id, items: outbox }]);
  }
}

const idOf = (retailer: string, { id }: KnownTill) => `${retailer}|${id}`;
