import { escaped, Management, vhostOf } from './management';
import { Names } from './names';

export interface CommandBound {
  /** `http://user:password@host:15672`, of a user that may set policies. */
  readonly managementUrl: string;
  /** The address by which the services reach the broker; its path names the virtual host. */
  readonly amqpUrl: string;
  readonly platform?: string;
  /** Of one queue. */
  readonly bytesMax: number;
}

/**
 * Bounds the queues of confirmed commands, which wait for as long as their owner is away: what comes on top is refused, and
 * nothing that was confirmed goes. A policy, since the arguments of a queue can never be changed. The same again changes nothing.
 * @throws Error when the broker is away or refuses
 */
export async function boundCommands({
  managementUrl,
  amqpUrl,
  platform,
  bytesMax,
}: CommandBound): Promise<void> {
  const names = new Names(platform);
  await new Management(managementUrl).call(
    'PUT',
    ['policies', vhostOf(amqpUrl), names.queue('commands-bounded')],
    {
      pattern: `^${escaped(names.queue(''))}[^.]+\\.commands$`,
      'apply-to': 'queues',
      definition: { 'max-length-bytes': bytesMax, overflow: 'reject-publish' },
    },
  );
}
