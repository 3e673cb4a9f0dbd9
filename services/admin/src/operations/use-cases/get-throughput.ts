import { timestampOf } from '@receipts/kernel';
import type { HandlerOf, Operations } from '../open-operations';
import { intervalMs } from '../domain/throughput';

export function getThroughput(deps: Operations): HandlerOf<'getThroughput'> {
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
