import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { MongoClient } from 'mongodb';
import type { Platform } from '@receipts/local';
import { until } from '@receipts/testing';
import { newRetailer, type TestRetailer } from '../harness/client';
import { discard, ownPlatform } from '../harness/own-platform';
import { uniqueId } from '../harness/receipts';
import { postUntilAccepted } from '../harness/traffic';

const loyalty = [{ id: 1, name: 'Rewards', rule: { spend: 100, value: 5, name: '5 off' } }];
const consumers = 4;
/** Of one till: what it sells while processes start is mailed by one process later. */
const betweenSalesMs = 250;
const receiptsBetween = 40;
const startTimeoutMs = 60_000;
const retryPauseMs = 200;
const total = 30;
const boundMs = 300_000;
const caughtUpMs = 90_000;

/** Somebody's webhook endpoint; knows how often each message came. */
class Receiver {
  readonly received: string[] = [];
  private readonly server = http.createServer((request, response) => {
    this.received.push(String(request.headers['webhook-id']));
    request.resume().on('end', () => response.writeHead(204).end());
  });

  async open(): Promise<string> {
    await new Promise<void>((ready) => this.server.listen(0, '127.0.0.1', ready));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((closed) => this.server.close(() => closed()));
  }
}

interface Told {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
}

/** Reads the feed to its end; a 503 is tried again, as integrators do while a service starts. */
async function readFeed({ api }: TestRetailer, start: string): Promise<Told[]> {
  const events: Told[] = [];
  for (let href = start; ;) {
    const { status, body } = await api.get(href);
    if (status === 503) {
      await new Promise((resolve) => setTimeout(resolve, retryPauseMs));
      continue;
    }
    if (status !== 200) throw new Error(`the feed gave ${status}`);
    if (body.events.length === 0) return events;
    events.push(...(body.events as Told[]));
    href = body._links.next.href as string;
  }
}

/** A sale that is told to nobody, because the broker has forgotten queues and messages, is known to all in the end. */
describe('a broker that loses everything in mid-traffic', () => {
  let platform: Platform;
  let retailer: TestRetailer;
  const receiver = new Receiver();

  beforeAll(async () => {
    platform = await ownPlatform();
    retailer = await newRetailer(platform.baseUrl, platform.secrets.operatorToken, { loyalty });
  }, 120_000);
  afterAll(async () => {
    await discard(platform);
    await receiver.close();
  }, 60_000);

  /** What is told before the service has noted where it began is not looked for. */
  const isListening = async () => {
    const client = new MongoClient(platform.store.uri);
    try {
      const places = client
        .db(`${platform.name.replaceAll('-', '_')}_delivery`)
        .collection<{ _id: string; next?: string }>('events_heard_of');
      await until(
        'the feed has begun',
        async () => {
          const place = await places.findOne({ _id: `place|${retailer.id}` });
          return place?.next !== undefined && place.next !== '';
        },
        caughtUpMs,
      );
    } finally {
      await client.close();
    }
  };

  const mails = () => {
    const folder = path.join(platform.settings.dataDir, 'mail');
    return (existsSync(folder) ? readdirSync(folder) : [])
      .filter((name) => name.endsWith('.eml'))
      .map((name) => /^To: (\S+)/m.exec(readFileSync(path.join(folder, name), 'utf8'))?.[1]);
  };

  it(
    'summaries, rewards, mails, feed and webhooks have every receipt that was accepted, once',
    async () => {
      const { body: feed } = await retailer.api.get('/events', { types: 'receipt.*' });
      const endpoint = { url: await receiver.open(), event_types: ['receipt.*'] };
      expect((await retailer.api.post('/webhooks/endpoints', endpoint)).status).toBe(201);
      await isListening();
      const names = Array.from({ length: consumers }, () => uniqueId('consumer'));
      const accepted = new Map<string, string>();
      const ids: string[] = [];
      let posting = true;
      const tills = names.map(async (identifier) => {
        while (posting) {
          const email = `${uniqueId('mail')}@example.com`;
          const properties = { email, email_settings: { send: true } };
          const overrides = { identifier, total, properties };
          ids.push((await postUntilAccepted(retailer.api, () => {}, overrides)).id);
          accepted.set(email, identifier);
          await new Promise((resolve) => setTimeout(resolve, betweenSalesMs));
        }
      });
      const more = (count: number) => {
        const goal = accepted.size + count;
        return until(`${count} more receipts`, () => accepted.size >= goal, 90_000);
      };
      await more(receiptsBetween);
      // What it is told from now on waits with the broker, and goes with it.
      const [delivery] = platform.instances('delivery');
      await delivery?.stop();
      await more(receiptsBetween);
      const changed = ids.slice(-consumers);
      for (const id of changed) {
        const note = [{ op: 'add', path: '/properties/note', value: 'changed' }];
        expect((await retailer.api.patch(`/receipts/${id}`, note)).status).toBe(200);
      }
      await platform.broker.kill();
      rmSync(path.join(platform.settings.dataDir, 'rabbitmq', 'data'), { recursive: true, force: true });
      await platform.broker.start();
      await delivery?.start(startTimeoutMs);
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
      const goal = [
        ...ids.map((id) => `receipt.created ${id}`),
        ...changed.map((id) => `receipt.updated ${id}`),
      ];
      const told = async () => readFeed(retailer, feed._links.next.href as string);
      await until('all is in the feed', async () => (await told()).length >= goal.length, caughtUpMs);
      const events = await told();
      expect(events.map(({ type, subject }) => `${type} ${subject}`).sort()).toEqual(goal.sort());
      const isPosted = () => new Set(receiver.received).size >= events.length;
      await until('all are with the endpoint', isPosted, caughtUpMs);
      expect(new Set(receiver.received)).toEqual(new Set(events.map(({ id }) => id)));

      await until('every mail', () => new Set(mails()).size === accepted.size, caughtUpMs);
      expect(mails().sort()).toEqual([...accepted.keys()].sort());
    },
    boundMs,
  );
});
