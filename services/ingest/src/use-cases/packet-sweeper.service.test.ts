import type { Lease } from '@receipts/storage';
import type { Log } from '@receipts/kernel';
import { conversionRetryMs, worldOfTests } from '../testing/world';
import { sweepWaitingPackets } from './sweep-waiting-packets';
import { packetSweeper } from './packet-sweeper';

jest.mock('./sweep-waiting-packets', () => ({ sweepWaitingPackets: jest.fn() }));
const sweep = jest.mocked(sweepWaitingPackets);
const { sweepWaitingPackets: realSweep } = jest.requireActual<{
  sweepWaitingPackets: typeof sweepWaitingPackets;
}>('./sweep-waiting-packets');

describe('within the service', () => {
  const world = worldOfTests();
  beforeAll(() => void sweep.mockImplementation(realSweep));

  test('requests a pending conversion again, as the same attempt', async () => {
    const id = await world.post({ outcome: 'unknown' });
    expect(await world.conversionRequests(id)).toHaveLength(1);
    world.aheadMs += conversionRetryMs + 1_000;
    const [, again] = await world.conversionRequests(id, 2);
    expect(again?.params.attempt).toBe(1);
    expect(await world.packet(id)).toMatchObject({ status: 'accepted', attempts: 1 });
  });

  test('publishes the first event of a packet, and requests its conversion, once the broker accepts both again', async () => {
    world.broker.isAway = true;
    const id = await world.post({ outcome: 'unknown', call: { isOneWay: true } });
    const requested = world.broker.received.map(({ request }) => request.params);
    expect(requested).not.toContainEqual(expect.objectContaining({ id }));
    world.broker.isAway = false;
    world.broker.reconnect();
    expect(await world.conversionRequests(id)).toHaveLength(1);
    expect(await world.events(id)).toMatchObject([{ type: 'pos_receipt.accepted', sequence: 1 }]);
  });

  test('resends requests from before a broker outage once, right after the outage', async () => {
    const id = await world.post({ outcome: 'unknown' });
    expect(await world.conversionRequests(id)).toHaveLength(1);
    world.broker.reconnect();
    expect(await world.conversionRequests(id, 2)).toHaveLength(2);
    const later = await world.post({ outcome: 'unknown' });
    world.broker.reconnect();
    await world.conversionRequests(later, 2);
    expect(await world.conversionRequests(id, 2)).toHaveLength(2);
  });
});

describe('with a fake clock', () => {
  const everyMs = 2_000;
  let said: string[];
  let forward: Date[];
  let isReleased: boolean;

  function sweeping() {
    [said, forward, isReleased] = [[], [], false];
    const note = (text: string) => void said.push(text);
    const log: Log = { debug: note, info: note, warn: note, error: note };
    const release = async () => void (isReleased = true);
    const lease: Lease = { acquire: () => Promise.resolve(true), release };
    const makeDue = async (before: Date) => void forward.push(before);
    return packetSweeper({ log, now: () => new Date(), waitingPackets: { makeDue } } as never, lease);
  }

  beforeEach(() => {
    jest.useFakeTimers();
    sweep.mockReset();
    sweep.mockResolvedValue(0);
  });
  afterEach(() => jest.useRealTimers());

  test('sweeps repeatedly, and logs the result', async () => {
    const background = sweeping();
    background.start?.();
    await jest.advanceTimersByTimeAsync(0);
    expect(sweep).toHaveBeenCalledTimes(1);
    await jest.advanceTimersByTimeAsync(everyMs);
    expect(said).toEqual([]);
    sweep.mockResolvedValue(3);
    await jest.advanceTimersByTimeAsync(everyMs);
    expect(sweep).toHaveBeenCalledTimes(3);
    expect(said).toEqual(['requested the conversion of waiting packets again']);
  });

  test('resends earlier requests after a start and a reconnect until they succeed', async () => {
    const background = sweeping();
    background.start?.();
    await jest.advanceTimersByTimeAsync(everyMs);
    expect(forward).toHaveLength(1);
    sweep.mockReset();
    sweep.mockResolvedValue(0);
    background.reconnected();
    const at = new Date();
    await jest.advanceTimersByTimeAsync(0);
    expect(sweep).toHaveBeenCalledTimes(1);
    expect(forward).toEqual([forward[0], at]);
    await jest.advanceTimersByTimeAsync(everyMs);
    expect(forward).toHaveLength(2);
  });

  test('logs a failed sweep, and continues', async () => {
    sweep.mockRejectedValueOnce(new Error('away'));
    sweeping().start?.();
    await jest.advanceTimersByTimeAsync(everyMs);
    expect(said).toEqual(['waiting packets could not be processed']);
    expect(sweep).toHaveBeenCalledTimes(2);
  });

  test('runs one sweep at a time, and waits for it before releasing the lease when it stops', async () => {
    let end = (_: number) => {};
    sweep.mockReturnValue(new Promise((resolve) => (end = resolve)));
    const background = sweeping();
    background.start?.();
    await jest.advanceTimersByTimeAsync(3 * everyMs);
    expect(sweep).toHaveBeenCalledTimes(1);
    const stopped = background.stop() as Promise<void>;
    await jest.advanceTimersByTimeAsync(0);
    expect(isReleased).toBe(false);
    end(0);
    await stopped;
    expect(isReleased).toBe(true);
    await jest.advanceTimersByTimeAsync(3 * everyMs);
    expect(sweep).toHaveBeenCalledTimes(1);
  });
});
