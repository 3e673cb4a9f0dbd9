import type { Retailer } from '@receipts/contracts';
import type { Call, Log } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import type { OpenService } from '@receipts/host/open-service';
import type { Database } from '@receipts/storage';
import type { DeliveryCounters } from './delivery-counters';

/** The dependencies of each module of this service. */
export interface ModuleDependencies {
  readonly service: OpenService;
  readonly broker: Broker;
  readonly database: Database;
  readonly ask: Broker['ask'];
  readonly retailer: (id: string, call: Call) => Promise<Retailer>;
  readonly log: Log;
  readonly counters: DeliveryCounters;
  readonly now: () => Date;
  /** The delay before catching up after startup or a reconnect to the broker; 2 s by default. */
  readonly catchUpDelayMs?: number | undefined;
}
