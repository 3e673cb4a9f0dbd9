import { MongoClient } from 'mongodb';
import type { Platform } from '@receipts/local';
import { until } from '@receipts/testing';
import { newRetailer, type TestRetailer } from '../harness/client';
import { discard, ownPlatform } from '../harness/own-platform';
import { aReceipt, uniqueId } from '../harness/receipts';

const receiptsBefore = 200;
const acceptedWithinMs = 5_000;

/** Collections derived from others. Losing one must not stop anything. */
const derived = [
  { owner: 'receipt_store', collection: 'event_watermarks' },
  { owner: 'identifier', collection: 'receipt_contributions' },
];

describe('derived collections that are dropped while the platform runs', () => {
  let platform: Platform;
  let retailer: TestRetailer;
  let client: MongoClient;

  beforeAll(async () => {
    platform = await ownPlatform();
    retailer = await newRetailer(platform.baseUrl, platform.secrets.operatorToken);
    client = await MongoClient.connect(platform.database.uri);
  });
  afterAll(async () => {
    await client.close();
    await discard(platform);
  });

  const post = async (identifier: string) =>
    (await retailer.api.post('/receipts', aReceipt({ identifier }))).status;

  it.each(derived)(
    '$owner, $collection: receipts are accepted within 5 s, and its indexes are restored',
    async ({ owner, collection }) => {
      const db = client.db(`${platform.name.replaceAll('-', '_')}_${owner}`);
      const consumer = uniqueId('consumer');
      for (let n = 0; n < receiptsBefore; n += 50)
        expect(new Set(await Promise.all(Array.from({ length: 50 }, () => post(consumer))))).toEqual(
          new Set([201]),
        );
      await until(
        'the collection to be filled',
        async () => (await db.collection(collection).countDocuments({})) > 0,
      );
      const indexesBefore = (await db.collection(collection).indexes()).map(({ name }) => name).sort();

      const since = performance.now();
      await db.collection(collection).drop();
      await until('a receipt to be accepted', async () => (await post(consumer)) === 201);
      expect(performance.now() - since).toBeLessThan(acceptedWithinMs);

      const receipts = receiptsBefore + 1;
      await until('the summary with every receipt', async () => {
        const { body } = await retailer.api.get(`/identifiers/${consumer}`);
        return body?.summary?.receipts >= receipts;
      });
      await until('the indexes', async () => {
        try {
          const names = (await db.collection(collection).indexes()).map(({ name }) => name).sort();
          return JSON.stringify(names) === JSON.stringify(indexesBefore);
        } catch {
          return false;
        }
      });
    },
  );
});
