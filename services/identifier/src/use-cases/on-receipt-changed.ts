import { receiptStoreContracts, type ConsumerReceiptsRequest } from '@receipts/contracts';
import { groupBy } from '@receipts/concurrency';
import { serviceCall } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import type { OutboxRelay } from '@receipts/storage';
import { hasNoConsumer, contributionOf, type ReceiptEvent } from '../domain/receipt-contribution';
import type { Erasures } from '../storage/erasures';
import { newIdentifier, type IdentifierDocument, type Identifiers } from '../storage/identifiers';
import type { ReceiptContributions } from '../storage/receipt-contributions';

/** The timeout for a whole batch, which may take several writes. */
const batchBudgetMs = 10_000;
const receiptsAtOnce = 50;

interface Deps {
  readonly identifiers: Identifiers;
  readonly contributions: ReceiptContributions;
  readonly erasures: Erasures;
  readonly relay: Pick<OutboxRelay<IdentifierDocument>, 'enqueue'>;
  readonly issueRewards: (events: readonly ReceiptEvent[], signal: AbortSignal) => Promise<void>;
  readonly ask: Broker['ask'];
  readonly now: () => Date;
}

/**
 * Updates the contributions of changed receipts, and creates the identifiers that receipts contain for the first time.
 */
export function onReceiptChanged(deps: Deps): (events: readonly ReceiptEvent[]) => Promise<void> {
  return async (events) => {
    const signal = AbortSignal.timeout(batchBudgetMs);
    const { missing, late } = await missingIdentifiers(events, deps, signal);
    const current = late.size > 0 ? events.filter((event) => !late.has(event)) : events;
    const contributions = current.map(contributionOf).filter((contribution) => !hasNoConsumer(contribution));
    await deps.contributions.keep(contributions, signal);
    if (missing.length > 0) {
      const now = deps.now();
      const entries = missing.map(({ identifier, cause }) =>
        newIdentifier(identifier, {}, callOf(cause), now),
      );
      const made = await deps.identifiers.createMissing(entries, signal);
      deps.relay.enqueue(made.map(({ _id, outbox }) => ({ _id, items: outbox })));
    }
    await deps.issueRewards(current, signal);
  };
}

/** A new identifier from a receipt, and its event. */
interface NewConsumer {
  readonly identifier: string;
  readonly cause: ReceiptEvent;
}

interface Missing {
  readonly missing: readonly NewConsumer[];
  /** Events from before the erasure of their consumer, which must not create the identifier again. */
  readonly late: ReadonlySet<ReceiptEvent>;
}

/** The identifiers that do not exist yet, each once. */
async function missingIdentifiers(
  events: readonly ReceiptEvent[],
  { identifiers, erasures, ask }: Pick<Deps, 'identifiers' | 'erasures' | 'ask'>,
  signal: AbortSignal,
): Promise<Missing> {
  const missing: NewConsumer[] = [];
  const late = new Set<ReceiptEvent>();
  const ofConsumers = events.filter(({ data }) => data.identifier !== null);
  await Promise.all(
    [...groupBy(ofConsumers, ({ retailer }) => retailer)].map(async ([retailer, own]) => {
      const consumers = groupBy(own, ({ data }) => data.identifier ?? undefined);
      const known = await identifiers.known(retailer, [...consumers.keys()], signal);
      const unknown = [...consumers].filter(([identifier]) => !known.has(identifier));
      if (unknown.length === 0) return;
      const names = unknown.map(([identifier]) => identifier);
      const erased = new Set(await erasures.erasedAmong(retailer, names, signal));
      for (const [identifier, causes] of unknown) {
        const receipts = erased.has(identifier) ? await receiptsOf(ask, retailer, identifier) : undefined;
        const isLate = ({ data }: ReceiptEvent) => receipts !== undefined && !receipts.has(data.id);
        for (const event of causes.filter(isLate)) late.add(event);
        const cause = causes.find((event) => !isLate(event));
        if (cause) missing.push({ identifier, cause });
      }
    }),
  );
  return { missing, late };
}

/**
 * The receipts that belong to a consumer now. An event about another receipt is from before the erasure. The times of
 * events cannot show this, because the clocks of the services differ.
 */
async function receiptsOf(
  ask: Broker['ask'],
  retailer: string,
  identifier: string,
): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (let after: number | null = 0; after !== null;) {
    const body: ConsumerReceiptsRequest = { identifier, after, count: receiptsAtOnce };
    const call = serviceCall('identifier', Date.now(), retailer);
    const page: { receipts: { id: string }[]; next: number | null } = (
      await ask(receiptStoreContracts.listConsumerReceipts, { body }, call)
    ).body;
    for (const { id } of page.receipts) ids.add(id);
    after = page.next;
  }
  return ids;
}

const callOf = ({ id, retailer, correlationid: requestId, traceparent }: ReceiptEvent) => ({
  id,
  retailer,
  requestId,
  ...(traceparent !== undefined && { traceparent }),
});
