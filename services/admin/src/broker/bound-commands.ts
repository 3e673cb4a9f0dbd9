import { escaped, ManagementApi, TopologyNames, vhostOf } from '@receipts/messaging';
import type { IntegratorAccessOptions } from './integrator-access';

interface CommandBound extends Omit<IntegratorAccessOptions, 'publicUrl'> {
  /** The maximum size of one queue. */
  readonly bytesMax: number;
}

/**
 * Limits the queues of one-way commands, which grow while their owner is unavailable. The broker rejects commands
 * beyond the limit and drops none that it has confirmed. The limit is a policy because the arguments of a queue cannot be
 * changed. Idempotent.
 * @throws Error if the broker is unavailable or rejects the request
 */
export async function boundCommands({
  managementUrl,
  amqpUrl,
  platform,
  bytesMax,
}: CommandBound): Promise<void> {
  const names = new TopologyNames(platform);
  await new ManagementApi(managementUrl).call(
    'PUT',
    ['policies', vhostOf(amqpUrl), names.queue('commands-bounded')],
    {
      pattern: `^${escaped(names.queue(''))}[^.]+\\.commands$`,
      'apply-to': 'queues',
      definition: { 'max-length-bytes': bytesMax, overflow: 'reject-publish' },
    },
  );
}
