import { adminEvents, identifierContracts, receiptStoreEvents, receiptStoreFacts } from '@receipts/contracts';
import type { Handlers } from '@receipts/kernel';
import { on, type Broker } from '@receipts/messaging';
import { Vocabulary, vocabularyCollection, type VocabularyDocument } from '@receipts/search';
import {
  createRelay,
  guardHandlers,
  idempotencyCollection,
  idempotent,
  lease,
  leaseCollection,
  type IdempotencyRecord,
  type LeaseDocument,
  type Log,
  type PlaceDocument,
  type Store,
} from '@receipts/storage';
import { CodeHashes } from './domain/card';
import { RetailerCopies } from './storage/retailer-copies';
import { IdentifierChanges } from './storage/identifier-changes';
import { IdentifierSearch } from './storage/identifier-search';
import { Identifiers, identifiersDeclaration, type IdentifierDocument } from './storage/identifiers';
import { OldIdentifiers, takeoversDeclaration, type TakeoverDocument } from './storage/old-identifiers';
import { Erasures, erasuresDeclaration, type ErasureDocument } from './storage/erasures';
import { Shares, sharesDeclaration, type ShareDocument } from './storage/shares';
import { CardAttempts, attemptsDeclaration, type AttemptsDocument } from './storage/card-attempts';
import { Cards, cardsDeclaration, type CardDocument } from './storage/cards';
import {
  rewardNumbersDeclaration,
  Rewards,
  rewardsDeclaration,
  type NumbersDocument,
  type RewardDocument,
} from './storage/rewards';
import { catchUpReceipts, noting } from './use-cases/catch-up-receipts';
import { catchUpSummaries } from './use-cases/catch-up-summaries';
import { importCards } from './use-cases/import-cards';
import { issueRewards } from './use-cases/issue-rewards';
import { exportRewards, listRewards } from './use-cases/list-rewards';
import { verifyCard } from './use-cases/verify-card';
import { createIdentifier } from './use-cases/create-identifier';
import { DueErasing } from './use-cases/erase-due';
import { eraseIdentifier } from './use-cases/erase-identifier';
import { exportIdentifier } from './use-cases/export-identifier';
import { getIdentifier } from './use-cases/get-identifier';
import { listIdentifiers } from './use-cases/list-identifiers';
import { onReceiptChanged } from './use-cases/on-receipt-changed';
import { onReceiptDeleted } from './use-cases/on-receipt-deleted';
import { patchIdentifier } from './use-cases/patch-identifier';
import { searchIdentifiers } from './use-cases/search-identifiers';
import { validateIdentifier } from './use-cases/validate-identifier';
import type { ValidationProvider } from './validation/provider';

const sweepLeaseMs = 10_000;
const walkLeaseMs = 15_000;

export interface Service {
  /** Ends what was begun and publishes its events; broker and store stay open. */
  stop(): Promise<void>;
}

