import { groupBy } from '@receipts/kernel';
import type { OutboxRelay } from '@receipts/storage';
import { hasNoConsumer, contributionOf, type ReceiptEvent } from '../domain/receipt-contribution';
import type { Erasures } from '../storage/erasures';
import { newIdentifier, type IdentifierDocument, type Identifiers } from '../storage/identifiers';
import type { ReceiptContributions } from '../storage/receipt-contributions';

/** The timeout for a whole batch, which may take several writes. */
const batchBudgetMs = 10_000;

/**
 * Updates the contributions of changed receipts, and creates the identifiers that receipts contain for the first time.
 */
export function onReceiptChanged(deps: {
  identifiers: Identifiers;
  contributions: ReceiptContributions;
  erasures: Erasures;
  relay: Pick<OutboxRelay<IdentifierDocument>, 'enqueue'>;
  issueRewards: (events: readonly ReceiptEvent[], signal: AbortSignal) => Promise<void>;
  now: () => Date;
}): (events: readonly ReceiptEvent[]) => Promise<void> {
  return async (events) => {
    const signal = AbortSignal.timeout(batchBudgetMs);
    const contributions = events.map(contributionOf).filter((contribution) => !hasNoConsumer(contribution));
    await deps.contributions.keep(contributions, signal);
    const { missing, late } = await missingIdentifiers(events, deps, signal);
    if (missing.length > 0) {
      const now = deps.now();
      const entries = missing.map(({ identifier, cause }) =>
        newIdentifier(identifier, {}, callOf(cause), now),
      );
      const made = await deps.identifiers.createMissing(entries, signal);
      deps.relay.enqueue(made.map(({ _id, outbox }) => ({ _id, items: outbox })));
    }
    await deps.issueRewards(late.size > 0 ? events.filter((event) => !late.has(event)) : events, signal);
  };
}

/** A new identifier from a receipt, and its event. */
interface NewConsumer {
  readonly identifier: string;
  readonly cause: ReceiptEvent;
}

interface Missing {
  readonly missing: readonly NewConsumer[];
  /** Returns events from before the erasure of their consumer, which must not create the identifier again. */
  readonly late: ReadonlySet<ReceiptEvent>;
}

/** The identifiers that do not exist yet, each once. */
async function missingIdentifiers(
  events: readonly ReceiptEvent[],
  { identifiers, erasures }: { identifiers: Identifiers; erasures: Erasures },
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
      const erased = await erasures.untilOf(retailer, names, signal);
      for (const [identifier, causes] of unknown) {
        const until = erased.get(identifier);
        const isLate = ({ time }: ReceiptEvent) => until !== undefined && new Date(time) <= until;
        for (const event of causes.filter(isLate)) late.add(event);
        const cause = causes.find((event) => !isLate(event));
        if (cause) missing.push({ identifier, cause });
      }
    }),
  );
  return { missing, late };
}

const callOf = ({ id, retailer, correlationid: requestId, traceparent }: ReceiptEvent) => ({
  id,
  retailer,
  requestId,
  ...(traceparent !== undefined && { traceparent }),
});
