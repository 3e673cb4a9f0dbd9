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
/** The interval between sales of one till. A single process can send all e-mails at this rate while others start. */
const betweenSalesMs = 1_000;
const receiptsBetween = 40;
const retryPauseMs = 200;
const total = 30;
/** The services that publish events. */
const owners = ['receipt-store', 'ingest', 'identifier', 'admin', 'delivery'];
const boundMs = 900_000;
const caughtUpMs = 300_000;

/** A webhook endpoint that records the message ids it receives. */
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

/** Reads the whole feed. A 503 is retried, as integrators do while a service starts. */
async function readFeed({ api }: TestRetailer, start: string): Promise<Told[]> {
  const events: Told[] = [];
  for (let href = start; ;) {
    const { status, body } = await api.get(href);
    if (status === 503) {
      await new Promise((resolve) => setTimeout(resolve, retryPauseMs));
      continue;
    }
    if (status !== 200) throw new Error(`the feed returned ${status}`);
    if (body.events.length === 0) return events;
    events.push(...(body.events as Told[]));
    href = body._links.next.href as string;
  }
}

function countsOf(events: readonly Told[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { type } of events) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}

/** If the broker loses queues and messages, the events of a sale must still reach all recipients eventually. */
describe('after a broker has lost everything during traffic', () => {
  let platform: Platform;
  let retailer: TestRetailer;
  const receiver = new Receiver();

  beforeAll(async () => {
    platform = await ownPlatform();
    retailer = await newRetailer(platform.baseUrl, platform.secrets.operatorToken, { loyalty });
  });
  afterAll(async () => {
    await discard(platform);
    await receiver.close();
  });

  /** Events that are published before the service has stored its start position are not recovered. */
  const isListening = async () => {
    const client = new MongoClient(platform.database.uri);
    try {
      const places = client
        .db(`${platform.name.replaceAll('-', '_')}_delivery`)
        .collection<{ _id: string; next?: string }>('event_catchup_cursors');
      const keys = owners.map((owner) => `cursor|${retailer.id}|${owner}`);
      await until(
        'the feed has begun',
        async () => {
          const begun = await places.find({ _id: { $in: keys }, next: { $gt: '' } }).toArray();
          return begun.length === owners.length;
        },
        caughtUpMs,
      );
    } finally {
      await client.close();
    }
  };

  /** Triggers one event of each other type. */
  const tellOfOthers = async () => {
    const { api } = retailer;
    expect((await api.post('/identifiers', { identifier: uniqueId('known') })).status).toBe(201);
    expect((await api.post('/stores', { name: 'Another', country: 'FRA' })).status).toBe(201);
    expect((await api.post('/clients/bearer', { description: 'a till', permissions: [] })).status).toBe(201);
    const plain = { 'content-type': 'text/plain' };
    const file = { ...plain, 'content-disposition': 'attachment; filename="a.txt"' };
    const post = { method: 'POST', body: Buffer.from('?') };
    expect((await api.call('/attachments', { ...post, headers: file })).status).toBe(201);
    // No mapping matches this packet.
    expect((await api.call('/pos/receipts', { ...post, headers: plain })).status).toBe(202);
    await until(
      'the packet has failed',
      async () => (await api.get('/pos/packets', { status: 'failed' })).body.packets.length === 1,
      caughtUpMs,
    );
  };

  const mails = () => {
    const folder = path.join(platform.settings.dataDir, 'mail');
    return (existsSync(folder) ? readdirSync(folder) : [])
      .filter((name) => name.endsWith('.eml'))
      .map((name) => /^To: (\S+)/m.exec(readFileSync(path.join(folder, name), 'utf8'))?.[1]);
  };

  it(
    'summaries, rewards, e-mails, feed and webhooks have every accepted receipt once',
    async () => {
      const { body: feed } = await retailer.api.get('/events', {});
      const endpoint = { url: await receiver.open(), event_types: ['*'] };
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
        return until(`${count} more receipts`, () => accepted.size >= goal);
      };
      await more(receiptsBetween);
      // From now on, events for delivery wait in the broker and are lost with it.
      const [delivery] = platform.instances('delivery');
      await delivery?.stop();
      await more(receiptsBetween);
      const changed = ids.slice(-consumers);
      for (const id of changed) {
        const note = [{ op: 'add', path: '/properties/note', value: 'changed' }];
        expect((await retailer.api.patch(`/receipts/${id}`, note)).status).toBe(200);
      }
      await tellOfOthers();
      await platform.broker.kill();
      rmSync(path.join(platform.settings.dataDir, 'rabbitmq', 'data'), { recursive: true, force: true });
      await platform.broker.start();
      await delivery?.start();
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
      const rewards = names.map((name) => Math.floor((bought(name) * total) / loyalty[0]!.rule.spend));
      const goal = {
        'receipt.created': ids.length,
        'receipt.updated': changed.length,
        'delivery.requested': ids.length,
        'delivery.sent': ids.length,
        'identifier.created': names.length + 1,
        'loyalty.reward_issued': rewards.reduce((sum, count) => sum + count, 0),
        'store.created': 1,
        'client.created': 1,
        'attachment.created': 1,
        'pos_receipt.accepted': 1,
        'pos_receipt.failed': 1,
      };
      const countMin = Object.values(goal).reduce((sum, count) => sum + count, 0);
      const feedEvents = async () => readFeed(retailer, feed._links.next.href as string);
      // If some are missing, the comparison below shows which.
      await until('all', async () => (await feedEvents()).length >= countMin, caughtUpMs).catch(() => {});
      const events = await feedEvents();
      expect(countsOf(events)).toEqual(goal);
      expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
      const subjectsOf = (type: string) =>
        events.filter((event) => event.type === type).map(({ subject }) => subject);
      expect(subjectsOf('receipt.created').sort()).toEqual([...ids].sort());
      expect(subjectsOf('receipt.updated').sort()).toEqual([...changed].sort());
      const isPosted = () => new Set(receiver.received).size >= events.length;
      await until('all have reached the endpoint', isPosted, caughtUpMs);
      expect(new Set(receiver.received)).toEqual(new Set(events.map(({ id }) => id)));

      await until('every e-mail', () => new Set(mails()).size === accepted.size, caughtUpMs);
      expect(mails().sort()).toEqual([...accepted.keys()].sort());
    },
    boundMs,
  );
});