/** Everything that this service does. */
export async function startIdentifierService(deps: {
  broker: Broker;
  store: Store;
  log: Log;
  provider: ValidationProvider;
  /** Without them nobody can try out the codes of cards on a copy of the database. The present one first. */
  secrets: readonly [string, ...string[]];
  now?: () => Date;
  /** How long after the start, or after the broker came back, the service catches up; 2 s unless given. */
  catchUpDelayMs?: number;
}): Promise<Service> {
  const { broker, store, log, provider, secrets, now = () => new Date() } = deps;
  const collection = await store.collection<IdentifierDocument>(identifiersDeclaration);
  const shares = new Shares(await store.collection<ShareDocument>(sharesDeclaration));
  const keys = await store.collection<IdempotencyRecord>(idempotencyCollection);
  const leases = await store.collection<LeaseDocument>(leaseCollection);
  const vocabulary = new Vocabulary(await store.collection<VocabularyDocument>(vocabularyCollection), log);
  const identifiers = new Identifiers(collection, vocabulary);
  const relay = createRelay({
    collection,
    publish: (events) => broker.publish(events),
    lease: lease(leases, 'sweep identifiers', sweepLeaseMs),
    log,
    metrics: store.metrics,
  });
  const changes = new IdentifierChanges(collection, relay, vocabulary);
  const ask: Broker['ask'] = (contract, input, call) => broker.ask(contract, input, call);
  const retailers = new RetailerCopies(ask, now);
  const search = new IdentifierSearch(collection);
  const parts = { identifiers, shares, changes, search, vocabulary, retailers, relay, provider, now };
  const rewardCollection = await store.collection<RewardDocument>(rewardsDeclaration);
  const rewardNumbers = await store.collection<NumbersDocument>(rewardNumbersDeclaration);
  const rewards = new Rewards(rewardCollection, rewardNumbers);
  const rewardRelay = createRelay({
    collection: rewardCollection,
    publish: (events) => broker.publish(events),
    lease: lease(leases, 'sweep rewards', sweepLeaseMs),
    log,
    metrics: store.metrics,
  });
  const loyalty = { rewards, shares, retailers, rewardRelay, now };
  const erasureCollection = await store.collection<ErasureDocument>(erasuresDeclaration);
  const erasures = new Erasures(erasureCollection);
  const erasureRelay = createRelay({
    collection: erasureCollection,
    publish: (events) => broker.publish(events),
    lease: lease(leases, 'sweep erasures', sweepLeaseMs),
    log,
    metrics: store.metrics,
  });
  const erasing = new DueErasing({ erasures, identifiers, shares, rewards, erasureRelay, ask, log, now });
  const hashes = new CodeHashes(secrets);
  const cards = new Cards(await store.collection<CardDocument>(cardsDeclaration), hashes);
  const attempts = new CardAttempts(await store.collection<AttemptsDocument>(attemptsDeclaration));
  const cardParts = { cards, attempts, hashes, retailers, now };

  const changed = onReceiptChanged({ ...parts, erasures, issueRewards: issueRewards(loyalty) });
  const deleted = onReceiptDeleted(parts);
  const catchUp = catchUpReceipts({
    // Whoever deletes what the summaries are made of deletes the places as well, and has both made again.
    places: store.db.collection<PlaceDocument>(sharesDeclaration.name),
    witness: rewards.witness,
    lease: lease(leases, 'catch up with receipts', walkLeaseMs),
    delayMs: deps.catchUpDelayMs,
    ...{ ask, changed, deleted, log, now },
  });

  const oldIdentifiers = new OldIdentifiers({
    takeovers: await store.collection<TakeoverDocument>(takeoversDeclaration),
    ...{ collection, vocabulary, log },
  });

  const handlers: Handlers<typeof identifierContracts> = {
    getIdentifier: getIdentifier(parts),
    listIdentifiers: listIdentifiers(parts),
    createIdentifier: idempotent(keys, identifierContracts.createIdentifier, createIdentifier(parts), {
      log,
    }),
    patchIdentifier: patchIdentifier(parts),
    searchIdentifiers: searchIdentifiers(parts),
    validateIdentifier: idempotent(keys, identifierContracts.validateIdentifier, validateIdentifier(parts), {
      log,
    }),
    eraseIdentifier: eraseIdentifier({ identifiers, erasures, wakeErasing: () => erasing.wake(), now }),
    exportIdentifier: exportIdentifier({ identifiers, shares, rewards, ask }),
    catchUpSummaries: catchUpSummaries(catchUp),
    verifyCard: idempotent(keys, identifierContracts.verifyCard, verifyCard(cardParts), { log }),
    importCards: importCards(cardParts),
    listRewards: listRewards(loyalty),
    exportRewards: exportRewards(loyalty),
  };
  const forgetUp = broker.onUp(() => {
    retailers.forget();
    catchUp.want();
  });
  const consumers = await Promise.all([
    broker.serve({ owner: 'identifier', contracts: identifierContracts, handlers: guardHandlers(handlers) }),
    broker.subscribe({
      queue: 'identifier.on-receipt-changed',
      subscriptions: [
        on([receiptStoreFacts.receiptRecorded, receiptStoreFacts.receiptRevised], noting(changed, catchUp)),
        on(receiptStoreEvents.receiptDeleted, deleted),
      ],
    }),
    broker.subscribe({
      queue: 'identifier.retailers',
      subscriptions: [
        on(adminEvents.retailerUpdated, async (events) => retailers.apply(events.map(({ data }) => data))),
      ],
      exclusive: true,
    }),
  ]);
  erasing.wake();
  catchUp.want();
  oldIdentifiers.start();
  return {
    async stop() {
      forgetUp();
      await Promise.all([...consumers.map((consumer) => consumer.close()), erasing.stop()]);
      await Promise.all([catchUp.stop(), oldIdentifiers.stop()]);
      await Promise.all([relay.stop(), rewardRelay.stop(), erasureRelay.stop()]);
    },
  };
}
