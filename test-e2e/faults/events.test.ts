import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Platform, type ServiceName } from '@receipts/local';
import { until } from '@receipts/testing';
import { newRetailer, type TestRetailer } from '../harness/client';
import { discard, ownPlatform } from '../harness/own-platform';
import { isBrokenConnection, postUntilAccepted } from '../harness/traffic';

const settledMs = 90_000;
const subjects = 6;
const changesBetweenFaults = 5;
/** The lease of a killed process plus the pause of an endpoint that did not respond. */
const firstDeliveryMs = 10_000;

interface FeedEvent {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly sequence: number;
}

/** A webhook endpoint that can be closed and reopened on the same port. */
class Receiver {
  readonly received = new Map<string, number>();
  private port = 0;
  private server: http.Server | undefined;

  async open(): Promise<string> {
    const server = http.createServer((request, response) => {
      const id = String(request.headers['webhook-id']);
      if (!this.received.has(id)) this.received.set(id, performance.now());
      request.resume().on('end', () => response.writeHead(204).end());
    });
    await new Promise<void>((ready) => server.listen(this.port, '127.0.0.1', ready));
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
    return `http://127.0.0.1:${this.port}/hook`;
  }

  async close(): Promise<void> {
    const server = this.server;
    this.server = undefined;
    if (!server) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  }
}

describe('events while processes are killed', () => {
  let platform: Platform;
  let retailer: TestRetailer;
  const receiver = new Receiver();

  beforeAll(async () => {
    platform = await ownPlatform();
    retailer = await newRetailer(platform.baseUrl, platform.secrets.operatorToken);
  });
  afterAll(async () => {
    await discard(platform);
    await receiver.close();
  });

  /** Retries a request until the restarted service can respond. */
  const answered = async <T extends { status: number }>(request: () => Promise<T>): Promise<T> => {
    let answer: T | undefined;
    await until(
      'an answer',
      async () => {
        try {
          answer = await request();
          return answer.status < 500;
        } catch (error) {
          if (!isBrokenConnection(error)) throw error;
          return false;
        }
      },
      settledMs,
    );
    return answer as T;
  };
  const readPage = (href: string) => answered(() => retailer.api.get(href));
  const startOfFeed = async (types: string) =>
    (await answered(() => retailer.api.get('/events', { types }))).body._links.next.href as string;

  /** Follows the feed until it has returned this many distinct events. */
  const readFeed = async (start: string, count: number): Promise<FeedEvent[]> => {
    const events: FeedEvent[] = [];
    let href = start;
    await until(
      `${count} events`,
      async () => {
        const { status, body } = await readPage(href);
        expect(status).toBe(200);
        events.push(...(body.events as FeedEvent[]));
        href = body._links.next.href as string;
        return new Set(events.map(({ id }) => id)).size >= count;
      },
      settledMs,
    );
    return events;
  };

  const killAndStart = (name: ServiceName) => async () => {
    const [child] = platform.instances(name);
    await child!.kill();
    await child!.start();
  };
  const faults: Record<string, () => Promise<void>> = {
    'receipt-store': killAndStart('receipt-store'),
    delivery: killAndStart('delivery'),
    'the broker': async () => {
      await platform.broker.kill();
      await platform.broker.start();
    },
    'the database': async () => {
      await platform.database.kill();
      await platform.database.start();
    },
  };

  it('the feed returns the events of each receipt in sequence, without a gap', async () => {
    const start = await startOfFeed('receipt.*');
    const ids: string[] = [];
    for (let n = 0; n < subjects; n++) ids.push((await postUntilAccepted(retailer.api)).id);
    let changing = true;
    const changes = new Map(ids.map((id) => [id, 0]));
    const changers = ids.map(async (id) => {
      for (let n = 1; changing; n++) {
        // Adding the same value again changes nothing, so a retry counts once.
        const change = [{ op: 'add', path: '/properties/number', value: String(n) }];
        const { status } = await answered(() => retailer.api.patch(`/receipts/${id}`, change));
        expect(status).toBe(200);
        changes.set(id, n);
      }
    });
    const moreChanges = async () => {
      const goal = [...changes.values()].map((count) => count + changesBetweenFaults);
      await until(
        'more changes',
        () => [...changes.values()].every((count, index) => count >= goal[index]!),
        settledMs,
      );
    };
    for (const fault of Object.values(faults)) {
      await moreChanges();
      await fault();
    }
    await moreChanges();
    changing = false;
    await Promise.all(changers);

    const total = [...changes.values()].reduce((sum, count) => sum + count + 1, 0);
    const events = await readFeed(start, total);
    const sequences = ids.map((id) =>
      events.filter(({ subject }) => subject === id).map(({ sequence }) => Number(sequence)),
    );
    expect(sequences).toEqual(
      ids.map((id) => Array.from({ length: changes.get(id)! + 1 }, (_, index) => index + 1)),
    );
  }, 900_000);

  it('an endpoint receives waiting events within 10 s after it and a killed process are back', async () => {
    const endpoint = { url: await receiver.open(), event_types: ['receipt.created'] };
    expect((await retailer.api.post('/webhooks/endpoints', endpoint)).status).toBe(201);
    const start = await startOfFeed('receipt.created');
    await postUntilAccepted(retailer.api);
    await until('the first delivery', () => receiver.received.size > 0, settledMs);

    const [delivery] = platform.instances('delivery');
    await receiver.close();
    const before = receiver.received.size;
    for (let n = 0; n < subjects; n++) await postUntilAccepted(retailer.api);
    await readFeed(start, subjects + 1);
    // The process is killed while it has the endpoint's deliveries in progress.
    await delivery!.kill();
    await receiver.open();
    await delivery!.start();
    const since = performance.now();
    await until('the waiting events', () => receiver.received.size === before + subjects, settledMs);
    const tookMs = [...receiver.received.values()].slice(before).map((at) => at - since);
    expect(Math.min(...tookMs)).toBeLessThan(firstDeliveryMs);
  });
});
