import { connectBroker, type Broker } from '@receipts/messaging';
import { emptyRabbit, silentLog, until, type RabbitForTests } from '@receipts/testing';
import { hashedPassword, integratorAccess, type IntegratorAccess } from './integrator-access';

let rabbit: RabbitForTests;
let broker: Broker;
let access: IntegratorAccess;

const queue = { retailer: 'demo', name: 'shop', routingKeys: ['#'], passwordHash: hashedPassword('secret') };
const isOpen = () => access.isOpen('demo', 'shop');

beforeAll(async () => {
  rabbit = await emptyRabbit();
  access = integratorAccess({ managementUrl: String(rabbit.managementUrl), amqpUrl: rabbit.url });
  broker = await connectBroker({ url: rabbit.url, service: 'admin', log: silentLog, newQueueWaitMs: 0 });
  await until('the management API responds', () =>
    isOpen().then(
      () => true,
      () => false,
    ),
  );
});
afterEach(() => access.close('demo', 'shop'));
afterAll(async () => {
  await broker?.close({ graceMs: 1_000 });
  await rabbit?.dispose();
});

const pathOf = { queue: 'queues', permissions: 'permissions' } as const;

async function remove(part: keyof typeof pathOf): Promise<void> {
  const { origin, username, password } = new URL(String(rabbit.managementUrl));
  const vhost = new URL(rabbit.url).pathname.slice(1) || '%2F';
  const { queue: name } = access.namesOf('demo', 'shop');
  const { ok } = await fetch(`${origin}/api/${pathOf[part]}/${vhost}/${name}`, {
    method: 'DELETE',
    headers: { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` },
  });
  expect(ok).toBe(true);
}

it.each(['queue', 'permissions'] as const)(
  'is not open without its %s, and is opened again',
  async (part) => {
    expect(await isOpen()).toBe(false);
    await access.open(queue);
    expect(await isOpen()).toBe(true);
    await remove(part);
    expect(await isOpen()).toBe(false);
    await access.open(queue);
    expect(await isOpen()).toBe(true);
  },
);

it('is not taken for open if its creation is interrupted after the queue was lost', async () => {
  await access.open(queue);
  await remove('queue');
  const { fetch: request } = globalThis;
  const interrupted = jest.spyOn(globalThis, 'fetch').mockImplementation(async (...args) => {
    if (String(args[0]).includes('/bindings/')) throw new Error('connection reset');
    return request(...args);
  });
  await expect(access.open(queue)).rejects.toThrow('connection reset');
  interrupted.mockRestore();
  expect(await isOpen()).toBe(false);
});
