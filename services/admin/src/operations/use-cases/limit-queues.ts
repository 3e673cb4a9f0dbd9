import type { Operations } from '../open-operations';

const retryMs = 5_000;

/** Sets the queue length limits on startup and after each reconnect, because a broker that was reset has lost them. */
export function limitQueues({
  boundCommands,
  onConnected,
  log,
}: Pick<Operations, 'boundCommands' | 'onConnected' | 'log'>): { stop(): void } {
  if (!boundCommands) {
    log.warn(
      'BROKER_MANAGEMENT_URL is not set: the command queues are limited only if the broker has a policy for them',
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
  const endListening = onConnected(() => void bound());
  void bound();
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
      endListening();
    },
  };
}
