import { sharedRabbit, startTcpProxy, type TcpProxy, until } from '@receipts/testing';
import { callOf, quietLog, sumsContracts, sumsHandlers } from '../test/sums';
import { connectBroker, type Broker } from '.';

let rabbit: Awaited<ReturnType<typeof sharedRabbit>>;
let proxy: TcpProxy;
let broker: Broker;
const log = quietLog();

beforeAll(async () => {
  rabbit = await sharedRabbit();
  const address = new URL(rabbit.url);
  proxy = await startTcpProxy(Number(address.port));
  address.port = String(proxy.port);
  // Heartbeats are off, so only the pulse can detect the hanging connection.
  address.searchParams.set('heartbeat', '0');
  broker = await connectBroker({ url: address.toString(), service: 'test', newQueueWaitMs: 0, log });
});
afterAll(async () => {
  await broker?.close({ graceMs: 100 });
  await proxy?.close();
  await rabbit?.dispose();
});

test('reopens connections without responses while the broker responds on others', async () => {
  const { owner, contracts } = sumsContracts();
  const kept: number[] = [];
  await broker.serve({
    owner,
    contracts,
    handlers: {
      add: async ({ body: { a, b } }) => ({ body: { sum: a + b }, meta: { created: true } }),
      keep: async ({ body: { n } }) => {
        kept.push(n);
        return {};
      },
      find: async ({ params }) => ({ body: { id: params.id } }),
      echo: async ({ body }) => ({ body }),
    },
  });
  const sum = () =>
    broker.ask(contracts.add, { body: { a: 1, b: 2 } }, callOf(500)).then(
      ({ body }) => body.sum === 3,
      () => false,
    );
  await until('it works', sum);
  proxy.freeze();
  await until('both connections are given up', () => givenUp() === 2);
  await until('it works again', sum);
  await broker.send(contracts.keep, { body: { n: 7 } }, callOf());
  await until('a command is done', () => kept.includes(7));
});

test('does not give up on a connection that takes long for much data', async () => {
  const { owner, contracts } = sumsContracts();
  const large = 'a lot of text '.repeat(1024 * 1024);
  const find: typeof sumsHandlers.find = async () => ({ body: { id: large } });
  // Its own connections may be given up if the machine is overloaded, which is not the question here.
  const direct = await connectBroker({
    url: rabbit.url,
    service: 'sums',
    newQueueWaitMs: 0,
    log: quietLog(),
  });
  const before = givenUp();
  try {
    await direct.serve({ owner, contracts, handlers: { ...sumsHandlers, find } });
    // About 3 MB per second.
    proxy.delay(20);
    const { body } = await broker.ask(contracts.find, { params: { id: '1' } }, callOf(60_000));
    expect(body.id).toHaveLength(large.length);
    expect(givenUp()).toBe(before);
  } finally {
    proxy.delay(0);
    await direct.close({ graceMs: 100 });
  }
});

const givenUp = () => log.lines.filter((line) => line.includes('is not responding')).length;
