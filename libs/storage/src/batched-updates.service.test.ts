import { setImmediate } from 'node:timers/promises';
import type { Collection } from 'mongodb';
import { defineEvent, eventOf, newId, notFound, ServiceError } from '@receipts/kernel';
import { startDatabase } from '@receipts/testing';
import { z } from 'zod';
import type { Database } from './connect-database';
import { outboxIndex, outboxItem, outboxItemsMax, type OutboxItem } from './outbox';
import { BatchedUpdates, type Changed } from './batched-updates';

interface Account {
  readonly _id: string;
  readonly retailer: string;
  readonly version: number;
  readonly balance: number;
  readonly name?: string;
  readonly changedBy: readonly string[];
  readonly outbox: OutboxItem[];
}

let database: Database;
let accounts: Collection<Account>;
let id: string;
let saves: number;

beforeAll(async () => {
  database = await startDatabase();
  accounts = await database.collection<Account>({
    name: 'accounts',
    indexes: [
      outboxIndex,
      { name: 'name', key: { name: 1 }, unique: true, partial: { name: { $exists: true } } },
    ],
  });
});
afterAll(() => database.close());
beforeEach(async () => {
  id = newId();
  saves = 0;
  await accounts.insertOne({ _id: id, retailer: 'r', version: 1, balance: 0, changedBy: [], outbox: [] });
});

type State = Pick<Account, 'balance' | 'changedBy' | 'name'>;

/** @param clear removes published items from the outbox immediately, as a relay does */
const changesOf = (clear: boolean) =>
  new BatchedUpdates<Account, State>({
    collection: accounts,
    stateOf: ({ balance, changedBy, name }) => ({ balance, changedBy, ...(name !== undefined && { name }) }),
    updateOf: async (state) => {
      await setImmediate();
      return { $set: state };
    },
    saved: async (_id, items) => {
      saves++;
      const ids = items.map((item) => item.id);
      if (clear) await accounts.updateOne({ _id }, { $pull: { outbox: { id: { $in: ids } } } });
    },
  });

const thingChanged = defineEvent({
  type: 'thing.changed',
  owner: 'test',
  collection: 'things',
  summary: 'A thing',
  description: 'For tests.',
  data: z.object({ text: z.string() }),
});
const call = { id: newId(), requestId: 'c', retailer: 'r' };
const item = (text = '') =>
  outboxItem(eventOf(thingChanged, { subject: 'x', sequence: 1, data: { text } }, call, new Date()));
const cause = () => ({ retailer: 'r', cause: newId(), signal: AbortSignal.timeout(60_000) });
const add =
  (amount: number, body?: string) =>
  ({ balance, ...rest }: State): Changed<State> => ({
    state: { ...rest, balance: balance + amount },
    outbox: [item(body)],
  });
const outcomes = <T>(settled: readonly PromiseSettledResult<T>[]) =>
  settled.map((result) =>
    result.status === 'fulfilled' ? 'saved' : String((result.reason as ServiceError).status),
  );

test('saves concurrent changes in few writes, each with its own version and event', async () => {
  const changes = changesOf(true);
  const all = Array.from({ length: 50 }, () => changes.change(id, { ...cause(), decide: add(1) }));
  const balances = (await Promise.all(all)).map((state) => state?.balance);
  expect(balances).toEqual(Array.from({ length: 50 }, (_, n) => n + 1));
  expect(await accounts.findOne({ _id: id })).toMatchObject({ balance: 50, version: 51, outbox: [] });
  expect(saves).toBeLessThanOrEqual(50 / outboxItemsMax + 2);
});

test('does not lose changes between two processes', async () => {
  const [one, other] = [changesOf(true), changesOf(true)];
  const settled = await Promise.allSettled(
    Array.from({ length: 60 }, (_, n) =>
      (n % 2 === 0 ? one : other).change(id, { ...cause(), decide: add(1) }),
    ),
  );
  const saved = outcomes(settled).filter((outcome) => outcome === 'saved').length;
  expect(saved).toBeGreaterThan(0);
  expect(await accounts.findOne({ _id: id })).toMatchObject({ balance: saved, version: saved + 1 });
});

