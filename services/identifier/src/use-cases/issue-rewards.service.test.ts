import fc from 'fast-check';
import { newId, type EventRecord } from '@receipts/kernel';
import { until } from '@receipts/testing';
import { callOf, receiptEvent, refusalOf, startWorld, type World } from '../testing/world';

let world: World;
let retailer: string;

const spend = 100;
const programme = { id: 1, name: 'Rewards', rule: { spend, value: 5, name: '5 off' } };

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());
beforeEach(() => newRetailer());

function newRetailer(): void {
  retailer = `r-${newId()}`;
  world.settings.set(retailer, { loyalty: [programme] });
}

const rewards = async (query: object = {}, call = callOf(retailer), program_id = '1') =>
  (await world.ask('listRewards', { params: { program_id }, query: { claimed: 'all', ...query } }, call))
    .body;
const thresholdsOf = async (identifier: string) =>
  (
    await world.database.db
      .collection('rewards')
      .find({ retailer, identifier }, { sort: { threshold: 1 } })
      .toArray()
  ).map(({ threshold }) => threshold as number);
const buy = (identifier: string, total: number) =>
  world.deliver(receiptEvent(retailer, 1, { id: newId(), identifier, total }));
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

it('issues a reward for each multiple that the total reaches', async () => {
  await buy('joe', 99.99);
  expect(await rewards()).toEqual([]);
  await buy('joe', 0.01);
  await buy('joe', 250);
  const found = await rewards();
  expect(found).toHaveLength(3);
  expect(found[0]).toEqual({
    id: expect.any(Number) as number,
    identifier: 'joe',
    name: '5 off',
    claimed: false,
    value: 5,
    timestamp: '2026-05-17T10:00:00.500+00:00',
    receipt_timestamp: '2026-01-01T10:00:00+00:00',
  });
  expect(new Set(found.map(({ id }) => id)).size).toBe(3);
});

