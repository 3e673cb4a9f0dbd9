import type { Background } from '@receipts/host/open-service';
import { afterEachConnect, type AfterEachConnectOptions } from '../../broker/after-each-connect';
import type { Operations } from '../open-operations';

/** Sets the queue length limits after each connect, because a broker that was reset has lost them. */
export function limitQueues({
  broker,
  boundCommands,
  log,
}: Pick<AfterEachConnectOptions, 'broker' | 'log'> & Pick<Operations, 'boundCommands'>): Background {
  if (!boundCommands) {
    log.warn(
      'BROKER_MANAGEMENT_URL is not set: the command queues are limited only if the broker has a policy for them',
    );
    return { stop: () => undefined };
  }
  return afterEachConnect({
    broker,
    log,
    failure: 'the command queues could not be limited',
    run: async () => {
      await boundCommands();
      return true;
    },
  });
}
