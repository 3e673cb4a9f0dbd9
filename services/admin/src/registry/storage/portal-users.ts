import type { SerializedEvent } from '@receipts/kernel';
import { isDuplicateKey, outboxIndex, type CollectionDeclaration, type OutboxRelay } from '@receipts/storage';
import type { Collection } from 'mongodb';
import type { PortalUserRecord } from '../domain/portal-user';
import { Aggregates, type AggregateDocument, type Cause, type Shape } from './aggregates';
import type { Counters } from './counters';

/** `_id` is the address, so that it is unique across retailers. */
export interface PortalUserDocument extends AggregateDocument, Omit<PortalUserRecord, 'email' | 'version'> {}

export const portalUsersDeclaration: CollectionDeclaration = {
  name: 'portal_users',
  indexes: [{ name: 'by_reset', key: { 'reset.id': 1 }, sparse: true }, outboxIndex],
};

const shape: Shape<PortalUserDocument, PortalUserRecord> = {
  documentOf: ({ email: _email, version: _version, ...fields }) => fields,
  recordOf: ({ _id, outbox: _outbox, createdBy: _madeBy, changedBy: _changedBy, ...fields }) => ({
    ...fields,
    email: _id,
  }),
};

export class PortalUsers {
  private readonly aggregates: Aggregates<PortalUserDocument, PortalUserRecord>;

  constructor(
    private readonly collection: Collection<PortalUserDocument>,
    relay: Pick<OutboxRelay<PortalUserDocument>, 'enqueue' | 'flush'>,
    private readonly counters: Counters,
  ) {
    this.aggregates = new Aggregates(collection, relay, shape);
  }

  /** Of any retailer: an address belongs to only one. */
  async find(email: string, signal: AbortSignal): Promise<PortalUserRecord | undefined> {
    const found = await this.collection.findOne({ _id: email }, { signal });
    return found ? shape.recordOf(found) : undefined;
  }

  async findByReset(resetId: string, signal: AbortSignal): Promise<PortalUserRecord | undefined> {
    const found = await this.collection.findOne({ 'reset.id': resetId }, { signal });
    return found ? shape.recordOf(found) : undefined;
  }

  /** Undefined when the address is taken. */
  async create(
    retailer: string,
    make: (id: number) => PortalUserRecord,
    eventsOf: (record: PortalUserRecord) => readonly SerializedEvent[],
    cause: Cause,
  ): Promise<PortalUserRecord | undefined> {
    const record = make(await this.counters.next(retailer, 'portal-users', cause.signal));
    try {
      return await this.aggregates.insert(record.email, record, eventsOf(record), cause);
    } catch (error) {
      if (isDuplicateKey(error, '_id_')) return undefined;
      throw error;
    }
  }

  update(
    retailer: string,
    email: string,
    decide: (current: PortalUserRecord) => PortalUserRecord,
    eventOf: (next: PortalUserRecord, current: PortalUserRecord) => SerializedEvent,
    cause: Cause,
  ): Promise<PortalUserRecord | undefined> {
    return this.aggregates.update(retailer, email, decide, eventOf, cause);
  }
}
