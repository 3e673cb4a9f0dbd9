import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { ServiceError, unavailable, type SerializedEvent } from '@receipts/kernel';
import { type Rabbit, startRabbit, startTcpProxy, type TcpProxy, until } from '@receipts/testing';
import { callOf, eventsOf, thingHappened, quietLog, sumsContracts } from '../test/sums';
import { commandQueue, connectBroker, on, rpcQueue, type Broker, type BrokerOptions } from '.';

/**
 * These tests break the broker, so they use their own broker. Clients reach it through a proxy that can cut
 * connections.
 */
let rabbit: Rabbit;
let proxy: TcpProxy;
const opened: Broker[] = [];
const log = quietLog();

async function connected(
  service: string,
  direct = false,
  options: Partial<BrokerOptions> = {},
): Promise<Broker> {
  const url = direct ? rabbit.url : `amqp://guest:guest@127.0.0.1:${proxy.port}`;
  const broker = await connectBroker({ url, service, log, ...options });
  opened.push(broker);
  return broker;
}

/** A service that records each id once, like a database with a unique key. */
async function keeping(broker: Broker, sums: ReturnType<typeof sumsContracts>) {
  const kept = new Set<string>();
  let times = 0;
  await broker.serve({
    ...sums,
    handlers: {
      keep: {
        batch: async (items) => {
          for (const { call } of items) kept.add(call.id);
          times += items.length;
          return items.map(() => ({}));
        },
      },
      add: async ({ body }) => ({ body: { sum: body.a + body.b }, meta: { created: true } }),
      find: async ({ params }) => ({ body: { id: params.id } }),
      echo: async ({ body }) => ({ body }),
    },
  });
  return { kept, times: () => times };
}

/** A service that succeeds with each command on the second attempt. */
async function keepingLater(
  broker: Broker,
  { owner, contracts: { keep } }: ReturnType<typeof sumsContracts>,
) {
  const [seen, kept] = [new Set<string>(), new Set<string>()];
  await broker.serve({
    owner,
    contracts: { keep },
    handlers: {
      keep: async (_, { id }) => {
        if (!seen.has(id)) {
          seen.add(id);
          throw new ServiceError(unavailable);
        }
        kept.add(id);
        return {};
      },
    },
  });
  return { queue: commandQueue(owner), kept };
}

