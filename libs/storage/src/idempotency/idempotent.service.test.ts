import { MongoNetworkError, type Collection } from 'mongodb';
import { z } from 'zod';
import {
  defineCommand,
  json,
  newId,
  notFound,
  ServiceError,
  type Call,
  type Handler,
  type Item,
  type Reply,
} from '@receipts/kernel';
import { startMongo, testDatabase, type Mongo, silentLog, until } from '@receipts/testing';
import { connectDatabase, type Database } from '../connect-database';
import { keyKeptMs, requestKeyOf } from './request-key';
import {
  forgetReplies,
  idempotencyCollection,
  withIdempotencyKeys,
  type IdempotencyRecord,
} from './idempotent';

const contract = defineCommand({
  name: 'till.add-sale',
  summary: 'Adds a sale',
  description: 'For the test.',
  body: json(z.object({ amount: z.number() })),
  output: z.object({ id: z.string() }),
  meta: z.object({ created: z.boolean() }),
});
type Contract = typeof contract;

const itemOf = (amount: number, key?: string, more: Partial<Call> = {}): Item<Contract> => ({
  input: { params: undefined, query: undefined, headers: undefined, body: { amount } },
  call: {
    id: newId(),
    requestId: newId(),
    retailer: 'r',
    principal: { kind: 'client', id: 'bearer:1' },
    deadline: Date.now() + 30_000,
    at: Date.now(),
    ...(key !== undefined && { idempotencyKey: key }),
    ...more,
  },
});

/** The part of a reply that is visible to a caller. */
function seen(reply: Reply<Contract> | ServiceError | undefined) {
  if (!reply) throw new Error('there is no reply');
  if (reply instanceof ServiceError) return { status: reply.status, value: undefined };
  const { body, meta, replayed = false } = reply;
  const value: unknown = Buffer.isBuffer(body) ? JSON.parse(body.toString()) : body;
  return { value, meta, replayed, status: undefined };
}

