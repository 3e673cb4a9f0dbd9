import type { adminContracts } from '@receipts/contracts';
import { timestampOf, type Handler } from '@receipts/kernel';
import { intervalMs, type Throughput } from '../domain/throughput';

export function getThroughput(deps: {
  readonly throughput: Throughput;
  readonly now: () => Date;
}): Handler<(typeof adminContracts)['getThroughput']> {
  const { throughput } = deps;
  return async () => {
    const now = deps.now().getTime();
    const services = throughput.services.map((service) => ({
      service,
      points: throughput
        .of(service, now)
        .map(({ at, ...work }) => ({ timestamp: timestampOf(new Date(at)), ...work })),
    }));
    return { body: { interval_seconds: intervalMs / 1000, services } };
  };
}
