import { EventEmitter } from 'node:events';
import type { Connection } from '../connection/connection';
import type { BrokerContext } from '../topology/broker-context';
import { TopologyNames } from '../topology/topology-names';
import { quietLog } from '../../test/sums';
import { ConfirmedPublisher } from './confirmed-publisher';

/** A broker that confirms only on channels that were opened after the queue had its present leader. */
function aBroker(newChannelsWork: () => boolean) {
  const opened: EventEmitter[] = [];
  const openChannel = async () => {
    const works = newChannelsWork();
    const send = (...args: unknown[]) => {
      if (works) (args.at(-1) as (error: null) => void)(null);
      return true;
    };
    const channel = Object.assign(new EventEmitter(), {
      publish: send,
      sendToQueue: send,
      close: async () => void channel.emit('close'),
    });
    opened.push(channel);
    return channel;
  };
  const connection = {
    isLost: false,
    isBlocked: false,
    lost: new Promise(() => {}),
    model: Object.assign(new EventEmitter(), { createConfirmChannel: openChannel }),
    closeChannel: (channel: { close(): Promise<void> }) => channel.close(),
    checkQueue: async () => ({ messageCount: 0, consumerCount: 1 }),
  } as unknown as Connection;
  const log = quietLog();
  const publishing = {
    log,
    state: 'up',
    current: connection,
    changed: () => {},
    open: (channel: { open(on: Connection): Promise<void> }) => channel.open(connection),
  };
  const context = { names: new TopologyNames(), publishing, log, metrics: {}, now: Date.now };
  return { publisher: new ConfirmedPublisher(context as unknown as BrokerContext, { name: 'test' }), opened };
}

const message = (exchange: string) => ({
  exchange,
  key: 'receipts.sums.requests',
  content: Buffer.alloc(1),
  properties: { messageId: '1' },
});

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** The outcome of a message, and after which time. */
async function outcomeOf(exchange: string, newChannelsWork: () => boolean) {
  const { publisher } = aBroker(newChannelsWork);
  await publisher.start();
  const began = Date.now();
  let found: { outcome: string; ms: number } | undefined;
  void publisher
    .publish('request', message(exchange))
    .then((outcome) => (found = { outcome, ms: Date.now() - began }));
  await jest.advanceTimersByTimeAsync(20_000);
  return found;
}

it('replaces a channel that waits for a leader that another channel does not wait for', async () => {
  let opened = 0;
  const found = await outcomeOf('', () => opened++ > 0);
  expect(found?.outcome).toBe('unknown');
  expect(found?.ms).toBeLessThan(3_000);
});

it('gives a queue that confirms on no channel more time', async () => {
  const found = await outcomeOf('', () => false);
  expect(found?.outcome).toBe('unknown');
  expect(found?.ms).toBeGreaterThanOrEqual(5_000);
});

it('does not look for a queue of an event, which may have any number of them', async () => {
  let opened = 0;
  const found = await outcomeOf('receipts.events', () => opened++ > 0);
  expect(found?.ms).toBeGreaterThanOrEqual(5_000);
});
