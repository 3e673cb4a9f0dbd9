import type { Background } from '@receipts/host/open-service';
import { silentLog } from '@receipts/testing';
import type { SubscriptionRecord } from '../domain/subscription';
import type { Registry } from '../open-registry';
import { playedAccess } from '../../testing/played-access';
import { restoreSubscriptions } from './restore-subscriptions';

const retryMs = 5_000;
const names = ['bakery', 'cafe', 'shop'];
const records = names.map((name): SubscriptionRecord => ({
  retailer: 'demo',
  name,
  types: ['*'],
  passwordHash: 'hash',
  status: 'ready',
  created: new Date(0),
}));
const access = playedAccess();
const restoreLease = { acquire: jest.fn<Promise<boolean>, []>(), release: jest.fn<Promise<void>, []>() };
const log = { ...silentLog, warn: jest.fn() };
let stored: readonly SubscriptionRecord[];
let restoring: Background;

const opened = () => [...access.queues.values()].map(({ name }) => name);

beforeEach(() => {
  jest.useFakeTimers();
  stored = records;
  access.queues.clear();
  access.fails = undefined;
  access.onOpened = async () => undefined;
  restoreLease.acquire.mockReset().mockResolvedValue(true);
  restoreLease.release.mockReset().mockResolvedValue();
  log.warn.mockClear();
});
afterEach(async () => {
  await restoring.stop();
  jest.useRealTimers();
});

async function start(): Promise<void> {
  const deps = {
    access,
    restoreLease,
    log,
    subscriptions: {
      async *allReady() {
        yield* stored;
      },
      find: async (_: string, name: string) => stored.find((record) => record.name === name),
    },
  };
  restoring = restoreSubscriptions(deps as unknown as Registry);
  restoring.start?.();
  await jest.advanceTimersByTimeAsync(0);
}

it('tries again until every queue exists, if the management interface is not up yet', async () => {
  access.fails = new Error('connection refused');
  await start();
  expect([opened(), log.warn.mock.calls.length]).toEqual([[], 1]);
  access.fails = undefined;
  await jest.advanceTimersByTimeAsync(retryMs);
  expect(opened()).toEqual(names);
});

it('restores the others if one queue cannot be restored, and tries that one again', async () => {
  access.onOpened = async () => {
    if (opened().includes('cafe')) return;
    access.queues.clear();
    throw new Error('connection reset');
  };
  await start();
  expect([opened(), log.warn.mock.calls.length]).toEqual([['cafe', 'shop'], 1]);
  await jest.advanceTimersByTimeAsync(retryMs);
  expect(opened()).toEqual(['cafe', 'shop', 'bakery']);
});

it('leaves no old password if a subscription is deleted and created again meanwhile', async () => {
  const [bakery, ...others] = records;
  access.onOpened = async () => {
    stored = [{ ...bakery!, passwordHash: 'new' }, ...others];
  };
  await start();
  const passwords = [...access.queues.values()].map(({ name, passwordHash }) => `${name} ${passwordHash}`);
  expect(passwords).toEqual(['bakery new', 'cafe hash', 'shop hash']);
  const { closed } = access;
  await jest.advanceTimersByTimeAsync(retryMs);
  expect(access.closed).toBe(closed);
});

it('runs again if the broker is lost during a run, and only after connects', async () => {
  access.onOpened = async () => {
    if (access.queues.size < 3) return;
    access.onOpened = async () => undefined;
    access.queues.clear();
    restoring.reconnected?.();
  };
  await start();
  expect(opened()).toEqual([]);
  await jest.advanceTimersByTimeAsync(retryMs);
  expect(opened()).toEqual(names);
  access.queues.clear();
  await jest.advanceTimersByTimeAsync(10 * retryMs);
  expect(opened()).toEqual([]);
});

it('renews its lease for each queue, and waits while another process has it', async () => {
  restoreLease.acquire.mockResolvedValueOnce(true).mockResolvedValueOnce(false);
  await start();
  expect([opened(), log.warn.mock.calls.length]).toEqual([['bakery'], 0]);
  await jest.advanceTimersByTimeAsync(retryMs);
  expect(opened()).toEqual(names);
  expect(restoreLease.acquire).toHaveBeenCalledTimes(2 + names.length);
});

it('gives up its lease when it fails, and when it is stopped', async () => {
  access.fails = new Error('connection refused');
  await start();
  expect(restoreLease.release).toHaveBeenCalledTimes(1);
  access.fails = undefined;
  access.onOpened = async () => void restoring.stop();
  restoring.reconnected?.();
  await jest.advanceTimersByTimeAsync(retryMs);
  expect(opened()).toEqual(['bakery']);
  expect(restoreLease.release).toHaveBeenCalledTimes(2);
});
