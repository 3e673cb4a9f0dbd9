import type { SerializedEvent } from '@receipts/kernel';
import { isDuplicateKey, outboxIndex, type CollectionDeclaration } from '@receipts/storage';
import type { Filter } from 'mongodb';
import type { PortalUserRecord } from '../domain/portal-user';
import { Aggregates, type AggregateDocument, type Cause, type Shape } from './aggregates';

/** `_id` is the address, so that it is unique across retailers. */
export interface PortalUserDocument extends AggregateDocument, Omit<PortalUserRecord, 'email' | 'version'> {
  /** The types of the e-mails about the business that the user gets, for the index; empty for none. */
  readonly notified: string;
}

const notifiedOnly = { notified: { $gt: '' } };

export const portalUsersDeclaration: CollectionDeclaration = {
  name: 'portal_users',
  indexes: [
    { name: 'by_reset', key: { 'reset.id': 1 }, sparse: true },
    { name: 'by_id', key: { retailer: 1, id: -1 } },
    { name: 'notified', key: { retailer: 1, _id: 1 }, partial: notifiedOnly },
    outboxIndex,
  ],
};

const shape: Shape<PortalUserDocument, PortalUserRecord> = {
  documentOf: ({ email: _email, version: _version, ...fields }) => ({
    ...fields,
    notified: (fields.notifications?.types ?? []).join(' '),
  }),
  recordOf: ({
    _id,
    outbox: _outbox,
    createdBy: _madeBy,
    changedBy: _changedBy,
    notified: _notified,
    ...fields
  }) => ({ ...fields, email: _id }),
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

  /**
   * A page of the users of a retailer, or of all, who get e-mails about the business.
   * @param after the `next` of the previous page
   */
  async notified(
    retailer: string | undefined,
    after: string | undefined,
    count: number,
    signal: AbortSignal,
  ): Promise<{ readonly records: PortalUserRecord[]; readonly next: string | null }> {
    const [of = '', email = ''] = after?.split(' ') ?? [];
    const ranges: Filter<PortalUserDocument>[] =
      retailer === undefined
        ? [{ retailer: of, _id: { $gt: email } }, { retailer: { $gt: of } }]
        : [{ retailer, _id: { $gt: email } }];
    const found: PortalUserDocument[] = [];
    // Two ranges of the index, because a query for either of them could not use its order.
    for (const range of ranges) {
      if (found.length === count) break;
      const page = this.collection
        .find<PortalUserDocument>({ ...notifiedOnly, ...range }, { signal })
        .sort({ retailer: 1, _id: 1 })
        .limit(count - found.length);
      found.push(...(await page.toArray()));
    }
    const last = found.length === count ? found.at(-1) : undefined;
    return {
      records: found.map(shape.recordOf),
      next: last ? `${last.retailer} ${last._id}` : null,
    };
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
