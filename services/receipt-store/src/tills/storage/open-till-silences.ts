import type { OpenService } from '@receipts/host/open-service';
import type { Database } from '@receipts/storage';
import { silencesDeclaration, TillSilences, type SilenceDocument } from './till-silences';

/** Opens the collection of silences, whose events a relay publishes. */
export async function openTillSilences(service: OpenService, database: Database, now: () => Date) {
  const collection = await database.collection<SilenceDocument>(silencesDeclaration);
  const relay = service.relay<SilenceDocument>('sweep silences of tills', { collection });
  return { silences: new TillSilences(collection, relay, now), relay };
}
