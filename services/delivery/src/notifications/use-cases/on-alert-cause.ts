import { groupBy } from '@receipts/concurrency';
import { ingestEvents, receiptStoreEvents, webhookEvents } from '@receipts/contracts';
import type { EventOf } from '@receipts/kernel';
import { on } from '@receipts/messaging';
import { KeyedMutex } from '../../sending/use-cases/keyed-mutex';
import { withReportedCauses, type AlertCause, type AlertPauses } from '../domain/alerts';
import type { Asking } from '../notified-users';
import type { AlertsByRetailer } from '../storage/alerts-by-retailer';

export interface AlertDependencies extends Asking {
  readonly alerts: AlertsByRetailer;
  readonly pauses: AlertPauses;
}

const causingEvents = [
  receiptStoreEvents.tillSilent,
  receiptStoreEvents.tillBack,
  ingestEvents.posReceiptFailed,
  webhookEvents.webhookEndpointDisabled,
] as const;
type CausingEvent = EventOf<(typeof causingEvents)[number]>;

function causeOf({ type, subject, data }: CausingEvent): AlertCause {
  if (type === 'till.silent' || type === 'till.back') {
    const { store_reference: store, till_uuid: till, last_received: at } = data;
    const key = JSON.stringify([store, till]);
    return { type: 'silent_tills', key, store, till, at, isBack: type === 'till.back' };
  }
  if (type === 'webhook.endpoint_disabled') {
    return { type: 'disabled_webhooks', key: subject, description: data.description };
  }
  const { store_reference: store = null } = data.metadata;
  return { type: 'failed_packets', key: subject, store };
}

/** Collects what managers are warned about. The events of a batch cost one write for each retailer. */
export function onAlertCause({ alerts, pauses, now }: AlertDependencies) {
  // In a storm, the batches of one process would otherwise lose races against each other.
  const mutex = new KeyedMutex();
  return on(causingEvents, async (events) => {
    const byRetailer = groupBy(events, ({ retailer }) => retailer);
    for (const [retailer, caused] of byRetailer) {
      const reported = caused.map((event) => ({ event: event.id, cause: causeOf(event) }));
      await mutex.run([retailer], () =>
        alerts.change(retailer, (current) => withReportedCauses(current, reported, now(), pauses)),
      );
    }
  });
}
