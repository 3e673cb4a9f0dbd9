import {
  isDuplicateKey,
  databaseTimeout,
  updateVersioned,
  type Aggregate,
  type CollectionDeclaration,
} from '@receipts/storage';
import type { Collection } from 'mongodb';
import { noAlerts, type Alerts } from '../domain/alerts';

export interface AlertsDocument extends Aggregate {
  /** The retailer. */
  readonly _id: string;
  readonly alerts: Alerts;
}

export const alertsDeclaration: CollectionDeclaration = {
  name: 'alerts',
  indexes: [{ name: 'due', key: { 'alerts.dueAt': 1 }, sparse: true }],
};

const dueMax = 100;

/** One document for each retailer, whose size is limited. */
export class AlertsByRetailer {
  constructor(private readonly collection: Collection<AlertsDocument>) {}

  /**
   * @param decide pure; may run again. Returning the same object means no change.
   * @returns the alerts after the change
   */
  async change(retailer: string, decide: (alerts: Alerts) => Alerts): Promise<Alerts> {
    for (;;) {
      const changed = await updateVersioned<AlertsDocument, Alerts>({
        collection: this.collection,
        retailer,
        id: retailer,
        signal: databaseTimeout,
        decide: ({ alerts }) => {
          const next = decide(alerts);
          return next === alerts ? { result: next } : { update: { $set: { alerts: next } }, result: next };
        },
      });
      if (changed) return changed;
      if (decide(noAlerts) === noAlerts) return noAlerts;
      await this.create(retailer);
    }
  }

  /** The retailers whose next round is due, longest first. */
  async due(now: Date): Promise<string[]> {
    const found = await this.collection
      .find({ 'alerts.dueAt': { $lte: now } }, { signal: databaseTimeout() })
      .sort({ 'alerts.dueAt': 1 })
      .limit(dueMax)
      .project<{ _id: string }>({ _id: 1 })
      .toArray();
    return found.map(({ _id }) => _id);
  }

  private async create(retailer: string): Promise<void> {
    const document = { _id: retailer, retailer, version: 1, alerts: noAlerts };
    try {
      await this.collection.insertOne(document, { signal: databaseTimeout() });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  }
}
