import type { Collection, UpdateFilter } from 'mongodb';
import { tillBack, tillSilent } from '@receipts/contracts';
import { eventOf, serviceCall, timestampOf } from '@receipts/kernel';
import {
  majorityRead,
  outboxIndex,
  outboxItem,
  updateVersioned,
  type Aggregate,
  type CollectionDeclaration,
  type OutboxItem,
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

/** A till, and when it was last heard of. */
export interface HeardTill {
  readonly retailer: string;
  readonly till: KnownTill;
  readonly lastReceived: Date;
}

interface Change {
  readonly contract: typeof tillSilent | typeof tillBack;
  readonly update: UpdateFilter<SilenceDocument>;
}

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

  async begin(heard: HeardTill): Promise<void> {
    const { retailer, till } = heard;
    const version = 0;
    await this.collection.updateOne(
      { _id: idOf(heard) },
      { $setOnInsert: { retailer, till: till.id, version } },
      { upsert: true },
    );
    const update = { $set: { silentSince: heard.lastReceived } };
    await this.change(heard, (current) =>
      current.silentSince ? undefined : { contract: tillSilent, update },
    );
  }

  async end(heard: HeardTill): Promise<void> {
    const update: UpdateFilter<SilenceDocument> = { $unset: { silentSince: '' } };
    await this.change(heard, (current) => (current.silentSince ? { contract: tillBack, update } : undefined));
  }

  private async change(heard: HeardTill, changeOf: (current: SilenceDocument) => Change | undefined) {
    const { collection, relay, now } = this;
    const { retailer, till, lastReceived } = heard;
    const _id = idOf(heard);
    const data = {
      store_reference: till.store,
      till_uuid: till.till,
      last_received: timestampOf(lastReceived),
    };
    const outbox = await updateVersioned<SilenceDocument, readonly OutboxItem[]>({
      collection,
      retailer,
      id: _id,
      decide(current) {
        const change = changeOf(current);
        if (!change) return { result: [] };
        const facts = { subject: till.id, sequence: current.version + 1, data };
        const call = serviceCall('receipt-store', now().getTime(), retailer);
        const items = [outboxItem(eventOf(change.contract, facts, call, now()))];
        return { update: change.update, outbox: items, result: items };
      },
    });
    if (outbox && outbox.length > 0) relay.enqueue([{ _id, items: outbox }]);
  }
}

const idOf = ({ retailer, till }: HeardTill) => `${retailer}|${till.id}`;
