import { adminContracts, type adminEvents, type Retailer } from '@receipts/contracts';
import { innerCall, type Call, type EventOf } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';

/**
 * Retailers and their settings in memory. Missing ones are requested from admin. All are dropped when they may be
 * outdated, because events were missed while the broker was unavailable.
 */
export class RetailerCopies {
  private readonly byId = new Map<string, Retailer>();

  constructor(
    private readonly ask: Broker['ask'],
    private readonly now: () => Date,
  ) {}

  /** @throws ServiceError when admin does not answer or does not know the retailer. */
  async find(id: string, call: Call): Promise<Retailer> {
    const known = this.byId.get(id);
    if (known) return known;
    const inner = innerCall('delivery', call, this.now().getTime());
    const { retailer } = (await this.ask(adminContracts.findRetailer, { body: { id } }, inner)).body;
    if (!retailer) throw new Error(`admin knows no retailer ${id}`);
    this.keep(retailer);
    return retailer;
  }

  async apply(events: readonly EventOf<typeof adminEvents.retailerUpdated>[]): Promise<void> {
    for (const { data } of events) this.keep(data);
  }

  forget(): void {
    this.byId.clear();
  }

  private keep(retailer: Retailer): void {
    const known = this.byId.get(retailer.id);
    if (!known || known.version < retailer.version) this.byId.set(retailer.id, retailer);
  }
}
