import {
  defineCommand,
  json,
  newId,
  ServiceError,
  type Call,
  type Contract,
  type EventRecord,
  type Handlers,
} from '@receipts/kernel';
import { startDatabase, callOf as clientCall, silentLog } from '@receipts/testing';
import type { SubscribeOptions } from '@receipts/messaging';
import type { Database } from '@receipts/storage';
import { MongoNetworkError } from 'mongodb';
import { z } from 'zod';
import { idempotent, openService, type ServiceBroker, type ServiceWork } from './open-service';

const addSale = defineCommand({
  name: 'till.add-sale',
  summary: 'Adds a sale',
  description: 'For tests.',
  body: json(z.object({ amount: z.number() })),
  output: z.object({ id: z.string(), secret: z.string().nullable() }),
});
const contracts = { addSale };

const callOf = (idempotencyKey?: string): Call =>
  clientCall('r', idempotencyKey === undefined ? {} : { idempotencyKey });

/** A fake broker that exposes the handlers to the test and records the calls to it. */
function world() {
  const steps: string[] = [];
  let handlers: Handlers<typeof contracts> | undefined;
  let handleEvents: SubscribeOptions['subscriptions'][number]['handle'] | undefined;
  let subscribed: () => void = () => undefined;
  const listeners = new Set<() => void>();
  const consumer = (name: string) => ({
    close: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      steps.push(`${name} closed`);
    },
  });
  const broker: ServiceBroker = {
    publish: (events) => Promise.resolve(events.map(() => true)),
    serve: <T extends Record<string, Contract>>(options: { owner: string; handlers: Handlers<T> }) => {
      handlers = options.handlers as unknown as Handlers<typeof contracts>;
      steps.push(`serves ${options.owner}`);
      return Promise.resolve(consumer('server'));
    },
    subscribe: async ({ queue, subscriptions }) => {
      for (const { handle } of subscriptions) handleEvents = handle;
      await new Promise<void>((resolve) => (subscribed = resolve));
      steps.push(`subscribes ${queue}`);
      return consumer(queue);
    },
    onConnected(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const add = (amount: number, key?: string) => {
    const handler = handlers?.addSale;
    if (typeof handler !== 'function') throw new Error('not serving');
    const input = { params: undefined, query: undefined, headers: undefined, body: { amount } };
    return handler(input, callOf(key));
  };
  const deliver = (events: readonly EventRecord[]) => handleEvents?.(events);
  return { broker, steps, listeners, add, deliver, subscribed: () => subscribed() };
}

describe('a service', () => {
  let database: Database;
  beforeAll(async () => {
    database = await startDatabase();
  });
  afterAll(() => database.close());

  type Work = ServiceWork<typeof contracts>;
  const opened = (broker: ServiceBroker) => openService({ name: 'till', broker, database, log: silentLog });
  async function started(broker: ServiceBroker, more: Partial<Work> & Pick<Work, 'handlers'>) {
    const service = await opened(broker);
    return { running: service.start({ contracts, ...more }) };
  }
  const sale = async () => ({ body: { id: newId(), secret: 'a secret' } });

  it('stops the relays last, and catches up after a collection was dropped', async () => {
    const { broker, steps, listeners } = world();
    const task = (name: string) => ({
      start: () => void steps.push(`${name} starts`),
      stop: () => void steps.push(`${name} stops`),
    });
    const onCollectionLost = jest.spyOn(database, 'onCollectionLost');
    const service = await opened(broker);
    service.addRelay(task('relay'));
    const { stop } = await service.start({
      contracts,
      handlers: { addSale: sale },
      outlivesConsumers: [{ ...task('writer'), reconnected: () => void steps.push('catches up') }],
    });
    expect(steps.splice(0).sort()).toEqual(['relay starts', 'serves till', 'writer starts']);
    onCollectionLost.mock.calls[0]?.[0]();
    expect(steps.splice(0)).toEqual(['catches up']);
    await stop();
    expect(listeners.size).toBe(0);
    expect(steps).toEqual(['server closed', 'writer stops', 'relay stops']);
  });

  it('replays the first reply for a repeated key, with null for secret fields', async () => {
    const { broker, add } = world();
    const { running } = await started(broker, { handlers: { addSale: idempotent(sale, 'secret') } });
    const { stop } = await running;
    const key = newId();
    const first = await add(1, key);
    const again = await add(1, key);
    expect(first.body).toMatchObject({ secret: 'a secret' });
    expect(again.replayed).toBe(true);
    expect(JSON.parse(String(again.body))).toEqual({ ...first.body, secret: null });
    expect(await add(1)).not.toMatchObject({ replayed: true });
    await stop();
  });

  it('returns 503 while the database is unavailable', async () => {
    const { broker, add } = world();
    const away = () => Promise.reject(new MongoNetworkError('away'));
    const { running } = await started(broker, { handlers: { addSale: away } });
    const { stop } = await running;
    const error = await add(1).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ status: 503 });
    await stop();
  });

  it('retries events while the database is unavailable', async () => {
    const { broker, deliver, subscribed } = world();
    const away = new MongoNetworkError('away');
    const wrong = new TypeError('wrong');
    const outcomes = [
      () => Promise.resolve([undefined, away, wrong]),
      () => Promise.reject(away),
      () => Promise.resolve(),
    ];
    const handle = () => (outcomes.shift() as (typeof outcomes)[number])();
    const { running } = await started(broker, {
      handlers: { addSale: sale },
      subscriptions: [{ queue: 'till.on-sale', subscriptions: [{ contracts: [], handle }] }],
    });
    subscribed();
    const { stop } = await running;
    expect(await deliver([])).toEqual([undefined, expect.objectContaining({ status: 503 }), wrong]);
    await expect(deliver([])).rejects.toMatchObject({ status: 503 });
    expect(await deliver([])).toBeUndefined();
    await stop();
  });
});
