import fc from 'fast-check';
import { receiptStoreContracts as contracts, type ReturnableItem } from '@receipts/contracts';
import { newId } from '@receipts/kernel';
import { Harness } from '../testing/harness';
import { plainReturnable, type PlainReceipt } from '../testing/plain-returnable';
import { callOf, retailerOf } from '../testing/samples';

let harness: Harness;
beforeAll(async () => {
  harness = await Harness.start();
});
afterAll(() => harness.stop());

const oneOf = <T>(...values: T[]) => fc.constantFrom(...values);
const item = fc.record({
  name: oneOf('Tea', 'Cup'),
  code: oneOf<string | number | undefined>(undefined, undefined, 'c-1', 7),
  quantity: oneOf(1, 2, 3, 0.25, 1.5, 0, -1, -0.75),
  total: fc.integer({ min: -2_000, max: 2_000 }).map((value) => value / 100),
  isReturn: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
});
const items = fc.array(item, { minLength: 1, maxLength: 4 });
const receipt = fc.record({
  items,
  isDuplicate: fc.integer({ min: 0, max: 6 }).map((n) => n === 0),
  /** How the receipt refers to the sale: by id, if that already exists, or by transaction id. */
  names: fc.array(
    fc.record({ type: oneOf('return', 'exchange', 'correction'), by: oneOf('id', 'transaction_id') }),
    {
      maxLength: 2,
    },
  ),
});
const change = fc.record({
  kind: oneOf('void', 'delete', 'return', 'no return'),
  target: fc.nat(),
  index: fc.nat(),
});
type Change = typeof change extends fc.Arbitrary<infer C> ? C : never;
const step = fc.oneof(
  { weight: 3, arbitrary: receipt.map((returned) => ({ returned })) },
  { weight: 2, arbitrary: change.map((changed) => ({ changed })) },
);
const history = fc.record({
  currency: oneOf('EUR', 'JPY', 'BHD'),
  sale: items,
  before: fc.array(step, { maxLength: 6 }),
  after: fc.array(step, { maxLength: 8 }),
});

interface Known extends PlainReceipt {
  readonly id: string;
}

const asPosted = ({ code, isReturn, ...rest }: PlainReceipt['items'][number]) => ({
  ...rest,
  ...(code !== undefined && { properties: { product_code: code } }),
  ...(isReturn && { return: { localtime: '2024-05-18T10:00:00' } }),
});

/** One history, both in the service and in memory. */
class History {
  readonly retailer = harness.retailer((id) => retailerOf(id));
  private readonly transaction = newId();
  private sale: Known | undefined;
  private readonly others: Known[] = [];

  async postSale(posted: PlainReceipt['items'], currency: string): Promise<void> {
    const change = { transaction_id: this.transaction, items: posted.map(asPosted), l10n: { currency } };
    const [id] = (await harness.post(this.retailer, [change as never])) as [string];
    this.sale = { id, items: posted, relations: [], isDuplicate: false, isVoided: false };
  }

  async apply(one: typeof step extends fc.Arbitrary<infer S> ? S : never): Promise<void> {
    if ('returned' in one) return this.post(one.returned);
    const all = [...(this.sale ? [this.sale] : []), ...this.others];
    const target = all[one.changed.target % all.length];
    if (target) await this.change(target, one.changed);
  }

  private async post({
    items: posted,
    names,
    isDuplicate,
  }: typeof receipt extends fc.Arbitrary<infer R> ? R : never) {
    const related = names.map(({ type, by }) =>
      by === 'id' && this.sale ? { type, id: this.sale.id } : { type, transaction_id: this.transaction },
    );
    const change = { items: posted.map(asPosted), related, duplicate: isDuplicate };
    const [id] = (await harness.post(this.retailer, [change as never])) as [string];
    const relations = names.map(({ type }) => type);
    this.others.push({ id, items: posted, relations, isDuplicate, isVoided: false });
  }

  private async change(target: Known, { kind, index }: Change): Promise<void> {
    const call = callOf(this.retailer);
    const params = { id: target.id };
    const at = index % target.items.length;
    const replace = (next: Known) => {
      if (target === this.sale) this.sale = next;
      else this.others[this.others.indexOf(target)] = next;
    };
    if (kind === 'void') {
      await harness.fake.call(contracts.voidReceipt, { params } as never, call);
      return replace({ ...target, isVoided: true });
    }
    if (kind === 'delete') {
      // The query concerns the sale, so the sale is never deleted.
      if (target === this.sale) return;
      await harness.fake.call(contracts.deleteReceipt, { params, headers: {} } as never, call);
      this.others.splice(this.others.indexOf(target), 1);
      return;
    }
    const isReturn = kind === 'return';
    const path = `/items/${at}/return`;
    const value = isReturn ? { localtime: '2024-05-19T10:00:00' } : null;
    const body = [{ op: 'add', path, value }];
    const input = { params, headers: {}, body, contentType: 'application/json-patch+json' };
    await harness.fake.call(contracts.patchReceipt, input as never, call);
    replace({ ...target, items: target.items.map((one, n) => (n === at ? { ...one, isReturn } : one)) });
  }

  async compare(currency: string): Promise<void> {
    const sale = this.sale as Known;
    const input = { params: { id: sale.id }, query: {} } as never;
    const { body } = await harness.fake.call(contracts.getReturnable, input, callOf(this.retailer));
    const shown = (body as { items: ReturnableItem[] }).items;
    expect(shown.map(({ name: _, unit: __, ...numbers }) => numbers)).toEqual(
      plainReturnable(sale, this.others, currency),
    );
  }
}

test('returns the same returnable items as a plain calculation, for any history in any order', async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ currency, sale, before, after }) => {
      const told = new History();
      for (const one of before) await told.apply(one);
      await told.postSale(sale, currency);
      await told.compare(currency);
      for (const one of after) await told.apply(one);
      await told.compare(currency);
    }),
    { numRuns: 60 },
  );
});
