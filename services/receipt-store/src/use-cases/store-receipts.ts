import { ingestContracts, storeNotAllowed, type ReturnedReceipt } from '@receipts/contracts';
import {
  consumerMismatch,
  delegatedCall,
  newId,
  ServiceError,
  unavailable,
  type Call,
} from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import { resolvesWithin } from '@receipts/concurrency';
import { relatedKeys } from '../domain/related';
import type { RelatedReceipts } from '../storage/related-receipts';
import { buildReceipt, printReceipt } from '../domain/build-receipt';
import { failedCheckCodes } from '../domain/checks';
import { itemsCost, searchInTurns } from '../domain/receipt-search';
import { saleKeyOf, saleOf, type Sale } from '../totals/domain/sale';
import { storeKey } from '../domain/store-reference';
import type { Arrivals, Arrived } from '../storage/arrivals';
import type { WriteOutcome, NewReceipt, ReceiptWriter } from '../storage/receipt-writer';
import type { Receipts } from '../storage/receipts';
import type { TotalsSchedule } from '../totals/storage/totals-schedule';
import type { FindRetailer, StoreDirectory } from '../storage/directories';
import { checkLink } from './check-link';
import { findRepetitions, resolveConflict, transactionIdOf } from './find-repetitions';
import { itemsBudget } from './items-budget';
import { once, ReceiptStores, type Lookups } from './receipt-stores';
import { checkStore, visibleTo } from './visible-to';
import { expected, type AttemptOutcome, type StoreOutcome, type Submission } from './submission';

export interface StoreReceiptsDependencies {
  readonly receipts: Pick<Receipts, 'findTaken' | 'releaseKey'>;
  readonly writer: Pick<ReceiptWriter, 'add'>;
  readonly stores: StoreDirectory;
  readonly related: Pick<RelatedReceipts, 'idsOf'>;
  readonly findRetailer: FindRetailer;
  readonly arrivals: Pick<Arrivals, 'add'>;
  readonly totals: Pick<TotalsSchedule, 'noteArrival'>;
  readonly ask: Broker['ask'];
  readonly now: () => Date;
}

/** There are 456,976 suffixes for duplicates of one transaction, so more attempts are rarely needed. */
const attemptsMax = 5;

/** How long a response waits for related receipts to be linked. Work that takes longer continues after the response. */
const linksAwaitedMs = 1_000;

/** An attempt to store receipts together. */
interface Round {
  readonly batch: readonly Submission[];
  readonly attempt: number;
  readonly lookups: Lookups;
}

interface Candidate {
  readonly submission: Submission;
  readonly document: NewReceipt;
  /** The receipt as in the document's text. */
  readonly receipt: ReturnedReceipt;
  readonly sale: Sale;
  readonly receivedAt: Date;
}

/**
 * Stores receipts of any origin: all waiting receipts in one bulk write. Each receipt has its own outcome, in order.
 */
export class StoreReceipts {
  readonly stores: ReceiptStores;

  constructor(private readonly deps: StoreReceiptsDependencies) {
    this.stores = new ReceiptStores(deps.stores, this.ask);
  }

  /** Never rejects for a temporary failure, which becomes the outcome of each affected receipt. */
  async store(submissions: readonly Submission[]): Promise<readonly StoreOutcome[]> {
    const outcomes = new Array<StoreOutcome | undefined>(submissions.length);
    const lookups: Lookups = new Map();
    let left = [...submissions.keys()];
    for (let attempt = 0; left.length > 0; attempt++) {
      const batch = left.map((at) => submissions[at] as Submission);
      const known = await expected(findRepetitions(this.deps.receipts, batch, attempt, this.deps.now()));
      const settled = await Promise.all(
        batch.map(async (submission): Promise<AttemptOutcome | undefined> => {
          if (known instanceof ServiceError) return known;
          return known.get(submission) ?? expected(this.check(submission));
        }),
      );
      // All checks come first, because a slow check would change the order in which stores are saved.
      const prepared = await Promise.all(
        batch.map(
          async (submission, i): Promise<Candidate | AttemptOutcome> =>
            settled[i] ?? expected(this.prepare(submission, { batch, attempt, lookups })),
        ),
      );
      const again: number[] = [];
      const settle = (at: number, result: AttemptOutcome) => {
        if (result !== 'again') outcomes[at] = result;
        else if (attempt + 1 < attemptsMax) again.push(at);
        else outcomes[at] = new ServiceError(unavailable, { internal: 'no attempt found a free id' });
      };
      const candidates: (Candidate & { readonly at: number })[] = [];
      prepared.forEach((outcome, i) => {
        const at = left[i] as number;
        if (isCandidate(outcome)) candidates.push({ at, ...outcome });
        else settle(at, outcome);
      });
      const results = candidates.length === 0 ? [] : await expected(this.add(candidates));
      candidates.forEach(({ at }, i) =>
        settle(at, results instanceof ServiceError ? results : (results[i] as AttemptOutcome)),
      );
      left = again;
    }
    return outcomes as StoreOutcome[];
  }