it('publishes a reward once', async () => {
  const traceparent = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`;
  const event = {
    ...receiptEvent(retailer, 1, { id: newId(), identifier: 'joe', total: 100 }),
    traceparent,
  };
  await world.deliver(event, event);
  await world.deliver(event);
  const [reward] = await rewards();
  // A second reward: all events of the first reward are published before the second reward's event.
  await buy('joe', 100);
  const published = () =>
    world.events.filter(({ type, retailer: of }) => type === 'loyalty.reward_issued' && of === retailer);
  await until('the event of the second reward is published', () =>
    published().some(({ subject }) => subject !== String(reward?.id)),
  );
  expect(published()).toMatchObject([
    { subject: String(reward?.id), sequence: 1, traceparent, data: { ...reward, program_id: 1 } },
    { sequence: 1, data: { identifier: 'joe', program_id: 1 } },
  ]);
});

it('keeps the reward after a return, and does not reward its threshold twice', async () => {
  await buy('joe', 120);
  await buy('joe', -50);
  await buy('joe', 50);
  expect(await thresholdsOf('joe')).toEqual([1]);
  await buy('joe', 80);
  expect(await thresholdsOf('joe')).toEqual([1, 2]);
});

it('issues no rewards for duplicates, other currencies and receipts without a consumer', async () => {
  await world.deliver(
    receiptEvent(retailer, 1, { id: newId(), identifier: 'joe', total: 100, duplicate: true }),
    receiptEvent(retailer, 1, { id: newId(), identifier: 'joe', total: 100, currency: 'USD' }),
    receiptEvent(retailer, 1, { id: newId(), identifier: null, total: 100 }),
  );
  expect(await rewards()).toEqual([]);
});

it('counts a reassigned receipt for its new consumer', async () => {
  const id = newId();
  await world.deliver(receiptEvent(retailer, 1, { id, identifier: 'joe', total: 100 }));
  await world.deliver(receiptEvent(retailer, 2, { id, identifier: 'ann', total: 100 }));
  expect([await thresholdsOf('joe'), await thresholdsOf('ann')]).toEqual([[1], [1]]);
});

it('issues a limited number at once for a very large total, and the rest later', async () => {
  await buy('joe', 150_000);
  expect(await thresholdsOf('joe')).toEqual(upTo(1_000));
  await buy('joe', 1);
  expect(await thresholdsOf('joe')).toEqual(upTo(1_500));
});

/** A receipt in a random history, and what later happens to it. */
const receipt = fc.record({
  total: fc.integer({ min: -15_000, max: 25_000 }).map((cents) => cents / 100),
  owners: fc.array(fc.constantFrom('joe', 'ann', null), { minLength: 1, maxLength: 3 }),
  duplicate: fc.boolean(),
});

it('rewards each threshold of the highest total once, for any changes, order and repetition', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(receipt, { minLength: 1, maxLength: 8 }),
      fc.array(fc.nat(), { minLength: 24, maxLength: 24 }),
      async (receipts, shuffle) => {
        newRetailer();
        const versions: EventRecord[] = receipts.flatMap(({ total, owners, duplicate }) => {
          const id = newId();
          return owners.map((identifier, n) =>
            receiptEvent(retailer, n + 1, { id, identifier, total, duplicate }),
          );
        });
        // The model: the newest version of each receipt counts, and the highest total so far determines the rewards.
        const newest = new Map<string, { version: number; owner: string | null; total: number }>();
        const best = new Map([
          ['joe', 0],
          ['ann', 0],
        ]);
        const order = [...versions, ...versions]
          .map((event, n) => ({ event, key: (shuffle[n % shuffle.length] ?? 0) + n * 7 }))
          .sort((a, b) => (a.key % 31) - (b.key % 31));
        for (const { event } of order) {
          const data = event.data as {
            id: string;
            identifier: string | null;
            total: number;
            duplicate: boolean;
          };
          const version = event.sequence;
          if ((newest.get(data.id)?.version ?? 0) < version) {
            newest.set(data.id, {
              version,
              owner: data.duplicate ? null : data.identifier,
              total: data.total,
            });
          }
          const owner = data.identifier;
          if (owner !== null && !data.duplicate) {
            const cents = [...newest.values()]
              .filter((one) => one.owner === owner)
              .reduce((sum, { total }) => sum + Math.round(total * 100), 0);
            best.set(owner, Math.max(best.get(owner) ?? 0, cents));
          }
          await world.deliver(event);
        }
        for (const [owner, cents] of best) {
          expect(await thresholdsOf(owner)).toEqual(upTo(Math.floor(cents / (spend * 100))));
        }
      },
    ),
    { numRuns: 12 },
  );
});

it('issues each reward once if several processes receive the same receipts', async () => {
  const events = Array.from({ length: 12 }, () =>
    receiptEvent(retailer, 1, { id: newId(), identifier: 'joe', total: 75 }),
  );
  await Promise.all([...events, ...events].map((event) => world.deliver(event)));
  expect(await thresholdsOf('joe')).toEqual(upTo(9));
  const ids = (await rewards()).map(({ id }) => id);
  expect(new Set(ids).size).toBe(9);
});

describe('listing', () => {
  beforeEach(async () => {
    for (const [day, identifier] of [
      ['01', 'joe'],
      ['02', 'ann'],
      ['03', 'joe'],
    ] as const) {
      world.now = new Date(`2026-06-${day}T10:00:00Z`);
      await buy(identifier, 100);
    }
  });

  const namesOf = async (query: object, call = callOf(retailer)) =>
    (await rewards(query, call)).map(
      ({ identifier, timestamp }) => `${identifier} ${timestamp.slice(8, 10)}`,
    );

  it('is sorted newest first and can be filtered', async () => {
    expect(await namesOf({})).toEqual(['joe 03', 'ann 02', 'joe 01']);
    expect(await namesOf({ consumer: 'joe' })).toEqual(['joe 03', 'joe 01']);
    const at = Date.parse('2026-06-02T10:00:00Z');
    expect(await namesOf({ from_timestamp: at })).toEqual(['joe 03', 'ann 02']);
    expect(await namesOf({ to_timestamp: at })).toEqual(['ann 02', 'joe 01']);
    expect(await namesOf({ from_timestamp: at, to_timestamp: at })).toEqual(['ann 02']);
    expect(await namesOf({ claimed: 'true' })).toEqual([]);
    expect(await namesOf({ claimed: 'false' })).toHaveLength(3);
  });

  it('is limited to the consumers of a restricted credential, regardless of the query', async () => {
    expect(await namesOf({}, callOf(retailer, { consumers: ['ann'] }))).toEqual(['ann 02']);
    expect(await namesOf({ consumer: 'joe' }, callOf(retailer, { consumers: ['ann'] }))).toEqual(['ann 02']);
  });

  it('returns 404 for unknown programmes and those of other retailers', async () => {
    for (const id of ['2', '01', 'x', ''])
      expect(await refusalOf(rewards({}, undefined, id))).toBe('404 not_found');
    expect(await refusalOf(rewards({}, callOf(`r-${newId()}`)))).toBe('404 not_found');
  });
});