describe('an idempotency key', () => {
  let mongo: Mongo;
  let database: Database;
  let records: Collection<IdempotencyRecord>;
  let executed: number[];
  beforeAll(async () => {
    mongo = await startMongo();
    database = await connectDatabase({
      uri: mongo.uri,
      database: testDatabase(),
      service: 'test',
      log: silentLog,
      poolSizeMax: 8,
    });
    records = await database.collection<IdempotencyRecord>(idempotencyCollection);
  });
  afterAll(async () => {
    await database.close();
    await mongo.stop();
  });
  beforeEach(() => {
    executed = [];
  });

  const add = (amount: number): Reply<Contract> => {
    executed.push(amount);
    return { body: { id: `sale ${executed.length}` }, meta: { created: true } };
  };
  const slowly = async (amount: number): Promise<Reply<Contract>> => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    return add(amount);
  };

  type Work = (amount: number) => Promise<Reply<Contract>> | Reply<Contract>;

  function serving(
    work: Work,
    now?: () => number,
  ): (item: Item<Contract>) => Promise<Reply<Contract> | ServiceError> {
    const handler: Handler<Contract> = async (input) => work(input.body.amount);
    const options = { log: silentLog, ...(now && { now }) };
    const wrapped = withIdempotencyKeys(records, contract, handler, options);
    return async ({ input, call }) => {
      try {
        return await wrapped(input, call);
      } catch (error) {
        if (error instanceof ServiceError) return error;
        throw error;
      }
    };
  }

  test('returns the first reply to a redelivered message, which is not a retry', async () => {
    const serve = serving(add);
    const item = itemOf(1, newId());
    const first = seen(await serve(item));
    expect(seen(await serve(item))).toEqual({ ...first, replayed: false });
    expect(executed).toEqual([1]);
  });

  test('returns the first reply to a retry', async () => {
    const serve = serving(add);
    const key = newId();
    const first = seen(await serve(itemOf(5, key)));
    const again = seen(await serve(itemOf(5, key)));
    expect(first).toMatchObject({ value: { id: 'sale 1' }, meta: { created: true }, replayed: false });
    expect(again).toEqual({ ...first, replayed: true });
    expect(executed).toEqual([5]);
  });

  test('forgets the replies about a deleted receipt, but only those of its retailer', async () => {
    const serve = serving(() => ({ body: { id: 'about to go' }, meta: { created: true } }));
    const [own, others] = [newId(), newId()];
    await serve(itemOf(5, own));
    await serve(itemOf(5, others, { retailer: 'another' }));
    await forgetReplies(records, 'r', ['about to go']);
    expect(seen(await serve(itemOf(5, own))).replayed).toBe(false);
    expect(seen(await serve(itemOf(5, others, { retailer: 'another' }))).replayed).toBe(true);
  });

  test('rejects a different request with the same key', async () => {
    const serve = serving(add);
    const key = newId();
    await serve(itemOf(5, key));
    expect(await serve(itemOf(6, key))).toMatchObject({ status: 409, code: 'idempotency_mismatch' });
    expect(executed).toEqual([5]);
  });

  test('executes a request again with a key that has expired', async () => {
    const key = newId();
    await serving(add)(itemOf(5, key));
    const later = Date.now() + keyKeptMs + 1;
    const serve = serving(add, () => later);
    expect(seen(await serve(itemOf(6, key, { deadline: later + 5_000 })))).toMatchObject({ replayed: false });
    expect(executed).toEqual([5, 6]);
  });

  test('limits a key to one principal of one retailer, and executes every request without a key', async () => {
    const serve = serving(add);
    const key = newId();
    await serve(itemOf(5, key));
    await serve(itemOf(5, key, { retailer: 'other' }));
    await serve(itemOf(5, key, { principal: { kind: 'client', id: 'bearer:2' } }));
    await serve(itemOf(5));
    await serve(itemOf(5));
    expect(executed).toHaveLength(5);
  });

  test('does not store failures', async () => {
    const key = newId();
    const refuse = serving(() => Promise.reject(new ServiceError(notFound)));
    expect(await refuse(itemOf(5, key))).toMatchObject({ status: 404 });
    const breaks = serving(() => Promise.reject(new Error('a bug')));
    await expect(breaks(itemOf(5, key))).rejects.toThrow('a bug');
    expect(seen(await serving(add)(itemOf(5, key)))).toMatchObject({ replayed: false });
  });

  test('executes the request again after a provisional reply, under the id of the first call, and stores the final reply', async () => {
    const ids: string[] = [];
    const serve = withIdempotencyKeys(records, contract, (_input, call) => {
      const provisional = ids.push(call.id) === 1;
      return Promise.resolve({ body: { id: `try ${ids.length}` }, meta: { created: true }, provisional });
    });
    const key = newId();
    const items = [itemOf(5, key), itemOf(5, key), itemOf(5, key)];
    const answers: unknown[] = [];
    for (const { input, call } of items) answers.push(seen(await serve(input, call)).value);
    expect(answers).toEqual([{ id: 'try 1' }, { id: 'try 2' }, { id: 'try 2' }]);
    expect(ids).toEqual([items[0]?.call.id, items[0]?.call.id]);
  });

  test('makes a retry wait for the execution that is still running', async () => {
    const serve = serving(slowly);
    const key = newId();
    const [one, two] = await Promise.all([serve(itemOf(5, key)), serve(itemOf(5, key))]);
    const answers = [seen(one), seen(two)];
    expect(answers.map(({ value }) => value)).toEqual([{ id: 'sale 1' }, { id: 'sale 1' }]);
    expect(executed).toEqual([5]);
  });

  test('executes only one of many concurrent requests', async () => {
    const serve = serving(add);
    const key = newId();
    const replies = await Promise.all(Array.from({ length: 30 }, () => serve(itemOf(5, key))));
    // On a busy machine, some requests may not get a free connection in time.
    const answers = replies.map(seen).filter(({ status }) => status !== 503);
    expect(new Set(answers.map(({ value }) => JSON.stringify(value)))).toEqual(new Set(['{"id":"sale 1"}']));
    expect(executed).toEqual([5]);
  });

  test('returns 503 if the execution outlasts the caller’s deadline', async () => {
    let end = () => {};
    const held = new Promise<void>((resolve) => (end = resolve));
    const serve = serving(async (amount) => {
      await held;
      return add(amount);
    });
    const key = newId();
    const first = serve(itemOf(5, key));
    await untilRecorded(key);
    const second = await serve(itemOf(5, key, { deadline: Date.now() + 200 }));
    expect(second).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    end();
    expect(seen(await first)).toMatchObject({ replayed: false });
  });

  test('executes the request again after the process that held the key has crashed', async () => {
    let now = Date.now();
    const key = newId();
    const hangs = serving(
      () => new Promise<never>(() => undefined),
      () => now,
    );
    void hangs(itemOf(5, key));
    await untilRecorded(key);
    now += 11_000;
    const serve = serving(add, () => now);
    const more = { deadline: now + 30_000 };
    const replies = await Promise.all([serve(itemOf(5, key, more)), serve(itemOf(5, key, more))]);
    expect(replies.map((reply) => seen(reply).value)).toEqual([{ id: 'sale 1' }, { id: 'sale 1' }]);
    expect(executed).toEqual([5]);
  });

  test('executes a retry under the id of the first call after a failure with an unknown outcome', async () => {
    const ids: string[] = [];
    let fault: Error | undefined = new Error('killed between the effect and the record');
    const serve = withIdempotencyKeys(records, contract, async (_input, call) => {
      ids.push(call.id);
      if (fault) throw fault;
      return { body: { id: call.id }, meta: { created: true } };
    });
    const key = newId();
    const first = itemOf(5, key);
    const again = itemOf(5, key);
    await expect(serve(first.input, first.call)).rejects.toThrow('killed');
    fault = new ServiceError({ status: 503, code: 'unavailable', description: 'away' });
    await expect(serve(again.input, again.call)).rejects.toMatchObject({ status: 503 });
    const other = itemOf(6, key);
    await expect(serve(other.input, other.call)).rejects.toMatchObject({ code: 'idempotency_mismatch' });
    fault = undefined;
    expect(seen(await serve(again.input, again.call))).toMatchObject({ value: { id: first.call.id } });
    expect(ids).toEqual([first.call.id, first.call.id, first.call.id]);
  });

  test('does not store secret fields', async () => {
    const secretive = defineCommand({
      ...contract,
      name: 'till.make-secret',
      output: z.object({ id: z.string(), secret: z.string().nullable() }),
    });
    const handler = withIdempotencyKeys(
      records,
      secretive,
      async () => ({ body: { id: '1', secret: 'shh' }, meta: { created: true } }),
      { secretFields: ['secret'] },
    );
    const item = itemOf(5, newId());
    const first = await handler(item.input as never, item.call);
    expect(first.body).toEqual({ id: '1', secret: 'shh' });
    const again = await handler(item.input as never, item.call);
    expect(JSON.parse(String(again.body))).toEqual({ id: '1', secret: null });
    expect(JSON.stringify(await records.find({}).toArray())).not.toContain(
      Buffer.from('shh').toString('base64'),
    );
    expect((await records.find({}).toArray()).some(({ body }) => String(body).includes('shh'))).toBe(false);
  });

  async function untilRecorded(key: string): Promise<void> {
    const { input, call } = itemOf(5, key);
    const _id = `r|${requestKeyOf(contract, input, call, new Date())?.key}`;
    await until('the key is recorded', async () => (await records.findOne({ _id })) !== null);
  }

  test('returns 503 if the database is unavailable', async () => {
    const away = new Proxy(records, {
      get: () => () => Promise.reject(new MongoNetworkError('connect ECONNREFUSED')),
    });
    const single = withIdempotencyKeys(away, contract, (input) => Promise.resolve(add(input.body.amount)));
    const { input, call } = itemOf(1, newId());
    await expect(single(input, call)).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect(executed).toEqual([]);
  });

  test('costs nothing for a request without a key', async () => {
    const untouchable = new Proxy(records, {
      get: () => {
        throw new Error('the collection was touched');
      },
    });
    const { input, call } = itemOf(1);
    const serve = withIdempotencyKeys(untouchable, contract, (body) =>
      Promise.resolve(add(body.body.amount)),
    );
    expect(await serve(input, call)).toMatchObject({ body: { id: 'sale 1' } });
  });
});
