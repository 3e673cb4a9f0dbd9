import { type Rabbit, startRabbit, until } from '@receipts/testing';
import { callOf, quietLog, sumsContracts } from '../test/sums';
import { commandQueue, connectBroker, type Broker } from '.';

/** The policy is made with the broker's own tool, so these tests have a broker of their own. */
let rabbit: Rabbit;
const opened: Broker[] = [];

beforeAll(async () => {
  rabbit = await startRabbit();
});
afterAll(async () => {
  await Promise.all(opened.map((broker) => broker.close({ graceMs: 1_000 })));
  await rabbit?.dispose();
});

async function connected(service: string): Promise<Broker> {
  const broker = await connectBroker({ url: rabbit.url, service, log: quietLog(), newQueueWaitMs: 0 });
  opened.push(broker);
  return broker;
}

const messagesMax = 20;

test('a queue that may not grow refuses what comes on top with 503, and loses nothing that it took', async () => {
  const sums = sumsContracts();
  const queue = commandQueue(sums.owner);
  const kept = new Set<string>();
  const serve = async () => {
    const owner = await connected('owner');
    return owner.serve({
      ...sums,
      handlers: {
        keep: async (_, call) => {
          kept.add(call.id);
          return {};
        },
        add: async () => ({ body: { sum: 0 }, meta: { created: true } }),
        find: async ({ params }) => ({ body: { id: params.id } }),
        echo: async ({ body }) => ({ body }),
      },
    });
  };
  // The owner makes its queue, and is away while it fills.
  await (await serve()).close(1_000);
  const bound = JSON.stringify({ 'max-length': messagesMax, overflow: 'reject-publish' });
  const pattern = `^receipts\\.${queue.replaceAll('.', '\\.')}$`;
  await rabbit.control('set_policy', '--apply-to', 'queues', 'bounded', pattern, bound);

  const caller = await connected('caller');
  const taken: string[] = [];
  const send = async () => {
    const call = callOf(60_000);
    await caller.send(sums.contracts.keep, { body: { n: 1 } }, call);
    taken.push(call.id);
  };
  const refusal = await until('the queue is full', () =>
    send().then(
      () => undefined,
      (error: unknown) => error as object,
    ),
  );
  expect(refusal).toMatchObject({ status: 503, code: 'unavailable', headers: { 'retry-after': '1' } });
  // The broker says so a moment late, and never early.
  expect(taken.length).toBeGreaterThanOrEqual(messagesMax);

  await serve();
  await until('what was taken is done', () => taken.every((id) => kept.has(id)));
  await until('there is room again', () =>
    send().then(
      () => true,
      () => false,
    ),
  );
  await until('and that is done too', () => taken.every((id) => kept.has(id)));
});
