import { connect } from 'amqplib';
import {
  eventOf,
  notFound,
  printExactly,
  ServiceError,
  unavailable,
  type EventRecord,
  type SerializedEvent,
} from '@receipts/kernel';
import { sharedRabbit, until } from '@receipts/testing';
import { callOf, eventsOf, quietLog, sumsContracts, thingHappened } from '../test/sums';
import { connectBroker, on, type Broker } from '.';

const eventExchange = 'receipts.events';
const internalExchange = 'receipts.internal-events';

let rabbit: Awaited<ReturnType<typeof sharedRabbit>>;
const opened: Broker[] = [];
/** The numbers of messages and events that were sent to each exchange. */
let sent: Record<string, { messages: number; events: number }> = {};
let publishing: Broker;
let listening: Broker;

const metrics = {
  published(_kind: string, exchange: string, items: number) {
    const figures = (sent[exchange] ??= { messages: 0, events: 0 });
    figures.messages++;
    figures.events += items;
  },
};

async function connected(service: string): Promise<Broker> {
  const options = { retryDelaysMs: [50, 100], newQueueWaitMs: 0, log: quietLog(), metrics };
  const broker = await connectBroker({ url: rabbit.url, service, ...options });
  opened.push(broker);
  return broker;
}

beforeAll(async () => {
  rabbit = await sharedRabbit();
  [publishing, listening] = await Promise.all([connected('publishes'), connected('listens')]);
});
beforeEach(() => (sent = {}));
afterAll(async () => {
  await Promise.all(opened.map((broker) => broker.close()));
  await rabbit?.dispose();
});

const prefix = () => sumsContracts().owner;

/** An integrator with its own queue on the public exchange. */
async function integrator(type: string) {
  const connection = await connect(rabbit.url);
  const channel = await connection.createChannel();
  const { queue } = await channel.assertQueue('', { exclusive: true });
  await channel.bindQueue(queue, eventExchange, type);
  const got: { readonly properties: Record<string, unknown>; readonly event: EventRecord }[] = [];
  await channel.consume(
    queue,
    (message) => {
      if (!message) return;
      got.push({ properties: { ...message.properties }, event: JSON.parse(message.content.toString()) });
    },
    { noAck: true },
  );
  const close = async () => {
    // Newer brokers delete the queues of a connection only after they have confirmed its end.
    await channel.deleteQueue(queue);
    await connection.close();
  };
  return { got, close };
}

/** Simulates that the broker has lost a queue. */
async function deleteQueue(queue: string): Promise<void> {
  const connection = await connect(rabbit.url);
  const channel = await connection.createChannel();
  await channel.deleteQueue(`receipts.${queue}`);
  await connection.close();
}

function listener() {
  const batches: EventRecord[][] = [];
  return {
    batches,
    all: () => batches.flat(),
    receive: async (events: readonly EventRecord[]) => void batches.push([...events]),
  };
}

