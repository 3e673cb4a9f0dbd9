import { until } from '@receipts/testing';
import { vhostOf } from '@receipts/messaging';
import { aRetailer, operator, sharedPlatform } from './harness/shared-platform';

interface Queue {
  readonly name: string;
  readonly exclusive: boolean;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The queues of the whole platform, as RabbitMQ lists them. */
async function queues(): Promise<Queue[]> {
  const { amqpUrl, managementUrl } = sharedPlatform();
  const { origin, username, password } = new URL(managementUrl);
  const listed = await fetch(`${origin}/api/queues/${encodeURIComponent(vhostOf(amqpUrl))}`, {
    headers: { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` },
  });
  return (await listed.json()) as Queue[];
}

/**
 * Newer brokers drop a message of a quorum queue after twenty deliveries, without a trace, unless the queue says
 * otherwise.
 */
it('declares every lasting queue with a delivery limit and a target for what exceeds it', async () => {
  const [api, { id }] = await Promise.all([operator(), aRetailer()]);
  const { status, body } = await api.post(`/operator/retailers/${id}/subscriptions`, { name: 'declared' });
  expect(status).toBe(201);
  const found = await until('the queue is listed', async () => {
    const all = await queues();
    return all.some(({ name }) => name === body.queue) && all;
  });
  const prefix = String(body.queue).split('.')[0];
  const lasting = found.filter(({ name, exclusive }) => name.startsWith(`${prefix}.`) && !exclusive);
  expect(lasting.length).toBeGreaterThan(70);
  const without = (argument: string) =>
    lasting
      .filter((queue) => queue.arguments[argument] === undefined)
      .map(({ name }) => name.split('.').at(-1));
  const haveTheirType = lasting.every(
    ({ name, arguments: { 'x-queue-type': type } }) =>
      type === (/\.(requests|queries)$/.test(name) ? 'classic' : 'quorum'),
  );
  expect(haveTheirType).toBe(true);
  expect([...new Set(without('x-delivery-limit'))].sort()).toEqual(['queries', 'requests']);
  // Requests and pulses are worthless a few seconds later, and dead letters are read, never handled.
  expect([...new Set(without('x-dead-letter-exchange'))].sort()).toEqual([
    'dead-letters',
    'pulse',
    'queries',
    'requests',
    'standby',
  ]);
});