  private async add(candidates: readonly Candidate[]): Promise<readonly AttemptOutcome[]> {
    const { writer, arrivals, receipts, totals } = this.deps;
    const timeLimit = { deadline: Math.max(...candidates.map(({ submission }) => submission.call.deadline)) };
    const added = await writer.add(
      candidates.map(({ document }) => document),
      timeLimit,
    );
    const arrived: Arrived[] = [];
    const results = candidates.map(async (candidate, i): Promise<AttemptOutcome> => {
      const { submission, document, receipt, sale, receivedAt } = candidate;
      const outcome = added[i] as WriteOutcome;
      if (outcome instanceof ServiceError) return outcome;
      if (!('arrival' in outcome)) return expected(resolveConflict(receipts, submission, document, outcome));
      arrived.push({ receipt, ...document, ...outcome });
      totals.noteArrival(document.retailer, { arrival: outcome.arrival, sale, receivedAt });
      return { id: document._id };
    });
    const linked = resolvesWithin(linksAwaitedMs, arrivals.add(arrived));
    // Awaited together: a result that failed while the receipts were being linked would end the process.
    const [settled] = await Promise.all([Promise.all(results), linked]);
    return settled;
  }

  private async check(submission: Submission): Promise<undefined> {
    checkConsumer(submission.posted, submission.call);
    checkPostedStore(submission.posted, submission.call);
    await checkLink(submission, this.ask, this.deps.now());
  }

  private async prepare(submission: Submission, round: Round): Promise<Candidate> {
    const { attempt, lookups } = round;
    const { id, posted, posDataIds, origin, idem, call } = submission;
    const retailer = await this.deps.findRetailer(call);
    const store = await this.stores.storeOf(submission, retailer, lookups);
    const key = storeKey(posted.store_reference, store);
    checkStore(key, visibleTo(this.deps, call));
    const attachments = await this.attachmentsOf(submission);
    const attachmentIds = [...new Set(Object.values(attachments).map((attachment) => attachment.id))];
    const transactionId = transactionIdOf(submission, attempt);
    const relatedIds = await this.relatedIdsOf(submission, round);
    const cost = itemsCost(posted);
    const receipt = await itemsBudget.run(cost, () =>
      buildReceipt(posted, { id, transactionId, retailer, store, posDataIds, attachments, relatedIds }),
    );
    const text = await itemsBudget.run(cost, () => printReceipt(receipt, posted));
    const search = await searchInTurns(retailer, receipt, store, {
      textLength: text.length,
      budget: itemsBudget,
    });
    const notifies = retailer.settings.checks.event && failedCheckCodes(receipt).length > 0;
    const related = relatedKeys(receipt);
    const sale = saleOf(receipt, key);
    const saleKey = saleKeyOf(sale);
    const { requestId, traceparent, consumers } = call;
    const at = this.deps.now();
    return {
      submission,
      receipt,
      sale,
      receivedAt: at,
      document: {
        _id: id,
        retailer: retailer.id,
        version: 1,
        transaction_id: transactionId,
        ...(receipt.external_id !== null && { external_id: receipt.external_id }),
        ...(receipt.identifier !== null && { identifier: receipt.identifier }),
        store_key: key,
        ...(related && { related }),
        ...(attachmentIds.length > 0 && { attachments: attachmentIds }),
        origin,
        text,
        search,
        ...(saleKey && { sale: saleKey }),
        ...(idem && { idem }),
        created: {
          event: newId(at.getTime()),
          ...(notifies && { checkFailed: newId(at.getTime()) }),
          at,
          request: requestId,
          cause: call.id,
          ...(traceparent !== undefined && { trace: traceparent }),
          by: call.principal.id,
          ...(consumers && { confinedTo: consumers }),
        },
      },
    };
  }

  /** The ids of the related receipts that are already stored. The receipts of a batch share one read. */
  private relatedIdsOf(
    submission: Submission,
    { batch, lookups }: Round,
  ): Promise<ReadonlyMap<string, string>> {
    const { retailer } = submission.call;
    if (namedTransactions(submission).length === 0) return Promise.resolve(new Map());
    return once(lookups, `related|${retailer}`, () => {
      const named = batch.filter(({ call }) => call.retailer === retailer).flatMap(namedTransactions);
      return this.deps.related.idsOf(retailer, named, submission.call);
    });
  }

  private async attachmentsOf({ id, posted, call }: Submission) {
    const { attachments } = posted;
    if (!attachments || Object.keys(attachments).length === 0) return {};
    const body = { receipt_id: id, attachments };
    const inner = delegatedCall('receipt-store', call, this.deps.now().getTime());
    // A caller restricted to consumers may link only attachments that were uploaded with the same restriction.
    const confined = call.consumers ? { ...inner, consumers: call.consumers } : inner;
    const answer = await this.deps.ask(ingestContracts.storeAttachments, { body }, confined);
    return answer.body.attachments;
  }

  private ask: Broker['ask'] = (contract, input, call) =>
    this.deps.ask(contract, input, delegatedCall('receipt-store', call, this.deps.now().getTime()));
}

/**
 * A mapping may read the identifier from a packet, and a credential restricted to consumers may create receipts for these
 * consumers only.
 * @throws ServiceError 403 `consumer_mismatch`
 */
function checkConsumer({ identifier }: Submission['posted'], { consumers }: Call): void {
  if (consumers && !consumers.includes(identifier ?? '')) throw new ServiceError(consumerMismatch);
}

/**
 * A caller restricted to stores cannot create or change a store with a receipt.
 * @throws ServiceError 422 `store_not_allowed`
 */
function checkPostedStore({ store }: Submission['posted'], { stores }: Call): void {
  if (stores && store) throw new ServiceError(storeNotAllowed);
}

const namedTransactions = ({ posted: { related = [] } }: Submission): string[] =>
  related.flatMap(({ transaction_id }) => transaction_id ?? []);

function isCandidate(outcome: Candidate | AttemptOutcome): outcome is Candidate {
  return typeof outcome === 'object' && 'submission' in outcome;
}
