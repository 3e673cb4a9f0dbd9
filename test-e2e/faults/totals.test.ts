import type { Child, Platform } from '@receipts/local';
import { until } from '@receipts/testing';
import { Client, newRetailer, type TestRetailer } from '../harness/client';
import { discard, ownPlatform, sharedInfrastructure } from '../harness/own-platform';
import { readAll, Traffic } from '../harness/traffic';

const boundMs = 300_000;
/** Totals are correct within this time after the last response. */
const rightWithinMs = 2_000;
const receiptsBetween = 30;

describe('totals, when one of two processes of the owning service is killed', () => {
  let platform: Platform;
  let retailer: TestRetailer;
  let traffic: Traffic;

  beforeAll(async () => {
    platform = await ownPlatform({ instances: { 'receipt-store': 2, delivery: 0 } }, sharedInfrastructure());
  });
  afterAll(() => discard(platform));
  beforeEach(async () => {
    retailer = await newRetailer(platform.baseUrl, platform.secrets.operatorToken);
    traffic = new Traffic([retailer.api], 4);
  });
  afterEach(() => traffic.stop());

  const query = { group_by: 'currency', from: '2026-03-01', to: '2026-03-31' };
  const rows = async () =>
    (await retailer.api.get('/reports/totals', query)).body?.totals as
      | { receipts: number; total: number; items: number }[]
      | undefined;

  const moreReceipts = async () => {
    const goal = traffic.accepted.size + receiptsBetween;
    await until(`${receiptsBetween} more receipts`, () => traffic.accepted.size >= goal);
  };

  const expectPlainSum = async () => {
    const answer = await until('an answer', async () => await rows(), rightWithinMs);
    const receipts = await readAll(retailer.api);
    const cents = receipts.reduce((sum, { total }) => sum + Math.round(100 * Number(total)), 0);
    expect(answer).toMatchObject([{ receipts: receipts.length, total: cents / 100 }]);
  };

  const deleteSome = async (count: number) => {
    const ids = [...traffic.accepted.values()].slice(0, count);
    for (const id of ids) {
      expect((await retailer.api.call(`/receipts/${id}`, { method: 'DELETE' })).status).toBe(204);
    }
  };

  const victim = () => platform.instances('receipt-store')[0] as Child;

  it(
    'count each receipt once while receipts arrive',
    async () => {
      await moreReceipts();
      await victim().kill();
      await moreReceipts();
      await traffic.stop();
      await expectPlainSum();
      await victim().start();
      await deleteSome(5);
      await expectPlainSum();
    },
    boundMs,
  );

  it(
    'are served in their current state during a rebuild until another process has finished it',
    async () => {
      await moreReceipts();
      await deleteSome(3);
      await rows();
      const operator = new Client(platform.baseUrl, {
        headers: { authorization: `Bearer ${platform.secrets.operatorToken}` },
      });
      const rebuild = () => operator.post('/operator/services/receipt-store/_rebuild_totals', {});
      expect((await rebuild()).status).toBe(202);
      await victim().kill();
      await moreReceipts();
      await traffic.stop();
      await expectPlainSum();
      await victim().start();
      expect((await rebuild()).status).toBe(202);
      await platform.instances('receipt-store')[1]?.kill();
      await expectPlainSum();
      await deleteSome(6);
      await expectPlainSum();
    },
    boundMs,
  );
});
