import { connect } from 'amqplib';
import { sharedRabbit, until } from '@receipts/testing';
import { callOf, eventsOf, quietLog, sumsContracts, thingHappened } from '../../test/sums';
import { connectBroker, on, type Broker } from '..';
import { packEnvelope } from '../message/envelope';

let rabbit: Awaited<ReturnType<typeof sharedRabbit>>;
let broker: Broker;

beforeAll(async () => {
  rabbit = await sharedRabbit();
  const options = { retryDelaysMs: [50], newQueueWaitMs: 0, log: quietLog(), quarantineTimeoutMs: 200 };
  broker = await connectBroker({ url: rabbit.url, service: 'test', ...options });
});
afterAll(async () => {
  await broker?.close({ graceMs: 100 });
  await rabbit?.dispose();
});

const forEver = () => new Promise<never>(() => undefined);

/** Puts messages into the quarantine queue, as if they had been in flight when processes crashed. */
async function quarantine(queue: string, contents: readonly Buffer[]): Promise<void> {
  const connection = await connect(rabbit.url);
  const channel = await connection.createConfirmChannel();
  for (const content of contents) {
    channel.sendToQueue(`receipts.${queue}.quarantine`, content, { persistent: true, messageId: 'm' });
  }
  await channel.waitForConfirms();
  await connection.close();
}

test('dead-letters an event that hangs alone, without delaying other messages', async () => {
  const { owner } = sumsContracts();
  const contract = thingHappened(`${owner}.happened`);
  const queue = `${owner}.on-happened`;
  const received: number[] = [];
  const handle = async (events: readonly { readonly data: { readonly n: number } }[]) => {
    if (events.some(({ data }) => data.n === 0)) await forEver();
    received.push(...events.map(({ data }) => data.n));
  };
  await broker.subscribe({ queue, subscriptions: [on(contract, handle)] });
  const [hanging, innocent, other] = eventsOf(contract, 3);
  await quarantine(
    queue,
    [hanging, innocent].map((event) => Buffer.from(event?.text ?? '')),
  );
  await broker.publish([other!]);
  await until('the others are handled', () => received.length === 2);
  expect(received.sort()).toEqual([1, 2]);
  await until('it is dead-lettered', async () => (await broker.deadLetters.list(queue)).length === 1);
  expect((await broker.deadLetters.list(queue))[0]).toMatchObject({
    id: hanging?.id,
    reason: expect.stringMatching(/took longer/) as string,
  });
});

test('dead-letters a command that hangs alone, without delaying other messages', async () => {
  const { owner, contracts } = sumsContracts();
  const kept: number[] = [];
  await broker.serve({
    owner,
    contracts,
    handlers: {
      add: forEver,
      find: forEver,
      echo: forEver,
      keep: async ({ body: { n } }) => {
        if (n === 0) await forEver();
        kept.push(n);
        return {};
      },
    },
  });
  const envelopes = [0, 1].map((n) => {
    const body = Buffer.from(JSON.stringify({ n }));
    const head = { id: 1, type: contracts.keep.name, args: {}, call: callOf(), n: body.length };
    return packEnvelope([{ head: JSON.stringify(head), body }]);
  });
  await quarantine(`${owner}.commands`, envelopes);
  await broker.send(contracts.keep, { body: { n: 2 } }, callOf());
  await until('the others are done', () => kept.length === 2);
  expect(kept.sort()).toEqual([1, 2]);
  const deadLetters = () => broker.deadLetters.list(`${owner}.commands`);
  await until('it is dead-lettered', async () => (await deadLetters()).length === 1);
  expect((await deadLetters())[0]?.reason).toMatch(/took longer/);
});
