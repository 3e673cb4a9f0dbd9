import { randomBytes } from 'node:crypto';
import { connect } from 'amqplib';
import { notFound, ServiceError } from '@receipts/kernel';
import { sharedRabbit, startTcpProxy, until, type RabbitForTests, type TcpProxy } from '@receipts/testing';
import { callOf, quietLog, sumsContracts, sumsHandlers, thingHappened } from '../../test/sums';
import { commandQueue, connectBroker, on, deadLetterQueue, type Broker } from '..';

const reconnects = 30;
const boundMs = 240_000;

let rabbit: RabbitForTests;
let proxy: TcpProxy;
let owner: Broker;
let operator: Broker;
/** A separate platform, so that the test can compare all of its queues. */
const platform = `canaries-${randomBytes(4).toString('hex')}`;

beforeAll(async () => {
  rabbit = await sharedRabbit();
  const direct = new URL(rabbit.url);
  proxy = await startTcpProxy(Number(direct.port));
  const proxied = new URL(rabbit.url);
  proxied.port = String(proxy.port);
  const options = { log: quietLog(), platform, newQueueWaitMs: 0, retryDelaysMs: [50, 600_000] };
  owner = await connectBroker({ ...options, url: proxied.href, service: 'owner' });
  operator = await connectBroker({ ...options, url: direct.href, service: 'operator' });
});

afterAll(async () => {
  await Promise.all([owner?.close({ graceMs: 100 }), operator?.close()]);
  await proxy?.close();
  await rabbit?.dispose();
});

/** Sends a message that is not an envelope and has no id, as a foreign program might. */
async function sendForeign(queue: string): Promise<void> {
  const connection = await connect(rabbit.url);
  const channel = await connection.createConfirmChannel();
  channel.sendToQueue(`${platform}.${queue}`, Buffer.from('?'), { persistent: true });
  await channel.waitForConfirms();
  await connection.close();
}

test(
  'keeps exactly the listed messages in each dead-letter queue after 30 reconnects',
  async () => {
    const sums = sumsContracts();
    const commands = commandQueue(sums.owner);
    const events = `${sums.owner}.on-things`;
    const keep = async () => {
      throw new ServiceError(notFound);
    };
    await Promise.all([
      owner.serve({ ...sums, handlers: { ...sumsHandlers, keep } }),
      owner.subscribe({
        queue: events,
        subscriptions: [on(thingHappened(`${sums.owner}.happened`), async () => {})],
      }),
    ]);
    await operator.send(sums.contracts.keep, { body: { n: 1 } }, callOf());
    await sendForeign(commands);
    const count = async (queue: string) => (await operator.depth([deadLetterQueue(queue)]))[0]?.messages ?? 0;
    await until('both are dead letters', async () => (await count(commands)) === 2);

    let ups = 0;
    owner.onConnected(() => ups++);
    for (let cut = 0; cut < reconnects; cut++) {
      const before = ups;
      proxy.cut();
      await until('it is consumed from again', () => ups > before && owner.state === 'up');
    }
    for (const queue of [commands, events]) {
      const listed = (await operator.deadLetters.list(queue)).length;
      expect([queue, listed, await count(queue)]).toEqual([queue, ...(queue === commands ? [2, 2] : [0, 0])]);
    }
  },
  boundMs,
);
