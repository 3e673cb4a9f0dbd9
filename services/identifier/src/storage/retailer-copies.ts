import { adminContracts, type Retailer } from '@receipts/contracts';
import { innerCall, ServiceError, unavailable, type Call } from '@receipts/kernel';
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

  /**
   * @throws ServiceError 503 when admin does not answer or does not know the retailer, although its credential was
   * accepted
   */
  async find(id: string, call: Call): Promise<Retailer> {
    const retailer = await this.known(id, call);
    if (!retailer) throw new ServiceError(unavailable, { internal: 'admin does not know the retailer' });
    return retailer;
  }

  /**
   * Undefined when admin does not know the retailer.
   * @throws ServiceError 503 when admin does not answer
   */
  async known(id: string, call: Call): Promise<Retailer | undefined> {
    const known = this.byId.get(id);
    if (known) return known;
    const inner = innerCall('identifier', call, this.now().getTime());
    const { retailer } = (await this.ask(adminContracts.findRetailer, { body: { id } }, inner)).body;
    if (!retailer) return undefined;
    this.apply([retailer]);
    return retailer;
  }

  apply(retailers: readonly Retailer[]): void {
    for (const retailer of retailers) {
      const known = this.byId.get(retailer.id);
      if (!known || known.version < retailer.version) this.byId.set(retailer.id, retailer);
    }
  }

  forget(): void {
    this.byId.clear();
  }
}
