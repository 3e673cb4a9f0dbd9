import { z } from 'zod';
import { defineCommand, json } from '@receipts/kernel';
import { connectBroker, type Broker } from '@receipts/messaging';
import { callOf, emptyRabbit, silentLog, type RabbitForTests, until } from '@receipts/testing';
import { boundCommands } from './bound-commands';

const keep = defineCommand(
  {
    name: 'sums.keep-number',
    summary: 'A number',
    description: 'For tests.',
    body: json(z.object({ n: z.number() })),
  },
  { oneWay: () => true },
);

/** The policy applies to all queues of a virtual host, so these tests have their own. */
let rabbit: RabbitForTests;
const opened: Broker[] = [];

beforeAll(async () => {
  rabbit = await emptyRabbit();
});
afterAll(async () => {
  await Promise.all(opened.map((broker) => broker.close({ graceMs: 1_000 })));
  await rabbit?.dispose();
});

async function connected(service: string): Promise<Broker> {
  const broker = await connectBroker({ url: rabbit.url, service, log: silentLog, newQueueWaitMs: 0 });
  opened.push(broker);
  return broker;
}

const bytesMax = 20_000;
/** A lower bound on the number of messages that fit, because each is smaller than 1,000 bytes. */
const messagesMin = 20;

test('a full queue rejects further messages with 503, and loses no accepted message', async () => {
  const kept = new Set<string>();
  const serve = async () => {
    const owner = await connected('owner');
    return owner.serve({
      owner: 'sums',
      contracts: { keep },
      handlers: {
        keep: async (_, call) => {
          kept.add(call.id);
          return {};
        },
      },
    });
  };
  // The owner creates its queue and is down while the queue fills.
  await (await serve()).close(1_000);
  await until('the queue is bounded', () =>
    // The management API starts a moment later than the broker.
    boundCommands({ managementUrl: String(rabbit.managementUrl), amqpUrl: rabbit.url, bytesMax }).then(
      () => true,
      () => false,
    ),
  );

  const caller = await connected('caller');
  const taken: string[] = [];
  const send = async () => {
    const call = callOf('demo', { deadline: Date.now() + 60_000 });
    await caller.send(keep, { body: { n: 1 } }, call);
    taken.push(call.id);
  };
  const refusal = await until('the queue is full', () =>
    send().then(
      () => undefined,
      (error: unknown) => error as object,
    ),
  );
  expect(refusal).toMatchObject({ status: 503, code: 'unavailable', headers: { 'retry-after': '1' } });
  // The broker may enforce the limit slightly late, but never early.
  expect(taken.length).toBeGreaterThanOrEqual(messagesMin);

  await serve();
  await until('the accepted commands are done', () => taken.every((id) => kept.has(id)));
  await until('the queue accepts commands again', () =>
    send().then(
      () => true,
      () => false,
    ),
  );
  await until('the new command is done as well', () => taken.every((id) => kept.has(id)));
});
