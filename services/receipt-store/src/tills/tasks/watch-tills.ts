import { ingestContracts, type Retailer } from '@receipts/contracts';
import { PeriodicTask } from '@receipts/concurrency';
import { serviceCall, timestampOf, type Log } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import type { Lease } from '@receipts/storage';
import type { StoreDirectory } from '../../storage/directories';
import type { KnownTill } from '../../totals/domain/till';
import type { Totals } from '../../totals/storage/totals';
import { lastReceivedOf, matchContacts } from '../domain/match-contacts';
import { openBetween } from '../domain/opening-time';
import type { TillSilences } from '../storage/till-silences';
import { openingTimeOf } from './opening-time-of';

export interface WatchTillsDependencies {
  readonly retailers: () => readonly Retailer[];
  readonly stores: StoreDirectory;
  readonly totals: Pick<Totals, 'readTills'>;
  readonly silences: TillSilences;
  readonly ask: Broker['ask'];
  /** Only one process watches at a time. */
  readonly lease: Lease;
  readonly log: Log;
  readonly now: () => Date;
}

const everyMs = 5_000;
const callTimeoutMs = 10_000;
const minuteMs = 60_000;
const failure = 'could not look for silent tills';

/** Reports tills that have stopped sending, for the retailers that have set a time. */
export class WatchTills {
  readonly task: PeriodicTask;

  constructor(private readonly deps: WatchTillsDependencies) {
    this.task = new PeriodicTask({ everyMs, run: (signal) => this.run(signal), log: deps.log, failure });
  }

  private async run(stopping: AbortSignal): Promise<void> {
    const { retailers, lease, log } = this.deps;
    for (const retailer of retailers()) {
      const { silent_after_minutes: minutes } = retailer.settings.tills;
      if (minutes === null) continue;
      if (stopping.aborted || !(await lease.acquire())) return;
      try {
        await this.check(retailer, minutes * minuteMs);
      } catch (error) {
        log.warn(failure, { retailer: retailer.id, error });
      }
    }
  }

  private async check(retailer: Retailer, silentAfterMs: number): Promise<void> {
    const { totals, silences, now } = this.deps;
    const { id } = retailer;
    const at = now();
    const call = serviceCall('receipt-store', Date.now(), id, callTimeoutMs);
    const silent = await silences.current(id);
    const tills = await totals.readTills(id, call);
    const receivedUntil = new Date(at.getTime() - silentAfterMs);
    const watched = tills.filter((till) => till.receivedAt <= receivedUntil || silent.has(till.id));
    if (watched.length === 0) return;
    const lastReceived = await this.lastReceived(tills, receivedUntil, id);
    for (const till of watched) {
      const last = lastReceived(till);
      const since = silent.get(till.id);
      if (since) {
        if (last > since) await silences.end({ retailer: id, till, lastReceived: last });
      } else if (this.isSilent(till, last, at, silentAfterMs, retailer)) {
        await silences.begin({ retailer: id, till, lastReceived: last });
      }
    }
  }

  private isSilent(
    till: KnownTill,
    last: Date,
    at: Date,
    silentAfterMs: number,
    retailer: Retailer,
  ): boolean {
    const { openMs, isOpen } = openBetween(openingTimeOf(till, this.deps.stores, retailer), last, at);
    return isOpen && openMs >= silentAfterMs;
  }

  /** When each till was last heard of, by its receipts or its raw data. */
  private async lastReceived(tills: readonly KnownTill[], since: Date, retailer: string) {
    const call = serviceCall('receipt-store', Date.now(), retailer, callTimeoutMs);
    const body = { since: timestampOf(since) };
    const found = (await this.deps.ask(ingestContracts.findTillContacts, { body }, call)).body.contacts;
    const { of } = matchContacts(tills, found);
    return (till: KnownTill) => lastReceivedOf(till.receivedAt, of.get(till) ?? []);
  }
}
