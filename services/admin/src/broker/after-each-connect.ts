import { RetriedTask, type RetriedTaskOptions } from '@receipts/concurrency';
import type { Background } from '@receipts/host/open-service';

/** The management API may accept requests only some time after the broker accepts connections. */
const retryMs = 5_000;

/** Runs a task when it is started and after each connect to the broker, each time until it succeeds. */
export function afterEachConnect(
  task: Pick<RetriedTaskOptions, 'run' | 'log' | 'failure'>,
): Required<Background> {
  const retried = new RetriedTask({ ...task, retryFirstMs: retryMs, retryMaxMs: retryMs });
  const request = () => retried.request();
  return { start: request, reconnected: request, stop: () => retried.stop() };
}