test('changes nothing for a message that is delivered again', async () => {
  const changes = changesOf(true);
  const change = { ...cause(), decide: add(1) };
  await Promise.all([changes.change(id, change), changes.change(id, change)]);
  expect(await changes.change(id, change)).toMatchObject({ balance: 1 });
  expect(await accounts.findOne({ _id: id })).toMatchObject({ balance: 1, version: 2 });
});

test('rejects one change without affecting the others', async () => {
  const changes = changesOf(true);
  const refuse = (): never => {
    throw new ServiceError(notFound);
  };
  const settled = await Promise.allSettled(
    [add(1), refuse, add(1), () => undefined].map((decide) => changes.change(id, { ...cause(), decide })),
  );
  expect(outcomes(settled)).toEqual(['saved', '404', 'saved', 'saved']);
  expect(await accounts.findOne({ _id: id })).toMatchObject({ balance: 2, version: 3 });
});

test('rejects only the change that violates a unique index', async () => {
  const taken = newId();
  await accounts.insertOne({
    _id: newId(),
    retailer: 'r',
    version: 1,
    balance: 0,
    name: taken,
    changedBy: [],
    outbox: [],
  });
  const changes = changesOf(true);
  const rename = (name: string) => (state: State) => ({ state: { ...state, name }, outbox: [item()] });
  const settled = await Promise.allSettled(
    [add(1), rename(taken), add(1)].map((decide) => changes.change(id, { ...cause(), decide })),
  );
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await accounts.findOne({ _id: id })).toMatchObject({ balance: 2, version: 3 });
});

test('does not find the aggregate for another retailer', async () => {
  const change = { ...cause(), retailer: 'other', decide: add(1) };
  expect(await changesOf(true).change(id, change)).toBeUndefined();
  expect(await accounts.findOne({ _id: id })).toMatchObject({ balance: 0, version: 1 });
});

test('does not accumulate large events in one document', async () => {
  const changes = changesOf(true);
  const body = 'x'.repeat(3 * 1024 * 1024);
  const all = Array.from({ length: 6 }, () => changes.change(id, { ...cause(), decide: add(1, body) }));
  await Promise.all(all);
  expect(await accounts.findOne({ _id: id })).toMatchObject({ balance: 6, version: 7 });
  expect(saves).toBe(6);
});

test('returns 503 for a change if the outbox has no space for it in time', async () => {
  const changes = changesOf(false);
  const caller = new AbortController();
  const asked = Array.from({ length: outboxItemsMax + 2 }, () =>
    changes.change(id, { ...cause(), signal: caller.signal, decide: add(1) }),
  );
  const all = Promise.allSettled(asked);
  await Promise.all(asked.slice(0, outboxItemsMax));
  caller.abort();
  const settled = await all;
  expect(outcomes(settled).filter((outcome) => outcome === '503')).toHaveLength(2);
  expect(await accounts.findOne({ _id: id })).toMatchObject({ balance: outboxItemsMax });
});

test('saves a change even if a caller whose change is in the same write no longer waits', async () => {
  const changes = changesOf(true);
  const caller = new AbortController();
  const late = (state: State) => {
    caller.abort();
    return add(1)(state);
  };
  const settled = await Promise.allSettled([
    changes.change(id, { ...cause(), decide: add(1) }),
    changes.change(id, { ...cause(), decide: add(1) }),
    changes.change(id, { ...cause(), signal: caller.signal, decide: late }),
  ]);
  expect(outcomes(settled)).toEqual(['saved', 'saved', 'saved']);
});

test('ends a write that no caller waits for', async () => {
  const caller = new AbortController();
  const late = (state: State) => {
    caller.abort();
    return add(1)(state);
  };
  const change = { ...cause(), signal: caller.signal, decide: late };
  const settled = await Promise.allSettled([changesOf(true).change(id, change)]);
  expect(outcomes(settled)).toEqual(['503']);
});
