import { SingleFlight } from '@receipts/concurrency';
import type { Call } from './call';
import { ServiceError, unavailable } from './errors';

/**
 * Records of another service in memory. Missing records are requested from that service, with concurrent requests
 * merged; changed records arrive with its events. After the broker has been unavailable, all records are dropped: events
 * may have been missed, so the records may be outdated.
 */
export class RecordCache<T extends { readonly id: string; readonly version: number }> {
  private readonly byId = new Map<string, T>();
  private requests = new SingleFlight<T | null>();

  /** @param request requests a record from the owner; null if it does not exist */
  constructor(private readonly request: (id: string, call: Call) => Promise<T | null>) {}

  /** @throws ServiceError 503 if the owner does not reply, or does not know the record although it must exist */
  async find(id: string, call: Call): Promise<T> {
    const record = await this.known(id, call);
    if (!record) throw new ServiceError(unavailable, { internal: `${id} is unknown to its owner` });
    return record;
  }

  /**
   * Undefined if the owner does not know the record.
   * @throws ServiceError 503 if the owner does not reply
   */
  async known(id: string, call: Call): Promise<T | undefined> {
    const known = this.byId.get(id);
    if (known) return known;
    const { requests } = this;
    const record = await requests.run(id, () => this.request(id, call), call);
    if (!record) return undefined;
    // The reply to a request from before `clear` may be older than an event that was missed.
    if (requests === this.requests) this.keep(record);
    return record;
  }

  /** Applies the owner's events that contain records. */
  async apply(events: readonly { readonly data: T }[]): Promise<void> {
    for (const { data } of events) this.keep(data);
  }

  clear(): void {
    this.byId.clear();
    this.requests = new SingleFlight();
  }

  private keep(record: T): void {
    const known = this.byId.get(record.id);
    if (!known || known.version < record.version) this.byId.set(record.id, record);
  }
}
