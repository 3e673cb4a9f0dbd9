import type { Broker } from '@receipts/messaging';
import { Vocabulary, vocabularyCollection, type VocabularyDocument } from '@receipts/search';
import type { Log, OpenService, Database } from '@receipts/storage';
import { CodeHashes } from './domain/card';
import { CardAttempts, attemptsDeclaration, type AttemptsDocument } from './storage/card-attempts';
import { Cards, cardsDeclaration, type CardDocument } from './storage/cards';
import { Erasures, erasuresDeclaration, type ErasureDocument } from './storage/erasures';
import { IdentifierChanges } from './storage/identifier-changes';
import { IdentifierSearch } from './storage/identifier-search';
import { Identifiers, identifiersDeclaration, type IdentifierDocument } from './storage/identifiers';
import { RetailerCopies } from './storage/retailer-copies';
import {
  rewardNumbersDeclaration,
  Rewards,
  rewardsDeclaration,
  type NumbersDocument,
  type RewardDocument,
} from './storage/rewards';
import { placesAmongShares, Shares, sharesDeclaration, type ShareDocument } from './storage/shares';
import { catchUpReceipts } from './use-cases/catch-up-receipts';
import { DueErasing } from './use-cases/erase-due';
import { issueRewards } from './use-cases/issue-rewards';
import { onReceiptChanged } from './use-cases/on-receipt-changed';
import { onReceiptDeleted } from './use-cases/on-receipt-deleted';
import type { ValidationProvider } from './validation/provider';

const walkLeaseMs = 15_000;

export interface ServiceDependencies {
  readonly broker: Broker;
  readonly store: Database;
  readonly log: Log;
  readonly provider: ValidationProvider;
  /**
   * The keys of the hashes of card codes, the current one first. Without them the codes in a copy of the database cannot
   * be guessed.
   */
  readonly secrets: readonly [string, ...string[]];
  readonly now?: () => Date;
  /** The delay of catching up after the start, or after the broker is back; 2 s unless given. */
  readonly catchUpDelayMs?: number;
}

async function openLoyalty(service: OpenService, store: Database) {
  const collection = await store.collection<RewardDocument>(rewardsDeclaration);
  const numbers = await store.collection<NumbersDocument>(rewardNumbersDeclaration);
  return {
    rewards: new Rewards(collection, numbers),
    rewardRelay: service.relay('sweep rewards', { collection }),
  };
}

async function openErasures(service: OpenService, store: Database) {
  const collection = await store.collection<ErasureDocument>(erasuresDeclaration);
  return {
    erasures: new Erasures(collection),
    erasureRelay: service.relay('sweep erasures', { collection }),
  };
}

async function openCards(store: Database, secrets: readonly [string, ...string[]]) {
  const hashes = new CodeHashes(secrets);
  return {
    hashes,
    cards: new Cards(await store.collection<CardDocument>(cardsDeclaration), hashes),
    attempts: new CardAttempts(await store.collection<AttemptsDocument>(attemptsDeclaration)),
  };
}

/** What the use cases work with. */
export async function openParts(service: OpenService, deps: ServiceDependencies) {
  const { broker, store, log, provider, secrets, now = () => new Date() } = deps;
  const collection = await store.collection<IdentifierDocument>(identifiersDeclaration);
  const shares = new Shares(await store.collection<ShareDocument>(sharesDeclaration));
  const vocabulary = new Vocabulary(await store.collection<VocabularyDocument>(vocabularyCollection), log);
  const relay = service.relay('sweep identifiers', { collection });
  const ask: Broker['ask'] = (contract, input, call) => broker.ask(contract, input, call);
  const parts = {
    identifiers: new Identifiers(collection, vocabulary),
    changes: new IdentifierChanges(collection, relay, vocabulary),
    search: new IdentifierSearch(collection),
    retailers: new RetailerCopies(ask, now),
    ...{ shares, vocabulary, relay, provider, ask, now, told: service.told },
    ...(await openLoyalty(service, store)),
    ...(await openErasures(service, store)),
    ...(await openCards(store, secrets)),
  };
  const erasing = new DueErasing({ ...parts, log });
  const changed = onReceiptChanged({ ...parts, issueRewards: issueRewards(parts) });
  const deleted = onReceiptDeleted(parts);
  const catchUp = catchUpReceipts({
    places: placesAmongShares(store),
    witness: parts.rewards.witness,
    lease: service.lease('catch up with receipts', walkLeaseMs),
    delayMs: deps.catchUpDelayMs,
    ...{ ask, changed, deleted, log, now },
  });
  const wakeErasing = () => erasing.wake();
  return { ...parts, erasing, wakeErasing, changed, deleted, catchUp };
}
