import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Platform } from '@receipts/local';
import { until } from '@receipts/testing';
import { newRetailer, type TestRetailer } from '../harness/client';
import { discard, ownPlatform } from '../harness/own-platform';
import { uniqueId } from '../harness/receipts';
import { postUntilAccepted } from '../harness/traffic';

const loyalty = [{ id: 1, name: 'Rewards', rule: { spend: 100, value: 5, name: '5 off' } }];
const consumers = 4;
const receiptsBetween = 40;
const total = 30;
const boundMs = 180_000;
const caughtUpMs = 60_000;

/** A sale that is told to nobody, because the broker has forgotten queues and messages, is known to all in the end. */
describe('a broker that loses everything in mid-traffic', () => {
  let platform: Platform;
  let retailer: TestRetailer;

  beforeAll(async () => {
    platform = await ownPlatform();
    retailer = await newRetailer(platform.baseUrl, platform.secrets.operatorToken, { loyalty });
  }, 120_000);
  afterAll(() => discard(platform), 60_000);

  const mails = () => {
    const folder = path.join(platform.settings.dataDir, 'mail');
    return (existsSync(folder) ? readdirSync(folder) : [])
      .filter((name) => name.endsWith('.eml'))
      .map((name) => /^To: (\S+)/m.exec(readFileSync(path.join(folder, name), 'utf8'))?.[1]);
  };

  it(
    'summaries, rewards and mails have every receipt that was accepted, once',
    async () => {
      const names = Array.from({ length: consumers }, () => uniqueId('consumer'));
      const accepted = new Map<string, string>();
      let posting = true;
      const tills = names.map(async (identifier) => {
        while (posting) {
          const email = `${uniqueId('mail')}@example.com`;
          const properties = { email, email_settings: { send: true } };
          await postUntilAccepted(retailer.api, () => {}, { identifier, total, properties });
          accepted.set(email, identifier);
        }
      });
      const more = (count: number) => {
        const goal = accepted.size + count;
        return until(`${count} more receipts`, () => accepted.size >= goal, 90_000);
      };
      await more(receiptsBetween);
      await platform.broker.kill();
      rmSync(path.join(platform.settings.dataDir, 'rabbitmq', 'data'), { recursive: true, force: true });
      await platform.broker.start();
      await more(receiptsBetween);
      posting = false;
      await Promise.all(tills);

      const bought = (identifier: string) =>
        [...accepted.values()].filter((one) => one === identifier).length;
      for (const identifier of names) {
        await until(
          `the summary of ${identifier}`,
          async () => {
            const { body } = await retailer.api.get(`/identifiers/${identifier}`);
            return body?.summary?.receipts === bought(identifier);
          },
          caughtUpMs,
        );
        await until(
          `the rewards of ${identifier}`,
          async () => {
            const { body } = await retailer.api.get('/loyalty/1/rewards', { consumer: identifier });
            return body.length === Math.floor((bought(identifier) * total) / loyalty[0]!.rule.spend);
          },
          caughtUpMs,
        );
      }
      await until('every mail', () => new Set(mails()).size === accepted.size, caughtUpMs);
      expect(mails().sort()).toEqual([...accepted.keys()].sort());
    },
    boundMs,
  );
});
