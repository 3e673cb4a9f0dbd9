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

describe('in the service', () => {
  const world = worldOfTests();
  beforeAll(() => void sweep.mockImplementation(realSweep));

  test('what nobody converts is ordered again, as the same attempt', async () => {
    const id = await world.post({ outcome: 'unknown' });
    expect(await world.conversionRequests(id)).toHaveLength(1);
    world.aheadMs += conversionRetryMs + 1_000;
    const [, again] = await world.conversionRequests(id, 2);
    expect(again?.params.attempt).toBe(1);
    expect(await world.packet(id)).toMatchObject({ status: 'accepted', attempts: 1 });
  });

  test('what was ordered before the broker was away is ordered again as soon as it is back, once', async () => {
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

describe('by the clock', () => {
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

  test('it sweeps again and again, and says when there was something', async () => {
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

  test('at start and after a reconnect it brings forward what was accepted before, until that has succeeded', async () => {
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

  test('a sweep that fails is said, and the next one comes', async () => {
    sweep.mockRejectedValueOnce(new Error('away'));
    sweeping().start?.();
    await jest.advanceTimersByTimeAsync(everyMs);
    expect(said).toEqual(['waiting packets could not be processed']);
    expect(sweep).toHaveBeenCalledTimes(2);
  });

  test('one sweep at a time; the end waits for it, gives the lease back, and nothing comes afterwards', async () => {
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
