import { RetriedTask, type RetriedTaskOptions } from '@receipts/concurrency';
import type { Background } from '@receipts/host/open-service';
import type { Broker } from '@receipts/messaging';

/** The management API may accept requests only some time after the broker accepts connections. */
const retryMs = 5_000;

export interface AfterEachConnectOptions extends Pick<RetriedTaskOptions, 'run' | 'log' | 'failure'> {
  readonly broker: Pick<Broker, 'onConnected'>;
}

/** Runs a task when it is started and after each connect to the broker, each time until it succeeds. */
export function afterEachConnect({ broker, ...task }: AfterEachConnectOptions): Required<Background> {
  const retried = new RetriedTask({ ...task, retryFirstMs: retryMs, retryMaxMs: retryMs });
  let endListening: (() => void) | undefined;
  return {
    start() {
      endListening = broker.onConnected(() => retried.request());
      retried.request();
    },
    stop() {
      endListening?.();
      return retried.stop();
    },
  };
}