describe("for the platform's services", () => {
  test('are sent to each subscribed queue in batches, in order, even for several retailers', async () => {
    const name = prefix();
    const [created, updated] = [thingHappened(`${name}.created`), thingHappened(`${name}.updated`)];
    const [both, one, alone] = [listener(), listener(), listener()];
    await Promise.all([
      listening.subscribe({
        queue: `${name}.both`,
        subscriptions: [on(created, both.receive), on(updated, both.receive)],
      }),
      listening.subscribe({ queue: `${name}.one`, subscriptions: [on(created, one.receive)] }),
      listening.subscribe({
        queue: `${name}.alone`,
        subscriptions: [on([created, updated], alone.receive)],
        exclusive: true,
      }),
    ]);
    const events = [
      ...eventsOf(created, 300, 'r-1'),
      ...eventsOf(created, 300, 'r-2'),
      ...eventsOf(updated, 100),
    ];
    expect(await publishing.publish(events)).toEqual(events.map(() => true));
    await until('all have arrived', () => both.all().length === 700 && alone.all().length === 700);
    await until('all have arrived', () => one.all().length === 600);
    expect(one.all().map(({ id }) => id)).toEqual(events.slice(0, 600).map(({ id }) => id));
    expect(one.all()[300]).toMatchObject({ retailer: 'r-2', sequence: 0, data: { n: 0 } });
    // One event of each type was sent ahead of the others.
    expect(sent[internalExchange]).toEqual({ messages: 6, events: 700 });
    sent = {};
    await publishing.publish(events);
    expect(sent[internalExchange]).toEqual({ messages: 4, events: 700 });
  });

  test('are small if internal, and are not sent to integrators', async () => {
    const contract = thingHappened(`${prefix()}.kept`, 'internal');
    const outside = await integrator(contract.type);
    const inside = listener();
    await listening.subscribe({ queue: `${contract.type}.q`, subscriptions: [on(contract, inside.receive)] });
    await publishing.publish(eventsOf(contract, 10));
    await until('they came', () => inside.all().length === 10);
    expect(inside.all()[0]).not.toHaveProperty('specversion');
    expect(sent).toEqual({ [internalExchange]: { messages: 1, events: 10 } });
    expect(outside.got).toEqual([]);
    await outside.close();
  });

  test('reach each queue in the order of the call, whatever their types', async () => {
    const name = prefix();
    const [created, updated] = [thingHappened(`${name}.created`), thingHappened(`${name}.updated`)];
    const inside = listener();
    await listening.subscribe({
      queue: `${name}.q`,
      subscriptions: [on([created, updated], inside.receive)],
    });
    const outside = await integrator(`${name}.*`);
    const [c, u] = [eventsOf(created, 60), eventsOf(updated, 60)];
    const events = c.flatMap((event, n) =>
      n % 3 === 0 ? [event, u[n]] : [u[n], event],
    ) as SerializedEvent[];
    const ids = events.map(({ id }) => id);
    // The first call does not know yet that queues are bound.
    for (const count of [1, 2]) {
      expect(await publishing.publish(events)).toEqual(events.map(() => true));
      await until('all have arrived', () => inside.all().length === count * ids.length);
      await until('all have arrived', () => outside.got.length === count * ids.length);
      expect(
        inside
          .all()
          .slice(-ids.length)
          .map(({ id }) => id),
      ).toEqual(ids);
      expect(outside.got.slice(-ids.length).map(({ event: { id } }) => id)).toEqual(ids);
    }
    await outside.close();
  });

  test('reach a queue from the time it is bound, even after it was declared anew', async () => {
    const contract = thingHappened(`${prefix()}.seldom`);
    const received = listener();
    const queue = `${contract.type}.q`;
    await listening.subscribe({
      queue,
      subscriptions: [on(contract, received.receive)],
      boundWhen: () => Promise.resolve(false),
    });
    await publishing.publish(eventsOf(contract, 100));
    expect(sent[internalExchange]).toEqual({ messages: 1, events: 1 });
    await listening.bind(queue);
    await publishing.publish(eventsOf(contract, 100));
    await until('they came', () => received.all().length === 100);
    await deleteQueue(queue);
    await until('they come again', async () => {
      await publishing.publish(eventsOf(contract, 1));
      return received.all().length > 100;
    });
    await expect(listening.bind(`${queue}.other`)).rejects.toThrow('does not subscribe');
  });

  test('reach a queue whose subscriber needs them, if it is asked while it connects', async () => {
    const contract = thingHappened(`${prefix()}.seldom`);
    const queue = `${contract.type}.q`;
    const received = listener();
    let isNeeded = false;
    const boundWhen = jest.fn(() => Promise.resolve(isNeeded));
    await listening.subscribe({ queue, subscriptions: [on(contract, received.receive)], boundWhen });
    await publishing.publish(eventsOf(contract, 100));
    expect(sent[internalExchange]).toEqual({ messages: 1, events: 1 });
    isNeeded = true;
    for (const count of [1, 2]) {
      const before = received.all().length;
      await deleteQueue(queue);
      await until(`they come ${count}`, async () => {
        await publishing.publish(eventsOf(contract, 1));
        return received.all().length > before;
      });
    }
    // What is needed once stays bound, so it is not asked again.
    expect(boundWhen).toHaveBeenCalledTimes(2);
  });

  test('are not retried from a private queue, so that the following events do not wait', async () => {
    const contract = thingHappened(`${prefix()}.seldom`);
    const handled: number[] = [];
    const handle = on(contract, async ([event]) => {
      const { n } = event?.data as { readonly n: number };
      handled.push(n);
      if (n === 0) throw new Error('not applied');
    });
    await listening.subscribe({ queue: `${contract.type}.q`, subscriptions: [handle], exclusive: true });
    for (const [n, event] of eventsOf(contract, 2).entries()) {
      await publishing.publish([event]);
      await until(`event ${n} is handled`, () => handled.includes(n));
    }
    expect(handled).toEqual([0, 1]);
  });

  test('cannot have two handlers for one type in a subscription', async () => {
    const contract = thingHappened(`${prefix()}.twice`);
    const subscriptions = [on(contract, async () => {}), on(contract, async () => {})];
    await expect(listening.subscribe({ queue: 'twice', subscriptions })).rejects.toThrow('two handlers');
  });
});

