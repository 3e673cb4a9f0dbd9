import { escaped, ManagementApi, TopologyNames, vhostOf } from '@receipts/messaging';

export interface CommandBound {
  /** `http://user:password@host:15672`; the user must be allowed to set policies. */
  readonly managementUrl: string;
  /** The URL by which the services reach the broker; its path contains the virtual host. */
  readonly amqpUrl: string;
  readonly platform?: string;
  /** The maximum size of one queue. */
  readonly bytesMax: number;
}

/**
 * Limits the queues of confirmed commands, which grow while their owner is unavailable. The broker rejects commands
 * beyond the limit and drops no confirmed commands. The limit is a policy because the arguments of a queue cannot be
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
