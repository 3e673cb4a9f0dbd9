import type { Background } from '@receipts/host/open-service';
import { afterEachConnect } from '../../broker/after-each-connect';
import type { Operations } from '../open-operations';

/** Sets the queue length limits after each connect, because a broker that was reset has lost them. */
export function limitQueues({ boundCommands, log }: Pick<Operations, 'boundCommands' | 'log'>): Background {
  if (!boundCommands) {
    log.warn(
      'BROKER_MANAGEMENT_URL is not set: the command queues are limited only if the broker has a policy for them',
    );
    return { stop: () => undefined };
  }
  return afterEachConnect({
    log,
    failure: 'the command queues could not be limited',
    run: async () => {
      await boundCommands();
      return true;
    },
  });
}
