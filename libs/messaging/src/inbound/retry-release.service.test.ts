import { notFound, ServiceError, unavailable } from '@receipts/kernel';
import { sharedRabbit, until, type RabbitForTests } from '@receipts/testing';
import { callOf, eventsOf, quietLog, sumsContracts, sumsHandlers, thingHappened } from '../../test/sums';
import { commandQueue, connectBroker, on, type Broker } from '..';

const trialMs = 300;
/** No message in the second step returns on its own within this test. */
const longStepMs = 600_000;
const count = 30;

let rabbit: RabbitForTests;
const brokers: Broker[] = [];

const connected = async () => {
  const options = { log: quietLog(), newQueueWaitMs: 0, retryDelaysMs: [trialMs, longStepMs] };
  const broker = await connectBroker({ url: rabbit.url, service: 'test', ...options });
  brokers.push(broker);
  return broker;
};

beforeAll(async () => {
  rabbit = await sharedRabbit();
});
afterEach(async () => {
  await Promise.all(brokers.splice(0).map((broker) => broker.close({ graceMs: 100 })));
});
afterAll(() => rabbit?.dispose());

/** Why a task fails; undefined if it succeeds. */
function errorOf(task: () => void): Error | undefined {
  try {
    task();
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

/** A consumer of commands or of events whose database can become unavailable. */
function aConsumer(kind: 'commands' | 'events') {
  const sums = sumsContracts();
  const contract = thingHappened(`${sums.owner}.happened`);
  const queue = kind === 'commands' ? commandQueue(sums.owner) : `${sums.owner}.on-things`;
  const world = { isAway: true, isRefused: false, tries: 0, done: [] as number[] };
  const handle = (n: number) => {
    world.tries++;
    if (world.isAway) throw new ServiceError(unavailable);
    if (world.isRefused) throw new ServiceError(notFound);
    world.done.push(n);
  };
  return {
    queue,
    world,
    start: (broker: Broker) =>
      kind === 'commands'
        ? broker.serve({
            ...sums,
            handlers: { ...sumsHandlers, keep: async ({ body }) => (handle(body.n), {}) },
            concurrency: 1,
          })
        : broker.subscribe({
            queue,
            subscriptions: [
              on(contract, async (events) => events.map(({ data }) => errorOf(() => handle(data.n)))),
            ],
          }),
    send: async (broker: Broker) => {
      if (kind === 'events') await broker.publish(eventsOf(contract, count));
      else for (let n = 0; n < count; n++) await broker.send(sums.contracts.keep, { body: { n } }, callOf());
    },
  };
}

const waiting = async (broker: Broker, queue: string) =>
  (await broker.depth([`${queue}.retry.${longStepMs}ms`]))[0]?.messages ?? 0;

describe.each(['commands', 'events'] as const)('%s that wait for a database', (kind) => {
  test('return in order once it is available, and only one of them is tried until then', async () => {
    const broker = await connected();
    const { queue, world, start, send } = aConsumer(kind);
    await start(broker);
    await send(broker);
    await until('all but one wait', async () => (await waiting(broker, queue)) === count - 1);
    const [tries, since] = [world.tries, Date.now()];
    await until('two more tries', () => world.tries >= tries + 2);
    expect(world.tries - tries).toBeLessThanOrEqual(1 + Math.ceil((Date.now() - since) / trialMs));
    expect(await waiting(broker, queue)).toBe(count - 1);
    world.isAway = false;
    await until('all are done', () => world.done.length >= count);
    expect(world.done).toEqual(Array.from({ length: count }, (_, n) => n));
    expect(await broker.deadLetters.list(queue)).toEqual([]);
  });

  test('return to a process that has not seen them fail', async () => {
    const broker = await connected();
    const { queue, world, start, send } = aConsumer(kind);
    const consumer = await start(broker);
    await send(broker);
    await until('all but one wait', async () => (await waiting(broker, queue)) === count - 1);
    await consumer.close(100);
    world.isAway = false;
    await start(await connected());
    await until('all are done', () => new Set(world.done).size === count);
  });

  test('keep their attempts when they are released and fail again', async () => {
    const broker = await connected();
    const { queue, world, start, send } = aConsumer(kind);
    await start(broker);
    await send(broker);
    await until('all but one wait', async () => (await waiting(broker, queue)) === count - 1);
    world.isAway = false;
    await until('some are done', () => world.done.length >= 4);
    world.isAway = true;
    const left = () => count - world.done.length;
    await until('the others wait again', async () => (await waiting(broker, queue)) === left() - 1);
    world.isRefused = true;
    world.isAway = false;
    const deadLetters = () => broker.deadLetters.list(queue);
    await until('the others are dead-lettered', async () => (await deadLetters()).length === left());
    // Two failures count: the first, and the one after the first step. For a trial, only the first counts.
    expect((await deadLetters()).filter(({ attempts }) => attempts > 2)).toEqual([]);
  });
});