describe('whose handler fails', () => {
  test('are retried alone and then dead-lettered; the others are not', async () => {
    const contract = thingHappened(`${prefix()}.x`);
    const queue = `${contract.type}.q`;
    const seen: number[] = [];
    let isMended = false;
    const handle = async (events: readonly EventRecord[]) => {
      seen.push(...events.map(({ sequence }) => sequence));
      return events.map(({ sequence }) => (sequence === 3 && !isMended ? new Error('no') : undefined));
    };
    await listening.subscribe({ queue, subscriptions: [on(contract, handle)] });
    await publishing.publish(eventsOf(contract, 10));
    await until('it is dead-lettered', async () => (await publishing.deadLetters.list(queue)).length === 1);
    expect(seen.filter((n) => n === 3)).toHaveLength(5);
    expect(seen.filter((n) => n !== 3)).toHaveLength(9);
    const [letter] = await publishing.deadLetters.list(queue);
    expect(letter).toMatchObject({ type: contract.type, retailer: 'r-1' });
    const shown = await publishing.deadLetters.show(queue, letter?.id ?? '');
    expect(shown?.content).toMatchObject({ sequence: 3 });
    isMended = true;
    expect(await publishing.deadLetters.replay(queue, [letter?.id ?? ''], new Date())).toBe(1);
    await until('it is handled', () => seen.filter((n) => n === 3).length === 6);
  });

  test('keep all digits of their numbers when they are retried', async () => {
    const contract = thingHappened(`${prefix()}.x`);
    const queue = `${contract.type}.q`;
    const seen: string[] = [];
    const handle = async ([event]: readonly EventRecord[]) => {
      seen.push(printExactly(event?.data, event));
      if (seen.length === 1) throw new ServiceError(unavailable);
    };
    await listening.subscribe({ queue, subscriptions: [on(contract, handle)] });
    const data = '{"n":0.12345678901234567890123}';
    const facts = { subject: 'thing', sequence: 1, data: () => data };
    await publishing.publish([eventOf(contract, facts, callOf(), new Date())]);
    await until('it was retried', () => seen.length === 2);
    expect(seen).toEqual([data, data]);
  });

  test('are retried one by one if the whole batch fails', async () => {
    const contract = thingHappened(`${prefix()}.x`);
    const queue = `${contract.type}.q`;
    const good: number[] = [];
    const handle = async (events: readonly EventRecord[]) => {
      if (events.some(({ sequence }) => sequence === 3)) throw new ServiceError(notFound);
      good.push(...events.map(({ sequence }) => sequence));
    };
    await listening.subscribe({ queue, subscriptions: [on(contract, handle)] });
    await publishing.publish(eventsOf(contract, 10));
    const [letter] = await until('it is dead-lettered', async () => {
      const letters = await publishing.deadLetters.list(queue);
      return letters.length > 0 && letters;
    });
    const shown = await publishing.deadLetters.show(queue, letter?.id ?? '');
    expect(shown?.content).toMatchObject({ sequence: 3 });
    await until('the others are done', () => good.length === 9);
  });

  test('are dead-lettered, not dropped, if there is no handler', async () => {
    const name = prefix();
    const [wanted, former] = [thingHappened(`${name}.wanted`), thingHappened(`${name}.former`)];
    const queue = `${name}.q`;
    const first = await listening.subscribe({
      queue,
      subscriptions: [on([wanted, former], async () => {})],
    });
    await first.close();
    await publishing.publish([...eventsOf(former, 2), ...eventsOf(wanted, 2), ...eventsOf(former, 1)]);
    const received = listener();
    await listening.subscribe({ queue, subscriptions: [on(wanted, received.receive)] });
    await until(
      'they are dead-lettered',
      async () => (await publishing.deadLetters.list(queue)).length === 3,
    );
    await until('the others have arrived', () => received.all().length === 2);
  });
});

