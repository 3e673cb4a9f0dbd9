import {
  unknownCursorIn,
  type listReceiptRows as contract,
  type ReceiptRow,
  type ReturnedReceipt,
} from '@receipts/contracts';
import type { Handler, Input, TimeLimit } from '@receipts/kernel';
import { Attempts, Turns, type Scope, type SearchLimiter } from '@receipts/search';
import {
  bothOf,
  compile,
  explainQuery,
  parseQuery,
  type CompiledQuery,
  type CompileOptions,
} from '@receipts/search-language';
import { parsedChecks } from '../domain/checks';
import { searchFieldsOf } from '../domain/receipt-search';
import type { PlacedReceipt, RowPosition } from '../storage/receipt-search';
import type { Dependencies } from './dependencies';
import { SimilarWords } from './search-receipts';
import { visibleTo } from './visible-to';

type Body = Input<typeof contract>['body'];

const everything: CompiledQuery = {
  filter: {},
  plain: [],
  plainRequired: false,
  expansions: new Map(),
  tally: { plus: [{}], minus: [] },
};

/** @throws ServiceError 400 `unknown_cursor` */
function positionOf(text: string): RowPosition {
  const [, at, arrival] = /^(-?\d{1,16})_(\d{1,16})$/.exec(text) ?? [];
  if (at === undefined || arrival === undefined) throw unknownCursorIn('beyond');
  return { at: Number(at), arrival: Number(arrival) };
}

function marksOf({ voided, items, related, duplicate, incomplete }: ReturnedReceipt): ReceiptRow['marks'] {
  const isReturn =
    related.some(({ type }) => type === 'return') ||
    items.some((item) => item.return !== null || item.quantity < 0);
  return [
    ...(voided ? (['voided'] as const) : []),
    ...(isReturn ? (['return'] as const) : []),
    ...(duplicate ? (['duplicate'] as const) : []),
    ...(incomplete ? (['incomplete'] as const) : []),
  ];
}

function rowOf({ text, arrival, search }: PlacedReceipt): ReceiptRow {
  const receipt = JSON.parse(text) as ReturnedReceipt;
  const { id, transaction_id, localtime, store_reference, till_uuid, identifier, total } = receipt;
  return {
    id,
    transaction_id,
    localtime,
    store_reference,
    till_uuid,
    identifier,
    total,
    store_name: receipt.store.name,
    currency: receipt.l10n.currency,
    items: receipt.items.length,
    first_item: receipt.items[0]?.name ?? null,
    payment_methods: [...new Set(receipt.payments.map(({ method }) => method))],
    marks: marksOf(receipt),
    checks: parsedChecks(receipt),
    relations: receipt.related.map(({ type }) => type),
    position: `${search.numbers?.ts ?? 0}_${arrival}`,
  };
}

/**
 * Lists receipts as rows, within the limits of searches. It may read hundreds of receipts in many round trips and
 * compares the sums of each. When the time is up, the list ends before it is complete, even if it is then empty: the
 * database may be well, and only slower than our limit.
 */
export function listReceiptRows(
  deps: Pick<Dependencies, 'search' | 'findRetailer' | 'vocabulary' | 'stores'>,
  limiter: SearchLimiter,
): Handler<typeof contract> {
  const { search, findRetailer } = deps;
  async function readRows(scope: Scope, compiled: CompiledQuery, body: Body, limit: TimeLimit) {
    const { sort, direction, count } = body;
    const beyond = body.beyond === undefined ? undefined : positionOf(body.beyond);
    const page = { sort, beyond, direction, limit: count + 1 };
    const rows: ReceiptRow[] = [];
    const turns = new Turns();
    const read = async () => {
      for await (const receipt of search.inOrder(scope, compiled, page, limit)) {
        rows.push(rowOf(receipt));
        await turns.between();
      }
      return true;
    };
    const isComplete = (await new Attempts().run(read())) ?? false;
    const shown = rows.slice(0, count);
    return {
      rows: direction === 'older' ? shown : shown.reverse(),
      has_more: rows.length > count || (!isComplete && shown.length > 0),
      is_complete: isComplete,
    };
  }

  return async ({ body }, call) => {
    const retailer = await findRetailer(call);
    const fields = searchFieldsOf(retailer);
    const scope = { retailer: call.retailer, ...visibleTo(deps, call) };
    return limiter.run(call, async (limit) => {
      const options: CompileOptions = {
        operator: retailer.settings.search_default_operator,
        hasConsumer: call.consumers !== undefined,
        words: new SimilarWords(deps, scope, limit).find,
      };
      const queries = body.queries.map(parseQuery);
      const each = await Promise.all(queries.map((query) => compile(query, fields, options)));
      const compiled = each.reduce((all, one) => (all === everything ? one : bothOf(all, one)), everything);
      // Counting all receipts of a retailer would take long, and nobody asks for it.
      const counting = each.length === 0 ? undefined : search.count(scope, compiled, limit);
      const [page, hits] = await Promise.all([
        readRows(scope, compiled, body, limit),
        counting && new Attempts().run(counting),
      ]);
      const clauses = queries.map((query) =>
        explainQuery(query, fields, options).clauses.map(({ occur, text }) => ({ occur, text })),
      );
      return { body: { ...page, ...(hits !== undefined && { hits }), clauses } };
    });
  };
}
