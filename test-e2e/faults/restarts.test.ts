import type { Child, Platform, ServiceName } from '@receipts/local';
import { commandQueue, connectBroker } from '@receipts/messaging';
import { silentLog, until } from '@receipts/testing';
import { acceptPackets } from '../chaos/ledger';
import { Client, newRetailer, type TestRetailer } from '../harness/client';
import { discard, ownPlatform } from '../harness/own-platform';
import { aReceipt } from '../harness/receipts';
import { Traffic, isBrokenConnection, postUntilAccepted, readAll } from '../harness/traffic';

const tills = 4;
const receiptsBetween = 20;
const boundMs = 300_000;
const recoveredWithinMs = 5_000;
/** Shorter than the time for which packets are postponed, which is most of a minute. */
const asideWithinMs = 30_000;
/** A built-in pause appears in every round; a pause caused by a busy machine does not. */
const roundsMax = 3;
const packetsBeforeKill = 12;
/** Without a pause, tills would leave no CPU time for the starting broker. */
const betweenPacketsMs = 50;

describe('a process that stops during traffic', () => {
  let platform: Platform;
  let retailer: TestRetailer;
  let traffic: Traffic;

  beforeAll(async () => {
    platform = await ownPlatform();
  });
  afterAll(() => discard(platform));

  // A retailer per test, because each test reads all receipts of its retailer.
  beforeEach(async () => {
    retailer = await newRetailer(platform.baseUrl, platform.secrets.operatorToken);
    traffic = new Traffic([retailer.api], tills);
  });
  afterEach(() => traffic.stop());

  const moreReceipts = async () => {
    const goal = traffic.accepted.size + receiptsBetween;
    await until(`${receiptsBetween} more receipts`, () => traffic.accepted.size >= goal);
  };

  const listed = async () =>
    new Map((await readAll(retailer.api)).map((receipt) => [receipt.transaction_id, receipt.id]));

  const expectNothingLost = async () => {
    await traffic.stop();
    const stored = await listed();
    for (const [transactionId, id] of traffic.accepted)
      expect([transactionId, stored.get(transactionId)]).toEqual([transactionId, id]);
  };

  const allListed = async () => {
    const stored = await listed();
    return [...traffic.accepted.keys()].every((transactionId) => stored.has(transactionId));
  };

  const expectReadable = async (ids: readonly string[]) => {
    for (const id of ids) expect((await retailer.api.get(`/receipts/${id}`)).status).toBe(200);
  };

  const services: ServiceName[] = [
    'gateway',
    'receipt-store',
    'admin',
    'ingest',
    'transform',
    'delivery',
    'identifier',
  ];

  it.each(services)(
    '%s, stopped and restarted: nothing accepted is lost',
    async (name) => {
      await moreReceipts();
      const [child] = platform.instances(name);
      await child?.stop();
      await child?.start();
      await moreReceipts();
      await expectNothingLost();
    },
    boundMs,
  );

  it.each(['gateway', 'receipt-store'] as const)(
    '%s, killed and restarted: nothing accepted is lost or stored twice',
    async (name) => {
      await moreReceipts();
      const [child] = platform.instances(name);
      await child?.kill();
      await child?.start();
      await moreReceipts();
      await traffic.stop();
      await expectReadable([...traffic.accepted.values()]);
      // Lists stop before the position of an unfinished write until it is certain that its process has crashed.
      await until('the position of a crashed writer to be settled', allListed);
      await expectNothingLost();
      const all = (await readAll(retailer.api)).map((receipt) => receipt.transaction_id);
      expect(new Set(all).size).toBe(all.length);
    },
    boundMs,
  );

  it(
    'the broker, stopped and restarted: accepted receipts and packets are stored',
    async () => {
      const locations: string[] = [];
      let posting = true;
      const poster = (async () => {
        for (let number = 0; posting; number++) {
          try {
            const answer = await retailer.api.call('/pos/receipts', {
              method: 'POST',
              body: JSON.stringify({ number }),
              headers: { 'content-type': 'application/json' },
            });
            if (answer.status === 202) locations.push(answer.headers.location as string);
          } catch (error) {
            if (!isBrokenConnection(error)) throw error;
          }
          await new Promise((resolve) => setTimeout(resolve, betweenPacketsMs));
        }
      })();
      await moreReceipts();
      await platform.broker.stop();
      await platform.broker.start();
      await moreReceipts();
      posting = false;
      await poster;
      await expectNothingLost();
      expect(locations.length).toBeGreaterThan(0);
      for (const location of locations) {
        const packet = `/pos/packets/${location.slice('/receipts/'.length)}`;
        await until(`packet ${packet}`, async () => (await retailer.api.get(packet)).status === 200);
      }
    },
    boundMs,
  );

  const postPacket = async (): Promise<string | undefined> => {
    try {
      const answer = await retailer.api.call('/pos/receipts', {
        method: 'POST',
        body: JSON.stringify(aReceipt()),
        headers: { 'content-type': 'application/json' },
      });
      return answer.status === 202 ? (answer.headers.location as string) : undefined;
    } catch (error) {
      if (!isBrokenConnection(error)) throw error;
      return undefined;
    }
  };
  const isConverted = async (location: string) => {
    try {
      return (await retailer.api.get(location)).status === 200;
    } catch (error) {
      if (!isBrokenConnection(error)) throw error;
      return false;
    }
  };
  const converted = (location: string) =>
    until(`the conversion of ${location}`, () => isConverted(location), boundMs);

  const everyService = (act: (child: Child) => Promise<void>) =>
    Promise.all(services.flatMap((name) => platform.instances(name)).map(act));
  /** Waits for the work, and resolves with the milliseconds from `since` to its end. */
  const msSince = async (since: number, work: Promise<unknown>) => {
    await work;
    return Math.round(performance.now() - since);
  };

  const faults = {
    'the broker': {
      kill: () => platform.broker.kill(),
      startServers: () => platform.broker.start(),
    },
    'the store': {
      kill: () => platform.database.kill(),
      startServers: () => platform.database.start(),
    },
    everything: {
      kill: () =>
        Promise.all([
          platform.broker.kill(),
          platform.database.kill(),
          everyService((child) => child.kill()),
        ]),
      startServers: () => Promise.all([platform.broker.start(), platform.database.start()]),
    },
  };

  /** Kills `fault` while packets wait for their conversion, restarts it, and measures from its first response. */
  const recovery = async (fault: keyof typeof faults) => {
    const { kill, startServers } = faults[fault];
    const posted = await Promise.all(Array.from({ length: packetsBeforeKill }, postPacket));
    await kill();
    const ready = fault === 'everything' ? everyService((child) => child.start()) : undefined;
    const [since] = await Promise.all([startServers().then(() => performance.now()), ready]);
    const waiting = posted.filter((location) => location !== undefined);
    expect(waiting.length).toBeGreaterThan(0);
    const [receipt, earlier, later] = await Promise.all([
      msSince(since, postUntilAccepted(retailer.api)),
      msSince(since, Promise.all(waiting.map(converted))),
      msSince(since, until('a packet to be accepted', postPacket, boundMs).then(converted)),
    ]);
    return { receipt, earlier, later };
  };
  const isQuick = (tookMs: Record<string, number>) =>
    Object.values(tookMs).every((ms) => ms <= recoveredWithinMs);

  it.each(['the broker', 'the store', 'everything'] as const)(
    '%s, killed under load and restarted: receipts and packets are processed within 5 s, nothing accepted is lost',
    async (fault) => {
      await acceptPackets(retailer.api);
      await moreReceipts();
      const rounds: Record<string, number>[] = [];
      while (rounds.length < roundsMax && !rounds.some(isQuick)) rounds.push(await recovery(fault));
      expect({ rounds, quick: rounds.some(isQuick) }).toEqual({ rounds, quick: true });
      await moreReceipts();
      await expectNothingLost();
    },
    2 * boundMs,
  );

  it(
    'packets postponed during a database outage are converted as soon as it ends',
    async () => {
      await acceptPackets(retailer.api);
      const broker = await connectBroker({
        url: platform.broker.url,
        platform: platform.name,
        service: 'test',
        log: silentLog,
      });
      try {
        await platform.database.kill();
        const posted = await Promise.all(Array.from({ length: packetsBeforeKill }, postPacket));
        const waiting = posted.filter((location) => location !== undefined);
        expect(waiting.length).toBeGreaterThan(0);
        const minuteQueue = `${commandQueue('ingest')}.retry.60s`;
        await until(
          'packets that wait for a minute',
          async () => ((await broker.depth([minuteQueue]))[0]?.messages ?? 0) > 0,
          boundMs,
        );
        await platform.database.start();
        const tookMs = await msSince(performance.now(), Promise.all(waiting.map(converted)));
        expect(tookMs).toBeLessThan(asideWithinMs);
      } finally {
        await broker.close();
      }
    },
    2 * boundMs,
  );

  it('after all of these reconnects, the status counts as many dead letters as the list shows', async () => {
    const operator = new Client(platform.baseUrl, {
      headers: { authorization: `Bearer ${platform.secrets.operatorToken}` },
    });
    const status = await operator.get('/operator/status');
    // Messages that are being read are briefly missing from the count, so the requests are sequential.
    const list = await operator.get('/operator/messages/dead-letters');
    const counted = (queues: { queue: string; dead_letters: number }[]) =>
      queues.map(({ queue, dead_letters }) => ({ queue, dead_letters }));
    expect(status.body.queues.length).toBeGreaterThan(0);
    expect(counted(status.body.queues)).toEqual(counted(list.body.queues));
  });
});