describe('for integrators', () => {
  test('are single CloudEvents with their attributes in the message', async () => {
    const contract = thingHappened(`${prefix()}.shown`);
    const outside = await integrator(contract.type);
    const events = eventsOf(contract, 3);
    expect(await publishing.publish(events)).toEqual([true, true, true]);
    await until('they came', () => outside.got.length === 3);
    const [{ properties, event }] = outside.got as [(typeof outside.got)[number]];
    expect(event).toMatchObject({
      specversion: '1.0',
      id: events[0]?.id,
      source: '/retailers/r-1/things',
      type: contract.type,
      subject: 'thing',
      datacontenttype: 'application/json',
      dataschema: `/schemas/${contract.type}/1`,
      retailer: 'r-1',
      data: { n: 0 },
    });
    expect(properties).toMatchObject({
      contentType: 'application/cloudevents+json',
      deliveryMode: 2,
      messageId: event.id,
      type: event.type,
      timestamp: Math.floor(Date.parse(event.time) / 1000),
      correlationId: event.correlationid,
    });
    expect(outside.got.map(({ event: { id } }) => id)).toEqual(events.map(({ id }) => id));
    await outside.close();
  });

  test('cost one message per batch, type and retailer while no queue is bound', async () => {
    const contract = thingHappened(`${prefix()}.unheard`);
    const events = [...eventsOf(contract, 50, 'r-1'), ...eventsOf(contract, 50, 'r-2')];
    expect(await publishing.publish(events)).toEqual(events.map(() => true));
    expect(sent[eventExchange]).toEqual({ messages: 2, events: 2 });
    await publishing.publish(events);
    expect(sent[eventExchange]).toEqual({ messages: 4, events: 4 });
  });

  test('all arrive once a queue is bound, even if there was no queue before', async () => {
    const contract = thingHappened(`${prefix()}.sometimes`);
    await publishing.publish(eventsOf(contract, 20));
    const first = await integrator(contract.type);
    await publishing.publish(eventsOf(contract, 20));
    await publishing.publish(eventsOf(contract, 20));
    await until('they came', () => first.got.length === 40);
    await first.close();
    sent = {};
    await publishing.publish(eventsOf(contract, 20));
    await publishing.publish(eventsOf(contract, 20));
    expect(sent[eventExchange]?.messages).toBeLessThanOrEqual(21);
    const second = await integrator(contract.type);
    await publishing.publish(eventsOf(contract, 20));
    await until('they came', () => second.got.length === 20);
    await second.close();
  });

  test('reach queues that are bound only to their retailer, through an exchange that separates retailers', async () => {
    const contract = thingHappened(`${prefix()}.mine`);
    const connection = await connect(rabbit.url);
    const channel = await connection.createChannel();
    const exchange = `${contract.type}.of-one`;
    await channel.assertExchange(exchange, 'headers', { autoDelete: true });
    await channel.bindExchange(exchange, eventExchange, contract.type);
    const { queue } = await channel.assertQueue('', { exclusive: true });
    await channel.bindQueue(queue, exchange, '', { 'x-match': 'all', retailer: 'r-2' });
    await publishing.publish([...eventsOf(contract, 5, 'r-1'), ...eventsOf(contract, 5, 'r-2')]);
    const count = async () => (await channel.checkQueue(queue)).messageCount;
    await until('they are there', async () => (await count()) === 5);
    await connection.close();
  });
});
