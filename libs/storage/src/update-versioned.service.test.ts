import type { Collection } from 'mongodb';
import { newId, notFound, ServiceError } from '@receipts/kernel';
import { startDatabase } from '@receipts/testing';
import { toUnavailableError } from './faults';
import type { Database } from './connect-database';
import { outboxIndex, outboxItem, outboxItemsMax, type OutboxItem } from './outbox';
import { updateVersioned } from './update-versioned';

interface Account {
  readonly _id: string;
  readonly retailer: string;
  readonly version: number;
  readonly balance: number;
  readonly outbox: OutboxItem[];
}

describe('a versioned update', () => {
  let database: Database;
  let accounts: Collection<Account>;
  let id: string;
  beforeAll(async () => {
    database = await startDatabase('test', { poolSizeMax: 8 });
    accounts = await database.collection<Account>({ name: 'accounts', indexes: [outboxIndex] });
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    id = newId();
    await accounts.insertOne({ _id: id, retailer: 'r', version: 1, balance: 0, outbox: [] });
  });

  const item = () =>
    outboxItem({
      id: newId(),
      type: 'x',
      retailer: 'r',
      correlationId: 'c',
      at: 0,
      isInternal: false,
      text: '{}',
    });
  const add = (amount: number, outbox: OutboxItem[] = []) =>
    updateVersioned({
      collection: accounts,
      retailer: 'r',
      id,
      decide: ({ balance }) => ({
        update: { $set: { balance: balance + amount } },
        outbox,
        result: balance + amount,
      }),
    });

  test('saves state, version and events together', async () => {
    expect(await add(5, [item(), item()])).toBe(5);
    const saved = await accounts.findOne({ _id: id });
    expect(saved).toMatchObject({ balance: 5, version: 2 });
    expect(saved?.outbox).toHaveLength(2);
  });

  test('does not lose concurrent changes', async () => {
    const results = await Promise.allSettled(Array.from({ length: 40 }, () => add(1)));
    const won = results.filter(({ status }) => status === 'fulfilled').length;
    for (const result of results) {
      if (result.status === 'fulfilled') continue;
      // On a busy machine, some changes may not get a free connection in time; those have not written anything.
      const error: unknown = toUnavailableError(result.reason) ?? result.reason;
      expect(['conflict', 'unavailable']).toContain((error as ServiceError).code);
    }
    expect(won).toBeGreaterThan(0);
    expect(await accounts.findOne({ _id: id })).toMatchObject({ balance: won, version: won + 1 });
  });

  test('writes nothing if nothing changes', async () => {
    const result = await updateVersioned({
      collection: accounts,
      retailer: 'r',
      id,
      decide: () => ({ result: 'same' }),
    });
    expect(result).toBe('same');
    expect(await accounts.findOne({ _id: id })).toMatchObject({ version: 1 });
  });

  test('does not find documents of another retailer', async () => {
    const decide = () => ({ update: { $set: { balance: 9 } }, result: 9 });
    expect(await updateVersioned({ collection: accounts, retailer: 'other', id, decide })).toBeUndefined();
    expect(await accounts.findOne({ _id: id })).toMatchObject({ balance: 0 });
  });

  test('passes on errors thrown by the decision', async () => {
    const decide = (): never => {
      throw new ServiceError(notFound);
    };
    await expect(updateVersioned({ collection: accounts, retailer: 'r', id, decide })).rejects.toMatchObject({
      status: 404,
    });
  });

  test('rejects changes while too many events are pending', async () => {
    await add(1, Array.from({ length: outboxItemsMax }, item));
    await expect(add(1, [item()])).rejects.toMatchObject({ status: 503 });
    expect(await accounts.findOne({ _id: id })).toMatchObject({ balance: 1, version: 2 });
  });
});
