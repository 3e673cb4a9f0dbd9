import type { InstanceReport } from '@receipts/host';
import type { Operations } from '../open-operations';

export function onInstanceReported({
  instances,
  throughput,
  now,
}: Pick<Operations, 'instances' | 'throughput' | 'now'>) {
  return async (events: readonly { readonly data: InstanceReport }[]): Promise<void> => {
    for (const { data } of events) {
      instances.note(data, now().getTime());
      throughput.note(data, now().getTime());
    }
  };
}
