import type { WaitingPacket } from '../storage/waiting-packets';
import type { Dependencies } from './dependencies';
import { sweepWaitingPackets } from './sweep-waiting-packets';

const mebibyte = 1024 * 1024;

interface Options {
  /** The number of waiting messages by queue. */
  readonly waiting?: Readonly<Record<string, number>>;
  readonly refused?: string[];
}

/** Waiting packets, and a broker that accepts only those that the test allows. */
function world(sizes: readonly number[], { waiting: depths = {}, refused = [] as string[] }: Options = {}) {
  let waiting: WaitingPacket[] = sizes.map((size, n) => ({
    _id: `${n}`,
    size,
    retries: 0,
    retryAt: new Date(0),
  }));
  let [inHand, inHandMax, packets, packetsMax] = [0, 0, 0, 0];
  const sent: string[] = [];
  const deps = {
    packets: {
      async findWhole(id: string) {
        inHand += sizes[Number(id)] ?? 0;
        inHandMax = Math.max(inHandMax, inHand);
        packetsMax = Math.max(packetsMax, ++packets);
        await new Promise((resolve) => setImmediate(resolve));
        const facts = { _id: id, status: 'accepted', attempts: 1, receivedAt: new Date(0) };
        return { ...facts, properties: '{}', attachments: [], raw: {} };
      },
    },
    waitingPackets: {
      due: (_: Date, countMax: number) => Promise.resolve(waiting.slice(0, countMax)),
      recordRetries: (packets: readonly WaitingPacket[]) => {
        waiting = waiting.filter((packet) => !packets.includes(packet));
        return Promise.resolve();
      },
    },
    broker: {
      publish: () => Promise.resolve([true]),
      depth: (queues: readonly string[]) =>
        Promise.resolve(queues.map((queue) => ({ queue, messages: depths[queue] ?? 0, consumers: 1 }))),
      send: (_: unknown, { params }: { params: { id: string } }) => {
        inHand -= sizes[Number(params.id)] ?? 0;
        packets--;
        if (refused.includes(params.id)) return Promise.reject(new Error('away'));
        sent.push(params.id);
        return Promise.resolve();
      },
    },
    now: () => new Date(0),
    conversionRetryMs: 30_000,
  };
  const left = () => waiting.length;
  const most = () => ({ bytes: inHandMax, packets: packetsMax });
  return { deps: deps as unknown as Dependencies, sent, left, most };
}

// The contents of these documents do not matter.
jest.mock('../storage/packet-document', () => ({
  bytesOf: () => Buffer.alloc(0),
  acceptedEventOf: () => ({}),
}));

test('requests the conversion of all pending packets, page by page', async () => {
  const { deps, sent, left } = world(Array.from({ length: 250 }, () => 1));
  expect(await sweepWaitingPackets(deps)).toBe(250);
  expect(new Set(sent).size).toBe(250);
  expect(left()).toBe(0);
});

test('limits the bytes in memory, regardless of the size of packets', async () => {
  const { deps, sent, most } = world(Array.from({ length: 20 }, () => 2 * mebibyte));
  await sweepWaitingPackets(deps);
  expect(sent).toHaveLength(20);
  expect(most().bytes).toBeLessThanOrEqual(4 * mebibyte);
  const huge = world([15 * mebibyte]);
  expect(await sweepWaitingPackets(huge.deps)).toBe(1);
});

test('limits the packets in memory, even if they are small', async () => {
  const { deps, sent, most } = world(Array.from({ length: 20 }, () => 1));
  await sweepWaitingPackets(deps);
  expect(sent).toHaveLength(20);
  expect(most().packets).toBe(8);
});

test.each(['transform', 'receipt-store', 'ingest'])(
  'requests nothing again while packets or outcomes wait for %s',
  async (owner) => {
    const { deps, sent } = world([1, 1], { waiting: { [`${owner}.commands`]: 101 } });
    expect(await sweepWaitingPackets(deps)).toBe(0);
    expect(sent).toEqual([]);
  },
);

test('keeps packets pending if the broker does not accept them', async () => {
  const { deps, left } = world([1, 1, 1], { refused: ['1'] });
  expect(await sweepWaitingPackets(deps)).toBe(2);
  expect(left()).toBe(1);
});

test('sweeps in one process at a time', async () => {
  const { deps, sent } = world([1]);
  expect(await sweepWaitingPackets(deps, { acquire: () => Promise.resolve(false) })).toBe(0);
  expect(sent).toEqual([]);
});
