import { randomUUID } from 'node:crypto';
import type { Platform } from '@receipts/local';
import { until } from '@receipts/testing';
import { newRetailer } from '../harness/client';
import type { HttpResponse } from '../harness/http';
import { discard, ownPlatform } from '../harness/own-platform';
import { aReceipt } from '../harness/receipts';
import { isBrokenConnection, readAll } from '../harness/traffic';

/** Enough for several writes, so that the process is killed between two of them. */
const [receiptsOfBatch, itemsOfReceipt] = [500, 60];

let platform: Platform;
beforeAll(async () => {
  platform = await ownPlatform();
});
afterAll(() => discard(platform));

it('a batch is stored when it is acknowledged, even if the service and the database are killed at once', async () => {
  const { api } = await newRetailer(platform.baseUrl, platform.secrets.operatorToken);
  const receipts = Array.from({ length: receiptsOfBatch }, () => aReceipt());
  const { body } = await api.post('/receipts/_batch', { receipts });
  const [child] = platform.instances('receipt-store');
  await Promise.all([child?.kill(), platform.database.kill()]);
  await platform.database.start();
  await child?.start();
  const listed = () => readAll(api).catch(() => []);
  const stored = await until('all receipts are listed', async () => {
    const all = await listed();
    return all.length === receiptsOfBatch && all;
  });
  const ids = (body as { results: { id: string }[] }).results.map(({ id }) => id);
  expect(stored.map(({ id }) => id).reverse()).toEqual(ids);
});

it.each(['gateway', 'receipt-store'] as const)(
  '%s, killed during a batch with a key: a retry stores each receipt once',
  async (name) => {
    const retailer = await newRetailer(platform.baseUrl, platform.secrets.operatorToken);
    const items = Array.from({ length: itemsOfReceipt }, (_, n) => ({
      name: `Item ${n}`,
      quantity: 1,
      total: 1,
    }));
    const receipts = Array.from({ length: receiptsOfBatch }, () => aReceipt({ items }));
    const refused = aReceipt({ total: 'x' });
    const key = { 'idempotency-key': randomUUID() };
    const post = () =>
      retailer.api.post('/receipts/_batch', { receipts: [refused, ...receipts].slice(0, 500) }, key);
    const first = post().catch((error: unknown) => error);
    await until(
      'the first receipts',
      async () => (await retailer.api.get('/receipts', { count: 1 })).body.length > 0,
    );
    const [child] = platform.instances(name);
    await child?.kill();
    await child?.start();
    const answered = await first;

    const accepted = await until('the retry gets a response', async () => {
      const answer = await post().catch((error: unknown) => error);
      if (answer instanceof Error && !isBrokenConnection(answer)) throw answer;
      return (
        !(answer instanceof Error) && (answer as HttpResponse).status === 200 && (answer as HttpResponse)
      );
    });
    expect(accepted.body).toMatchObject({ accepted: receiptsOfBatch - 1, refused: 1 });
    if (!(answered instanceof Error) && (answered as HttpResponse).status === 200)
      expect(accepted.body).toEqual((answered as HttpResponse).body);
    const again = await post();
    expect([again.headers['idempotent-replayed'], again.body]).toEqual(['true', accepted.body]);

    const stored = (await readAll(retailer.api)).reverse();
    expect(stored.map(({ transaction_id }) => transaction_id)).toEqual(
      receipts.slice(0, -1).map((receipt) => receipt['transaction_id']),
    );
    const ids = (accepted.body as { results: { id?: string }[] }).results.flatMap(({ id }) => id ?? []);
    expect(stored.map(({ id }) => id)).toEqual(ids);
  },
);