/** Sends commands until stopped, and collects the ids of confirmed commands. */
function sending(broker: Broker, sums: ReturnType<typeof sumsContracts>, workers = 16) {
  const confirmed: string[] = [];
  const retries: number[] = [];
  let isOn = true;
  const worker = async () => {
    while (isOn) {
      const call = callOf(2_000);
      try {
        await broker.send(sums.contracts.keep, { body: { n: 1 } }, call);
        confirmed.push(call.id);
      } catch (error) {
        retries.push((error as { status: number }).status);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  };
  const running = Array.from({ length: workers }, worker);
  return {
    confirmed,
    retries,
    stop: async () => {
      isOn = false;
      await Promise.all(running);
    },
  };
}

const answers = async (broker: Broker, sums: ReturnType<typeof sumsContracts>, withinMs = 1_000) => {
  const asked = broker.ask(sums.contracts.find, { params: { id: '1' } }, callOf(withinMs));
  return asked.then(
    () => true,
    () => false,
  );
};

beforeAll(async () => {
  rabbit = await startRabbit();
  proxy = await startTcpProxy(rabbit.port);
});

afterEach(async () => {
  proxy.admit(true);
  await Promise.all(opened.splice(0).map((broker) => broker.close({ graceMs: 1_000 })));
});

afterAll(async () => {
  await proxy?.close();
  await rabbit?.dispose();
});

test('loses nothing confirmed when a connection is cut, and reconnects both sides', async () => {
  const sums = sumsContracts();
  const [owner, caller] = await Promise.all([connected('owner'), connected('caller')]);
  const { kept } = await keeping(owner, sums);
  let ups = 0;
  const stopListening = caller.onConnected(() => ups++);
  const sender = sending(caller, sums);
  for (let cut = 0; cut < 4; cut++) {
    const before = sender.confirmed.length;
    await until('messages flow', () => sender.confirmed.length > before + 200);
    proxy.cut();
  }
  await until('messages flow again', async () => (await answers(caller, sums)) && ups >= 4);
  await sender.stop();
  stopListening();
  await until('all are kept', () => sender.confirmed.every((id) => kept.has(id)));
  expect(sender.retries.every((status) => status === 503)).toBe(true);
});

test('reopens connections that the broker closes', async () => {
  const sums = sumsContracts();
  const [owner, caller] = await Promise.all([connected('owner'), connected('caller')]);
  const { kept } = await keeping(owner, sums);
  const sender = sending(caller, sums, 4);
  await until('messages flow', () => sender.confirmed.length > 100);
  await rabbit.closeConnections();
  const before = sender.confirmed.length;
  await until('messages flow again', () => sender.confirmed.length > before + 100);
  await sender.stop();
  await until('all are kept', () => sender.confirmed.every((id) => kept.has(id)));
});

test('redelivers messages in flight when their consumer crashes repeatedly', async () => {
  const { owner: name, contracts } = sumsContracts();
  const { keep } = contracts;
  const [owner, caller] = await Promise.all([connected('owner'), connected('caller', true)]);
  const done = new Map<number, number>();
  const consumer = await owner.serve({
    owner: name,
    contracts: { keep },
    handlers: {
      keep: async ({ body }) => {
        done.set(body.n, (done.get(body.n) ?? 0) + 1);
        // The handler hangs until its consumer is gone, twice.
        if (body.n === 13 && done.get(13) !== 3) await new Promise(() => {});
        return {};
      },
    },
  });
  await Promise.all(Array.from({ length: 20 }, (_, n) => caller.send(keep, { body: { n } }, callOf())));
  for (const deaths of [1, 2]) {
    await until('all are begun', () => done.size === 20 && done.get(13) === deaths);
    proxy.cut();
  }
  await until('all are done', () => [...done.values()].every((times) => times >= 2) && done.get(13) === 3);
  await until('the queue is empty', async () => {
    const [depth] = await caller.depth([commandQueue(name)]);
    return depth?.messages === 0;
  });
  await consumer.close(0);
});

test("redeclares a consumer's deleted queue", async () => {
  const sums = sumsContracts();
  const [owner, caller] = await Promise.all([connected('owner'), connected('caller')]);
  const { kept } = await keeping(owner, sums);
  await rabbit.control('delete_queue', `receipts.${commandQueue(sums.owner)}`);
  await rabbit.control('delete_queue', `receipts.${rpcQueue(sums.owner, 'query')}`);
  await until('queries are answered', () => answers(caller, sums));
  const call = callOf();
  const sent = () =>
    caller.send(sums.contracts.keep, { body: { n: 1 } }, { ...call, deadline: Date.now() + 1_000 }).then(
      () => true,
      () => false,
    );
  await until('commands are taken', sent);
  await until('it is kept', () => kept.has(call.id));
});

test('fails calls immediately, and reports events as unconfirmed, if there is no broker', async () => {
  const sums = sumsContracts();
  const [owner, caller] = await Promise.all([connected('owner', true), connected('caller')]);
  await keeping(owner, sums);
  proxy.admit(false);
  proxy.cut();
  await until('the caller has seen it', () => caller.state === 'down');
  // For a short time, calls wait for the connection to return.
  await until('calls are refused immediately', async () => {
    const asked = Date.now();
    return !(await answers(caller, sums, 60_000)) && Date.now() - asked < 20_000;
  });
  const started = Date.now();
  await expect(caller.send(sums.contracts.keep, { body: { n: 1 } }, callOf(60_000))).rejects.toMatchObject({
    status: 503,
    code: 'unavailable',
    headers: { 'retry-after': '1' },
  });
  expect(await answers(caller, sums, 60_000)).toBe(false);
  expect(await caller.publish(eventsOf(thingHappened('thing.happened'), 1))).toEqual([false]);
  expect(Date.now() - started).toBeLessThan(20_000);
  proxy.admit(true);
  await until('the caller is back', () => answers(caller, sums));
  expect(await caller.publish(eventsOf(thingHappened('thing.happened'), 1))).toEqual([true]);
});

test('waits for a lost broker, no matter how long the process has been running', async () => {
  const { contracts } = sumsContracts();
  let nowMs = Date.now();
  const caller = await connected('caller', false, { now: () => nowMs });
  nowMs += 3_600_000;
  proxy.admit(false);
  proxy.cut();
  const [event] = eventsOf(thingHappened('thing.happened'), 1) as [SerializedEvent];
  await until('nothing can be published', async () => !(await caller.publish([event]))[0]);
  let isRefused = false;
  const call = { ...callOf(), deadline: nowMs + 60_000 };
  const asked = caller.ask(contracts.find, { params: { id: '1' } }, call).catch(() => (isRefused = true));
  // An immediate error would reject within these microtasks, without a turn of the event loop.
  for (let i = 0; i < 20; i++) await Promise.resolve();
  expect(isRefused).toBe(false);
  await asked;
  expect(isRefused).toBe(true);
});

test('fails publishing immediately during a memory alarm, while consumers keep draining', async () => {
  const sums = sumsContracts();
  const [owner, caller] = await Promise.all([connected('owner'), connected('caller')]);
  const queue = `${sums.owner}.on-events`;
  const contract = thingHappened(`${queue}.x`);
  const seen: string[] = [];
  let release: () => void = () => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  await Promise.all([
    keeping(owner, sums),
    owner.subscribe({
      queue,
      subscriptions: [
        on(contract, async (events) => {
          await gate;
          seen.push(...events.map(({ id }) => id));
        }),
      ],
    }),
  ]);
  const events = eventsOf(contract, 500);
  expect(await caller.publish(events)).toEqual(events.map(() => true));

  await rabbit.alarm(true);
  const started = Date.now();
  await expect(caller.send(sums.contracts.keep, { body: { n: 1 } }, callOf(60_000))).rejects.toMatchObject({
    status: 503,
  });
  expect(Date.now() - started).toBeLessThan(20_000);
  expect(caller.state).toBe('blocked');
  const again = Date.now();
  expect(await answers(caller, sums, 60_000)).toBe(false);
  expect(await caller.publish(events.slice(0, 1))).toEqual([false]);
  expect(Date.now() - again).toBeLessThan(20_000);
  release();
  await until('the backlog is consumed', () => seen.length === 500);

  await rabbit.alarm(false);
  await until('calls are answered again', () => answers(caller, sums));
  await caller.send(sums.contracts.keep, { body: { n: 1 } }, callOf());
});

test('keeps everything that it confirmed when the broker is killed and restarted', async () => {
  const sums = sumsContracts();
  const retried = sumsContracts();
  const [owner, caller] = await Promise.all([connected('owner', true), connected('caller', true)]);
  const { kept } = await keeping(owner, sums);
  const { queue: retriedQueue, kept: keptLater } = await keepingLater(owner, retried);
  const sender = sending(caller, sums);
  await until('messages flow', () => sender.confirmed.length > 2_000);
  const late = Array.from({ length: 20 }, () => callOf());
  await Promise.all(late.map((call) => caller.send(retried.contracts.keep, { body: { n: 1 } }, call)));
  await until('all are moved to a retry queue', async () => {
    const [depth] = await caller.depth([`${retriedQueue}.retry.1s`]);
    return depth?.messages === late.length;
  });
  await rabbit.kill();
  await rabbit.start();
  const bootedAt = Date.now();
  const before = sender.confirmed.length;
  await until('messages flow again', () => sender.confirmed.length > before + 500);
  const backMs = Date.now() - bootedAt;
  await sender.stop();
  await until('all are kept', () => sender.confirmed.every((id) => kept.has(id)));
  await until('queries are answered', () => answers(caller, sums));
  await until('the retried commands are done', () => late.every(({ id }) => keptLater.has(id)));
  expect(backMs).toBeLessThan(30_000);
});

test.each(['event', 'command'])('dead-letters only the %s that kills its consumer', async (kind) => {
  const sums = sumsContracts();
  const queue = kind === 'event' ? `${sums.owner}.on-events` : commandQueue(sums.owner);
  const contract = thingHappened(`${sums.owner}.x`);
  const [owner, caller] = await Promise.all([connected('owner'), connected('caller', true)]);
  const done = new Set<number>();
  // To the broker, a crashed process is a lost connection: all unacknowledged messages are redelivered.
  const handle = async (numbers: readonly number[]) => {
    if (numbers.includes(50)) return void proxy.cut();
    for (const n of numbers) done.add(n);
  };
  await Promise.all([
    owner.serve({
      ...sums,
      handlers: {
        keep: {
          batch: async (items) => {
            await handle(items.map(({ input }) => input.body.n));
            return items.map(() => ({}));
          },
        },
        add: async ({ body }) => ({ body: { sum: body.a + body.b }, meta: { created: true } }),
        find: async ({ params }) => ({ body: { id: params.id } }),
        echo: async ({ body }) => ({ body }),
      },
    }),
    owner.subscribe({
      queue: `${sums.owner}.on-events`,
      subscriptions: [on(contract, (events) => handle(events.map(({ data }) => data.n)))],
    }),
  ]);
  const numbers = Array.from({ length: 101 }, (_, n) => n);
  if (kind === 'event') {
    for (const event of eventsOf(contract, 101)) await caller.publish([event]);
  } else {
    for (const n of numbers) await caller.send(sums.contracts.keep, { body: { n } }, callOf(30_000));
  }
  const deadLetters = () => caller.deadLetters.list(queue).catch(() => []);
  await until('it is dead-lettered', async () => (await deadLetters()).length > 0, 240_000);
  await until('the others are done', () => numbers.every((n) => n === 50 || done.has(n)));
  // The message is there twice if the connection was cut after it was moved to another queue, but before the original
  // was acknowledged.
  expect(new Set((await deadLetters()).map(({ id }) => id)).size).toBe(1);
  expect(done.has(50)).toBe(false);
});

const boundMs = 90_000;

/** Simulates a kill right after queues were declared: the queues are known, but the names of their logs are lost. */
async function loseLogs(): Promise<void> {
  await rabbit.kill();
  const registers = readdirSync(rabbit.dir, { recursive: true, encoding: 'utf8' });
  const lost = registers.filter((file) => path.basename(file) === 'names.dets');
  expect(lost.length).toBeGreaterThan(0);
  for (const file of lost) rmSync(path.join(rabbit.dir, file));
  await rabbit.start();
}

test('serves the queues of a single node again after one restart if the node has lost their location', async () => {
  const sums = sumsContracts();
  const [owner, caller] = await Promise.all([connected('owner', true), connected('caller', true)]);
  const { kept } = await keeping(owner, sums);
  await loseLogs();
  const calls = Array.from({ length: 50 }, () => callOf(boundMs));
  const sent = (call: (typeof calls)[number]) =>
    caller.send(sums.contracts.keep, { body: { n: 1 } }, call).then(
      () => true,
      () => false,
    );
  await Promise.all(calls.map((call) => until('it is sent', () => sent(call), boundMs)));
  await until('all are kept', () => calls.every(({ id }) => kept.has(id)), boundMs);
  const queues = await rabbit.control('list_queues', 'name', 'leader');
  expect(queues).toMatch(new RegExp(`receipts\\.${commandQueue(sums.owner)}\\s+\\S+@`));
});
