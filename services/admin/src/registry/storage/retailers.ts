import { retailerExists, retailerSettings } from '@receipts/contracts';
import { ServiceError, type SerializedEvent } from '@receipts/kernel';
import { isDuplicateKey, outboxIndex, type CollectionDeclaration } from '@receipts/storage';
import type { RetailerRecord } from '../domain/retailer';
import { Aggregates, type AggregateDocument, type Cause, type Shape } from './aggregates';

/** `settings` is stored as a JSON string, because MongoDB restricts the keys of objects. */
export interface RetailerDocument
  extends AggregateDocument, Omit<RetailerRecord, 'id' | 'version' | 'settings'> {
  readonly settings: string;
}

export const retailersDeclaration: CollectionDeclaration = {
  name: 'retailers',
  indexes: [{ name: 'by_number', key: { number: -1 } }, outboxIndex],
};

const shape: Shape<RetailerDocument, RetailerRecord> = {
  documentOf: ({ id, name, vatno, settings, number }) => ({
    retailer: id,
    name,
    vatno,
    settings: JSON.stringify(settings),
    number,
  }),
  // Settings that are missing, because a later release introduced them, get their defaults.
  recordOf: ({ _id, name, vatno, settings, number, version }) => ({
    id: _id,
    name,
    vatno,
    settings: retailerSettings.parse(JSON.parse(settings)),
    number,
    version,
  }),
};

/** Retailers share one counter, which belongs to the operator. */
const operator = 'operator';

/** The retailers. */
export class Retailers extends Aggregates<RetailerDocument, RetailerRecord> {
  protected readonly shape = shape;
  protected override readonly numberField = 'number';

  /**
   * @param make creates the record from the allocated number
   * @returns the new retailer, or the retailer that an earlier execution of the same call has created
   * @throws ServiceError 409 `retailer_exists`
   */
  async create(
    retailer: string,
    make: (number: number) => RetailerRecord,
    eventOf: (record: RetailerRecord) => SerializedEvent,
    cause: Cause,
  ): Promise<RetailerRecord> {
    if (await this.find(retailer, cause.signal)) {
      return this.createdByOrRefuse(retailer, cause, retailerExists);
    }
    const record = make(await this.counters.next(operator, 'retailers', cause.signal));
    try {
      return await this.insert(retailer, record, [eventOf(record)], cause);
    } catch (error) {
      throw isDuplicateKey(error, '_id_') ? new ServiceError(retailerExists) : error;
    }
  }

  async find(retailer: string, signal: AbortSignal): Promise<RetailerRecord | undefined> {
    return this.findBy({ _id: retailer }, signal);
  }
}
