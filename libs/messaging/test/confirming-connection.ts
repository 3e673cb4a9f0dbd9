import { EventEmitter } from 'node:events';
import type { Connection } from '../src/connection/connection';
import { TopologyNames } from '../src/topology/topology-names';
import type { BrokerContext } from '../src/topology/broker-context';
import { quietLog } from './sums';

/**
 * A connection to a broker that confirms only on channels that were opened after the queue had its present leader.
 * @param closes false if the broker does not respond to the end of a channel
 */
export function confirmingConnection(newChannelsWork: () => boolean, closes = true) {
  const openChannel = async () => {
    const works = newChannelsWork();
    const send = (...args: unknown[]) => {
      if (works) (args.at(-1) as (error: null) => void)(null);
      return true;
    };
    const channel: EventEmitter = Object.assign(new EventEmitter(), {
      publish: send,
      sendToQueue: send,
      close: () => (closes ? Promise.resolve(void channel.emit('close')) : new Promise(() => {})),
    });
    return channel;
  };
  const state = { isLost: false, isBlocked: false, destroy: jest.fn(), close: async () => {} };
  return Object.assign(state, {
    lost: new Promise(() => {}),
    model: Object.assign(new EventEmitter(), { createConfirmChannel: openChannel }),
    closeChannel: async () => {},
    checkQueue: async () => ({ messageCount: 0, consumerCount: 1 }),
    withChannel: async () => {},
  }) as unknown as Connection & { readonly destroy: jest.Mock };
}

/** The parts of a broker client that publishes on this connection, and consumes nothing. */
export function publishingOn(connection: Connection): BrokerContext {
  const log = quietLog();
  const publishing = {
    log,
    state: 'up',
    current: connection,
    changed: () => {},
    open: (channel: { open(on: Connection): Promise<void> }) => channel.open(connection),
  };
  const consuming = { current: undefined, open: async () => {} };
  const context = { names: new TopologyNames(), service: 'test', publishing, consuming, log };
  return { ...context, metrics: {}, now: Date.now } as unknown as BrokerContext;
}
