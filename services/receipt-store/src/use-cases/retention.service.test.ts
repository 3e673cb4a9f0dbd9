import { receiptStoreContracts as contracts } from '@receipts/contracts';
import { lease, leaseCollection, type LeaseDocument } from '@receipts/storage';
import { newId } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import { silentLog } from '@receipts/testing';
import { Receipts } from '../storage/receipts';
import type { StoredReceipt } from '../storage/receipt-document';
import { Harness, refusal } from '../testing/harness';
import { callOf, retailerOf } from '../testing/samples';
import { Retention, type RetentionDependencies } from './retention';

let harness: Harness;
beforeAll(async () => {
  harness = await Harness.start();
});
afterAll(() => harness.stop());

/** The requests for old raw data; each takes two. */
const expired: { readonly retailer: string; readonly before: string; readonly after: string | null }[] = [];
const ask = ((_contract, input, { retailer }) => {
  const { before, after } = (input as unknown as { body: { before: string; after: string | null } }).body;
  expired.push({ retailer, before, after });
  const next = after === null ? 'rest' : null;
  return Promise.resolve({ body: { packets: [], attachments: [], is_complete: true, next } });
}) as Broker['ask'];

const discarded = { neededReceipts: async () => [], neededAttachments: async () => [] };

const dayMs = 24 * 60 * 60_000;

test('counts from the arrival of a receipt, not from its own time, and deletes in steps', async () => {
  const limited = harness.retailer((id) => retailerOf(id, { retention_days: 30 }));
  const unlimited = harness.retailer((id) => retailerOf(id));
  const localtimes = ['2000-01-01T10:00:00+00:00', '2099-01-01T10:00:00+00:00'];
  const receipts = Array.from({ length: 60 }, (_, n) => ({ localtime: localtimes[n % 2] as string }));
  const ids = await harness.post(limited, receipts);
  const kept = await harness.post(unlimited, receipts.slice(0, 2));
  harness.clock.aheadMs = 20 * dayMs;
  const later = await harness.post(limited, receipts.slice(0, 2));
  harness.clock.aheadMs = 0;
  const leases = await harness.database.collection<LeaseDocument>(leaseCollection);
  let aheadMs = 29 * dayMs;
  const retention = new Retention({
    retailers: () => harness.retailers,
    receipts: new Receipts(harness.database.db.collection<StoredReceipt>('receipts')),
    deletion: {
      delete: async (id, _ifMatch, call) => {
        await harness.fake.call(contracts.deleteReceipt, { params: { id } }, call);
        return true;
      },
    },
    discarded,
    ask,
    lease: lease(leases, newId(), 10_000),
    log: silentLog,
    now: () => new Date(Date.now() + aheadMs),
  });
  expect(await retention.task.run()).toBe(0);
  aheadMs = 31 * dayMs;
  expect(await retention.task.run()).toBe(60);
  expect(await retention.task.run()).toBe(0);
  const get = (retailer: string, id: string) =>
    harness.fake.call(contracts.getReceipt, { params: { id }, query: {} }, callOf(retailer));
  for (const id of ids.slice(0, 2))
    expect(await refusal(get(limited, id))).toMatchObject({ code: 'receipt_deleted' });
  for (const id of later) await get(limited, id);
  for (const id of kept) await get(unlimited, id);
  expect(expired.filter(({ retailer }) => retailer === limited)).toHaveLength(6);
  expect(expired.some(({ retailer }) => retailer === unlimited)).toBe(false);
  const { before } = expired.at(-1) as (typeof expired)[number];
  expect(Date.now() + dayMs - Date.parse(before)).toBeLessThan(60_000);
  await retention.task.stop();
});

describe('with two retailers', () => {
  const retailers = () => ['r-first', 'r-second'].map((id) => retailerOf(id, { retention_days: 30 }));
  const deleted: string[] = [];
  const retentionWith = (deps: Pick<RetentionDependencies, 'deletion'> & Partial<RetentionDependencies>) =>
    new Retention({
      retailers,
      receipts: { arrivedBefore: async (retailer: string) => [`receipt of ${retailer}`] },
      lease: { acquire: async () => true, release: async () => undefined },
      discarded,
      ask,
      log: silentLog,
      now: () => new Date(),
      ...deps,
    });
  const deletion = {
    async delete(id: string) {
      deleted.push(id);
      return true;
    },
  };
  beforeEach(() => deleted.splice(0));

  test('a failure for one retailer does not keep the other’s receipts', async () => {
    const warn = jest.fn();
    const retention = retentionWith({
      deletion: {
        async delete(id) {
          if (id.endsWith('first')) throw new Error('away');
          return deletion.delete(id);
        },
      },
      log: { ...silentLog, warn },
    });
    expect(await retention.task.run()).toBe(1);
    expect(deleted).toEqual(['receipt of r-second']);
    expect(warn).toHaveBeenCalledWith(expect.any(String), expect.objectContaining({ retailer: 'r-first' }));
  });

  test('gives each deletion its own time, so that a slow database only slows them down', async () => {
    const { now } = Date;
    let passedMs = 0;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + passedMs);
    const ids = Array.from({ length: 20 }, (_, n) => `receipt ${n}`);
    const retention = retentionWith({
      retailers: () => retailers().slice(0, 1),
      receipts: { arrivedBefore: async () => ids },
      deletion: {
        async delete(id, _conditions, { deadline }) {
          if (deadline <= Date.now()) throw new Error('too late');
          passedMs += 1_000;
          return deletion.delete(id);
        },
      },
    });
    expect(await retention.task.run()).toBe(20);
    expect(deleted).toEqual(ids);
    clock.mockRestore();
  });

  test('deletes nothing more once another process holds the lease', async () => {
    const acquire = jest.fn(async () => false).mockResolvedValueOnce(true);
    const retention = retentionWith({ deletion, lease: { acquire, release: async () => undefined } });
    expect(await retention.task.run()).toBe(1);
    expect(deleted).toEqual(['receipt of r-first']);
  });
});
