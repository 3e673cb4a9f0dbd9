import { createServer, type Socket } from 'node:net';
import { connect, type Channel } from 'amqplib';
import {
  listen,
  sharedRabbit,
  startTcpProxy,
  until,
  type RabbitForTests,
  type TcpProxy,
} from '@receipts/testing';
import { callOf, quietLog, sumsContracts, sumsHandlers } from '../../test/sums';
import { commandQueue, connectBroker } from '..';
import { SupervisedChannel, type ChannelPlan } from './supervised-channel';
import { SupervisedConnection } from './supervised-connection';

let rabbit: RabbitForTests;
let proxy: TcpProxy;
let url: string;
const log = quietLog();

beforeAll(async () => {
  rabbit = await sharedRabbit();
  const address = new URL(rabbit.url);
  proxy = await startTcpProxy(Number(address.port));
  address.port = String(proxy.port);
  url = address.href;
});
afterAll(async () => {
  await proxy?.close();
  await rabbit?.dispose();
});

async function onOwnChannel(task: (channel: Channel) => Promise<unknown>): Promise<void> {
  const connection = await connect(rabbit.url);
  await task(await connection.createChannel());
  await connection.close();
}

test('serves the other queues after a reconnect while one of them is rejected by the broker', async () => {
  const { owner: name, contracts } = sumsContracts();
  const options = { newQueueWaitMs: 0, retryDelaysMs: [50], log };
  const owner = await connectBroker({ ...options, url, service: 'owner' });
  const caller = await connectBroker({ ...options, url: rabbit.url, service: 'caller' });
  try {
    await owner.serve({ owner: name, contracts, handlers: sumsHandlers });
    let ups = 0;
    owner.onConnected(() => ups++);
    proxy.admit(false);
    proxy.cut();
    await until('the connection is lost', () => owner.state === 'down');
    const queue = `receipts.${commandQueue(name)}`;
    await onOwnChannel(async (channel) => {
      await channel.deleteQueue(queue);
      await channel.assertQueue(queue, { durable: true, arguments: { 'x-queue-type': 'classic' } });
    });
    proxy.admit(true);
    await until('the connection is up again', () => owner.state === 'up' && ups > 0);
    const before = ups;
    const answer = await caller.ask(contracts.find, { params: { id: '7' } }, callOf());
    expect(answer.body).toEqual({ id: '7' });
    expect(log.lines.join('\n')).toContain('"code":406');
    await onOwnChannel((channel) => channel.deleteQueue(queue));
    await until('the rejected queue is consumed', async () => {
      const [depth] = await caller.depth([commandQueue(name)]);
      return depth?.consumers === 1;
    });
    await until('the listeners are told that it was interrupted', () => ups > before);
  } finally {
    await Promise.all([owner.close({ graceMs: 100 }), caller.close()]);
  }
});

test.each([
  ['a lost connection', Object.assign(new Error('connect ETIMEDOUT'), { code: 'ETIMEDOUT' })],
  ['a queue without a leader', new Error('a queue does not accept messages')],
  ['a stopped node', Object.assign(new Error('NOT_FOUND'), { code: 404 })],
])('opens a channel once %s is over', async (_, error) => {
  const connection = new SupervisedConnection({ url, name: 'test', log, setup: async () => {} });
  let attempts = 0;
  const prepare = async () => {
    if (++attempts === 1) throw error;
  };
  const channel = new SupervisedChannel(connection, { name: 'test', prepare });
  try {
    await connection.start();
    await connection.open(channel);
    expect(attempts).toBe(2);
    expect(channel.canPublish).toBe(true);
  } finally {
    await connection.close();
  }
});

test('uses another address when one fails, and does not wait for one that is silent', async () => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => sockets.add(socket.on('error', () => {})));
  const proxies = await Promise.all([1, 2].map(() => startTcpProxy(Number(new URL(rabbit.url).port))));
  const hosts = [await listen(silent), ...proxies.map(({ port }) => port)].map((port) => `127.0.0.1:${port}`);
  const list = rabbit.url.replace(new URL(rabbit.url).host, hosts.join(','));
  const connection = new SupervisedConnection({ url: list, name: 'test', log, setup: async () => {} });
  try {
    await connection.start();
    for (const failing of proxies) {
      failing.admit(false);
      failing.cut();
      await until('the connection is up', () => {
        const used = connection.current?.address;
        return connection.state === 'up' && !used?.includes(String(failing.port));
      });
      failing.admit(true);
    }
  } finally {
    await connection.close();
    for (const socket of sockets) socket.destroy();
    silent.close();
    await Promise.all(proxies.map((each) => each.close()));
  }
});

test('uses another address when one is lost while the channels are being opened', async () => {
  const proxies = await Promise.all([1, 2].map(() => startTcpProxy(Number(new URL(rabbit.url).port))));
  const list = rabbit.url.replace(
    new URL(rabbit.url).host,
    proxies.map(({ port }) => `127.0.0.1:${port}`).join(','),
  );
  const connection = new SupervisedConnection({ url: list, name: 'test', log, setup: async () => {} });
  const used = () => proxies.find(({ port }) => connection.current?.address.includes(String(port)));
  let working: TcpProxy | undefined;
  const prepare = async () => {
    if (working && used() !== working) used()?.cut();
  };
  try {
    await connection.start();
    await connection.open(new SupervisedChannel(connection, { name: 'test', prepare }));
    working = used();
    working?.cut();
    await until('the connection is lost', () => connection.state === 'down');
    await until('the connection is up', () => connection.state === 'up' && used() === working);
  } finally {
    await connection.close();
    await Promise.all(proxies.map((each) => each.close()));
  }
});

test('is up again while a channel hangs in its opening', async () => {
  const connection = new SupervisedConnection({ url, name: 'test', log, setup: async () => {} });
  const opened = (plan: Partial<ChannelPlan>) => {
    const channel = new SupervisedChannel(connection, { name: 'test', ...plan });
    return connection.open(channel).then(() => channel);
  };
  try {
    await connection.start();
    let hangs = false;
    const working = await opened({});
    const hanging = await opened({ prepare: () => (hangs ? new Promise(() => {}) : Promise.resolve()) });
    hangs = true;
    proxy.cut();
    await until('the connection is lost', () => connection.state === 'down');
    await until('the connection is up again', () => connection.state === 'up');
    expect([working, hanging].map(({ current }) => current !== undefined)).toEqual([true, false]);
    await expect(opened({})).resolves.toMatchObject({ canPublish: true });
  } finally {
    await connection.close();
  }
});
