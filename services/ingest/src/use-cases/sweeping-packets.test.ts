import type { Lease, Log } from '@receipts/storage';
import { sendAgainAfterMs, worldOfTests } from '../testing/world';
import type { Parts } from './parts';
import { sweepWaitingPackets } from './sweep-waiting-packets';
import { sweepingPackets } from './sweeping-packets';

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
    expect(await world.orders(id)).toHaveLength(1);
    world.aheadMs += sendAgainAfterMs + 1_000;
    const [, again] = await world.orders(id, 2);
    expect(again?.params.attempt).toBe(1);
    expect(await world.packet(id)).toMatchObject({ status: 'accepted', attempts: 1 });
  });
});

describe('by the clock', () => {
  const everyMs = 2_000;
  let said: string[];
  let isReleased: boolean;

  function sweeping() {
    [said, isReleased] = [[], false];
    const note = (text: string) => void said.push(text);
    const log: Log = { debug: note, info: note, warn: note, error: note };
    const release = async () => void (isReleased = true);
    const lease: Lease = { acquire: () => Promise.resolve(true), release };
    return sweepingPackets({ log } as Parts, lease);
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
    expect(sweep).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(everyMs);
    expect(said).toEqual([]);
    sweep.mockResolvedValue(3);
    await jest.advanceTimersByTimeAsync(everyMs);
    expect(sweep).toHaveBeenCalledTimes(2);
    expect(said).toEqual(['gave packets to conversion again']);
  });

  test('a sweep that fails is said, and the next one comes', async () => {
    sweep.mockRejectedValueOnce(new Error('away'));
    sweeping().start?.();
    await jest.advanceTimersByTimeAsync(2 * everyMs);
    expect(said).toEqual(['could not sweep waiting packets']);
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
