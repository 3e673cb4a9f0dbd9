import { retailersSource, type Retailer } from '@receipts/contracts';
import { Copy } from '@receipts/host';
import type { Log } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import { Vocabulary, vocabularyCollection, type VocabularyDocument } from '@receipts/search';
import type { CollectionDeclaration, CursorDocument, Database } from '@receipts/storage';
import type { OpenService } from '@receipts/host/open-service';
import { CodeHashes } from '../domain/card';
import { CardAttempts, attemptsDeclaration, type AttemptsDocument } from '../storage/card-attempts';
import { Cards, cardsDeclaration, type CardDocument } from '../storage/cards';
import { Erasures, erasuresDeclaration, type ErasureDocument } from '../storage/erasures';
import { identifierChanges } from '../storage/identifier-changes';
import { identifierSearch } from '../storage/identifier-search';
import { Identifiers, identifiersDeclaration, type IdentifierDocument } from '../storage/identifiers';
import {
  rewardNumbersDeclaration,
  rewardsDeclaration,
  type NumbersDocument,
  type RewardDocument,
} from '../storage/reward-document';
import { Rewards } from '../storage/rewards';
import {
  ReceiptContributions,
  contributionsDeclaration,
  type ContributionDocument,
} from '../storage/receipt-contributions';
import { runningTotalsDeclaration, type RunningTotalsDocument } from '../storage/running-totals';
import { catchUpReceipts } from './catch-up-receipts';
import { ErasureWorker } from './erasure-worker';
import { issueRewards } from './issue-rewards';
import { onReceiptChanged } from './on-receipt-changed';
import { onReceiptDeleted } from './on-receipt-deleted';
import type { ValidationProvider } from '../validation/provider';

const walkLeaseMs = 15_000;
/** How far the receipts of each retailer have been caught up. */
const catchUpCursorsDeclaration: CollectionDeclaration = { name: 'receipt_catchup_cursors', indexes: [] };

export interface ServiceDependencies {
  readonly broker: Broker;
  readonly database: Database;
  readonly log: Log;
  readonly provider: ValidationProvider;
  /**
   * The keys of the hashes of card codes, the current key first. Without these keys, nobody can guess the codes in a
   * copy of the database.
   */
  readonly secrets: readonly [string, ...string[]];
  readonly now?: () => Date;
  /** The delay before catching up after the start or a reconnect to the broker; 2 s by default. */
  readonly catchUpDelayMs?: number;
}

async function openRewards(service: OpenService, database: Database) {
  const collection = await database.collection<RewardDocument>(rewardsDeclaration);
  const numbers = await database.collection<NumbersDocument>(rewardNumbersDeclaration);
  return new Rewards(collection, numbers, service.relay('sweep rewards', { collection }));
}

async function openErasures(service: OpenService, database: Database) {
  const collection = await database.collection<ErasureDocument>(erasuresDeclaration);
  return {
    erasures: new Erasures(collection),
    erasureRelay: service.relay('sweep erasures', { collection }),
  };
}

async function openCards(database: Database, secrets: readonly [string, ...string[]]) {
  const hashes = new CodeHashes(secrets);
  return {
    hashes,
    cards: new Cards(await database.collection<CardDocument>(cardsDeclaration), hashes),
    attempts: new CardAttempts(await database.collection<AttemptsDocument>(attemptsDeclaration)),
  };
}

/** The dependencies of the use cases. */
export async function createDependencies(service: OpenService, deps: ServiceDependencies) {
  const { broker, database, log, provider, secrets, now = () => new Date() } = deps;
  const collection = await database.collection<IdentifierDocument>(identifiersDeclaration);
  const contributions = new ReceiptContributions(
    await database.collection<ContributionDocument>(contributionsDeclaration),
    await database.collection<RunningTotalsDocument>(runningTotalsDeclaration),
  );
  const vocabulary = new Vocabulary(await database.collection<VocabularyDocument>(vocabularyCollection), log);
  const relay = service.relay('sweep identifiers', { collection });
  const ask: Broker['ask'] = (contract, input, call) => broker.ask(contract, input, call);
  const useCaseDeps = {
    identifiers: new Identifiers(collection, vocabulary),
    changes: identifierChanges(collection, relay, vocabulary),
    search: identifierSearch(collection),
    retailers: new Copy<Retailer>({ log, ...retailersSource(ask, 'identifier') }),
    contributions,
    vocabulary,
    relay,
    provider,
    ask,
    now,
    keptEvents: service.keptEvents,
    forgetReplies: service.forgetReplies,
    rewards: await openRewards(service, database),
    ...(await openErasures(service, database)),
    ...(await openCards(database, secrets)),
  };
  const erasureWorker = new ErasureWorker({ ...useCaseDeps, log });
  const changed = onReceiptChanged({ ...useCaseDeps, issueRewards: issueRewards(useCaseDeps) });
  const deleted = onReceiptDeleted(useCaseDeps);
  const catchUp = catchUpReceipts({
    cursors: await database.collection<CursorDocument>(catchUpCursorsDeclaration),
    rebuildMarkers: [contributions.rebuildMarker, useCaseDeps.rewards.rebuildMarker],
    lease: service.lease('catch up with receipts', walkLeaseMs),
    delayMs: deps.catchUpDelayMs,
    ask,
    changed,
    deleted,
    log,
    now,
  });
  const wakeErasing = () => erasureWorker.work.wake();
  return { ...useCaseDeps, erasureWorker, wakeErasing, changed, deleted, catchUp };
}
