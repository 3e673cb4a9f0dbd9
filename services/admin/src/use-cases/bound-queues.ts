import type { Log } from '@receipts/kernel';

export interface BoundDeps {
  readonly boundCommands?: (() => Promise<void>) | undefined;
  readonly onUp: (listener: () => void) => () => void;
  readonly log: Log;
}

const retryMs = 5_000;

/** Sets the limits of queues' lengths at the start and after each connect, as a broker that was reset has lost them. */
export function boundQueues({ boundCommands, onUp, log }: BoundDeps): { stop(): void } {
  if (!boundCommands) {
    log.warn(
      'the queues of commands are bounded by a policy of the broker only, as there is no BROKER_MANAGEMENT_URL',
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
      log.warn('the queues of commands could not be bounded', { error });
      if (!stopped) timer = setTimeout(() => void bound(), retryMs).unref();
    }
  };
  const endListening = onUp(() => void bound());
  void bound();
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
      endListening();
    },
  };
}
