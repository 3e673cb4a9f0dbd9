import { newId } from '@receipts/kernel';
import { until } from '@receipts/testing';
import { callOf, changedReceipt, receiptEvent, refusalOf, startWorld, type World } from '../testing/world';

let world: World;
let retailer: string;

beforeAll(async () => {
  world = await startWorld();
});
beforeEach(() => {
  retailer = `r-${newId()}`;
  world.changes.clear();
  world.settings.set(retailer, {
    loyalty: [{ id: 1, name: 'five', rule: { spend: 100, value: 5, name: 'x' } }],
  });
});
afterAll(() => world.close());

const operator = () => ({ ...callOf(''), principal: { kind: 'operator', id: 'operator' } as const });
const order = (body: { from_start?: boolean } = {}) => world.ask('catchUpSummaries', { body }, operator());
const get = async (identifier: string) =>
  (await world.ask('getIdentifier', { params: { identifier } }, callOf(retailer))).body;
/** `receipts`, `total` of a consumer; undefined for an unknown consumer. */
const summary = async (identifier: string) => {
  const answer = await get(identifier).catch(() => undefined);
  return answer && [answer.summary.receipts, answer.summary.total];
};
const rewards = async () => {
  const input = { params: { program_id: '1' }, query: { claimed: 'all' } } as never;
  return ((await world.ask('listRewards', input, callOf(retailer))).body as { id: number }[]).map(
    ({ id }) => id,
  );
};
const bought = (count: number, identifier: string) =>
  Array.from({ length: count }, (_, n) =>
    changedReceipt(1, { id: newId(), identifier, total: 50, arrival: n + 1 }),
  );

it('starts after each connect to the broker, because messages may have been lost', async () => {
  const [first, missed] = bought(2, 'jill') as [
    ReturnType<typeof changedReceipt>,
    ReturnType<typeof changedReceipt>,
  ];
  world.changes.set(retailer, [first]);
  await order();
  await until('the first run', async () => (await summary('jill'))?.[0] === 1);
  world.changes.set(retailer, [first, missed]);
  world.reconnect();
  await until('the next run', async () => (await summary('jill'))?.[0] === 2);
});

it('recovers lost events: summaries, identifiers and rewards, each once', async () => {
  const all = [...bought(5, 'jane'), ...bought(2, 'joe').map((one, n) => ({ ...one, arrival: n + 6 }))];
  world.changes.set(retailer, all);
  const { id } = all[1] as { id: string };
  await world.deliver(receiptEvent(retailer, 1, { id, identifier: 'jane', total: 50, arrival: 2 }));
  await order();
  await until('all rewards are issued', async () => (await rewards()).length === 3);
  expect(await summary('jane')).toEqual([5, 250]);
  // The events arrive late, and another run starts.
  await world.deliver(
    ...all.map(({ id: of, arrival, figures }) =>
      receiptEvent(retailer, 1, { id: of, identifier: figures?.identifier ?? null, total: 50, arrival }),
    ),
  );
  await order({ from_start: true });
  all.push(changedReceipt(1, { id: newId(), identifier: 'last', arrival: 8 }));
  await until('the second run has ended', async () => (await summary('last'))?.[0] === 1);
  expect([await summary('jane'), await summary('joe')]).toEqual([
    [5, 250],
    [2, 100],
  ]);
  expect(await rewards()).toHaveLength(3);
  const published = () => world.events.filter((event) => event.retailer === retailer).map(({ type }) => type);
  await until('all events are published', () => published().length >= 6);
  expect(published().sort()).toEqual([
    ...Array.from({ length: 3 }, () => 'identifier.created'),
    ...Array.from({ length: 3 }, () => 'loyalty.reward_issued'),
  ]);
});

it('also finds missed changes and deletions', async () => {
  const all = bought(3, 'jane');
  world.changes.set(retailer, all);
  await order();
  await until('all receipts are counted', async () => (await summary('jane'))?.[0] === 3);
  const [first, second] = all as [(typeof all)[0], (typeof all)[0]];
  all.push(changedReceipt(2, { id: first.id, identifier: 'joe', total: 50 }), changedReceipt(2, second.id));
  await order();
  await until('the changes are applied', async () => (await summary('jane'))?.[0] === 1);
  expect(await summary('joe')).toEqual([1, 50]);
});

it('removes a voided receipt from the summary without its event, and keeps the reward', async () => {
  const all = bought(2, 'jane');
  world.changes.set(retailer, all);
  await order();
  await until('the reward', async () => (await rewards()).length === 1);
  const [first] = all as [(typeof all)[0]];
  all.push(changedReceipt(2, { id: first.id, identifier: 'jane', total: 50, voided: true }));
  await order();
  await until('the void is applied', async () => (await summary('jane'))?.[0] === 1);
  expect(await rewards()).toHaveLength(1);
  // The third receipt brings the total back to the threshold that was already rewarded.
  await world.deliver(receiptEvent(retailer, 1, { id: newId(), identifier: 'jane', total: 50, arrival: 3 }));
  expect([await summary('jane'), (await rewards()).length]).toEqual([[2, 100], 1]);
});

it.each(['receipt_contributions', 'receipt_catchup_cursors', 'running_totals', 'rewards'])(
  'recreates deleted %s',
  async (collection) => {
    world.changes.set(retailer, bought(4, 'jane'));
    await order();
    await until('all receipts are counted', async () => (await rewards()).length === 2);
    await world.database.db.collection(collection).deleteMany({});
    await order();
    await until(
      'everything is restored',
      async () => (await rewards()).length === 2 && (await summary('jane'))?.[0] === 4,
    );
  },
);

it('does not restore a consumer who was erased meanwhile', async () => {
  const all = bought(1, 'jane');
  await world.deliver(receiptEvent(retailer, 1, { id: (all[0] as { id: string }).id, identifier: 'jane' }));
  await world.ask('eraseIdentifier', { params: { identifier: 'jane' } }, callOf(retailer));
  await until('jane is erased', async () => (await refusalOf(get('jane'))) === '404 identifier_not_found');
  // The owner replied before the erasure.
  world.changes.set(retailer, [...all, changedReceipt(1, { id: newId(), identifier: 'joe', arrival: 2 })]);
  await order();
  await until('the run has ended', async () => (await summary('joe'))?.[0] === 1);
  expect(await refusalOf(get('jane'))).toBe('404 identifier_not_found');
});
