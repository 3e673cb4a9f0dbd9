import type { SerializedEvent } from '@receipts/kernel';
import { isDuplicateKey, outboxIndex, type CollectionDeclaration } from '@receipts/storage';
import type { PortalUserRecord } from '../domain/portal-user';
import { Aggregates, type AggregateDocument, type Cause, type Shape } from './aggregates';

/** `_id` is the address, so that it is unique across retailers. */
export interface PortalUserDocument extends AggregateDocument, Omit<PortalUserRecord, 'email' | 'version'> {}

export const portalUsersDeclaration: CollectionDeclaration = {
  name: 'portal_users',
  indexes: [
    { name: 'by_reset', key: { 'reset.id': 1 }, sparse: true },
    { name: 'by_id', key: { retailer: 1, id: -1 } },
    outboxIndex,
  ],
};

const shape: Shape<PortalUserDocument, PortalUserRecord> = {
  documentOf: ({ email: _email, version: _version, ...fields }) => fields,
  recordOf: ({ _id, outbox: _outbox, createdBy: _madeBy, changedBy: _changedBy, ...fields }) => ({
    ...fields,
    email: _id,
  }),
};

export class PortalUsers extends Aggregates<PortalUserDocument, PortalUserRecord> {
  protected readonly shape = shape;

  /** Finds a user of any retailer, because an address belongs to only one user. */
  find(email: string, signal: AbortSignal): Promise<PortalUserRecord | undefined> {
    return this.findBy({ _id: email }, signal);
  }

  async findByReset(resetId: string, signal: AbortSignal): Promise<PortalUserRecord | undefined> {
    return this.findBy({ 'reset.id': resetId }, signal);
  }

  findById(retailer: string, id: number, signal: AbortSignal): Promise<PortalUserRecord | undefined> {
    return this.findBy({ retailer, id }, signal);
  }

  /** Undefined if the address is taken. */
  async create(
    retailer: string,
    make: (id: number) => PortalUserRecord,
    eventsOf: (record: PortalUserRecord) => readonly SerializedEvent[],
    cause: Cause,
  ): Promise<PortalUserRecord | undefined> {
    const record = make(await this.counters.next(retailer, 'portal-users', cause.signal));
    try {
      return await this.insert(record.email, record, eventsOf(record), cause);
    } catch (error) {
      if (isDuplicateKey(error, '_id_')) return undefined;
      throw error;
    }
  }
}
