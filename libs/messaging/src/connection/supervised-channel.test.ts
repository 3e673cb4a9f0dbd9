import { EventEmitter } from 'node:events';
import type { Connection } from './connection';
import { quietLog } from '../../test/sums';
import { SupervisedChannel } from './supervised-channel';

const message = { exchange: '', key: 'sums.requests', content: Buffer.alloc(1), properties: {} };

/** An open channel whose buffer is full after each message until it is drained. */
async function openChannel() {
  const model = Object.assign(new EventEmitter(), { publish: () => false });
  const connection = {
    lost: new Promise(() => {}),
    isLost: false,
    model: { createChannel: async () => model },
  };
  const changed = jest.fn();
  const current = connection as unknown as Connection;
  const channel = new SupervisedChannel({ log: quietLog(), state: 'up', current, changed }, { name: 'test' });
  await channel.open(current);
  changed.mockClear();
  return { channel, model, changed };
}

test('accepts no messages while its buffer is full, and reports when it is drained', async () => {
  const { channel, model, changed } = await openChannel();
  expect(channel.canPublish).toBe(true);
  channel.publish(message);
  expect(channel.canPublish).toBe(false);
  model.emit('drain');
  expect(channel.canPublish).toBe(true);
  expect(changed).toHaveBeenCalledTimes(1);
});

test('fails to publish on a closed channel', async () => {
  const { channel, model } = await openChannel();
  model.emit('close');
  expect(channel.canPublish).toBe(false);
  expect(() => channel.publish(message)).toThrow('the channel test is closed');
});

describe('reopening', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  test('does not wait for an attempt that hangs, but gives each more time than the one before', async () => {
    const open = jest.fn(async () => Object.assign(new EventEmitter(), { close: async () => {} }));
    const connection = {
      lost: new Promise(() => {}),
      isLost: false,
      model: { createChannel: open },
      closeChannel: async () => {},
    } as unknown as Connection;
    const host = { log: quietLog(), state: 'up' as const, current: connection, changed: jest.fn() };
    const channel = new SupervisedChannel(host, { name: 'test' });
    await channel.open(connection);
    const [first] = await Promise.all(open.mock.results.map(({ value }) => value));
    const hanging = new Promise<never>(() => {});
    open.mockReturnValueOnce(hanging).mockReturnValueOnce(hanging);
    first?.emit('close');
    await jest.advanceTimersByTimeAsync(3_000);
    expect([open.mock.calls.length, channel.current]).toEqual([2, undefined]);
    await jest.advanceTimersByTimeAsync(6_000);
    expect([open.mock.calls.length, channel.current]).toEqual([3, undefined]);
    await jest.advanceTimersByTimeAsync(1_000);
    expect([open.mock.calls.length, channel.current !== undefined]).toEqual([4, true]);
  });
});
