import type { Log } from '@receipts/kernel';

export interface BoundDeps {
  readonly boundCommands?: (() => Promise<void>) | undefined;
  readonly onBrokerConnected: (listener: () => void) => () => void;
  readonly log: Log;
}

const retryMs = 5_000;

/** Sets the limits of queues' lengths at the start and after each connect, as a broker that was reset has lost them. */
export function boundQueues({ boundCommands, onBrokerConnected, log }: BoundDeps): { stop(): void } {
  if (!boundCommands) {
    log.warn(
      'only a policy of the broker can limit the command queues, because BROKER_MANAGEMENT_URL is not set',
    );
    return { stop: () => undefined };
  }
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const bound = async () => {
    clearTimeout(timer);
    try {
      await boundCommands();
    } catch (error) {
      log.warn('the command queues could not be limited', { error });
      if (!stopped) timer = setTimeout(() => void bound(), retryMs).unref();
    }
  };
  const endListening = onBrokerConnected(() => void bound());
  void bound();
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
      endListening();
    },
  };
}
