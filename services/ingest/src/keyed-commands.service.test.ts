import { randomUUID } from 'node:crypto';
import { MongoNetworkError, type Collection } from 'mongodb';
import { ingestContracts } from '@receipts/contracts';
import { idAllotter, newId, ServiceError, type Call } from '@receipts/kernel';
import { FakeBroker } from '@receipts/messaging/testing';
import { isDuplicateKey, type Database } from '@receipts/storage';
import {
  startDatabase,
  callOf as clientCall,
  keyedCommands,
  keyedRounds,
  silentLog,
} from '@receipts/testing';
import type { Service } from '@receipts/host/open-service';
import { startService } from './service';

const idSecret = 'a secret of sixteen or more';
const allotter = idAllotter(idSecret);
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** A process that holds a key is considered dead after this time. */
const leaseMs = 11_000;

const timeoutMs = 30_000;

type When = 'before' | 'after';

/** The worker's connection to the database, which can be cut at any step, after which the worker counts as dead. */
class Lifeline {
  private steps = 0;
  private fatal: { readonly step: number; readonly when: When } | undefined;
  isDead = false;
  /** Called once, after a write that a unique index rejected: what another request does in the meantime. */
  afterDuplicate: (() => Promise<unknown>) | undefined;

  dieAt(step: number, when: When): void {
    this.steps = 0;
    this.fatal = { step, when };
  }

  revive(): void {
    this.fatal = undefined;
    this.isDead = false;
  }

  async pass<T>(operation: () => Promise<T>): Promise<T> {
    const fatal = this.fatal?.step === this.steps++ ? this.fatal : undefined;
    if (this.isDead || fatal?.when === 'before') this.die();
    const result = await operation().catch((error: unknown) => this.afterFault(error));
    // The worker may have been revived in the meantime.
    if (this.isDead || (fatal && fatal === this.fatal)) this.die();
    return result;
  }

  private async afterFault(error: unknown): Promise<never> {
    const { afterDuplicate } = this;
    if (afterDuplicate && isDuplicateKey(error)) {
      this.afterDuplicate = undefined;
      await afterDuplicate();
    }
    throw error;
  }

  private die(): never {
    this.isDead = true;
    throw new MongoNetworkError('the worker has died');
  }
}

const lifeline = new Lifeline();
const writes = ['insertOne', 'insertMany', 'updateOne', 'updateMany', 'bulkWrite', 'deleteOne', 'deleteMany'];
const reads = ['findOne', 'findOneAndUpdate', 'countDocuments'];

/** Returns an object whose listed methods use this connection. */
function overLifeline<T extends object>(object: T, methods: readonly string[]): T {
  return new Proxy(object, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      const call = (...args: unknown[]): unknown => Reflect.apply(member, target, args) as unknown;
      if (name === 'find') return (...args: unknown[]) => overLifeline(call(...args) as object, ['toArray']);
      if (!methods.includes(String(name))) return call;
      return (...args: unknown[]) => lifeline.pass(async () => call(...args));
    },
  });
}

let database: Database;
let service: Service;
let clockAheadMs = 0;
const now = () => new Date(Date.now() + clockAheadMs);

const broker = new FakeBroker();
// The conversion service accepts requests but never executes them; callers that wait get no reply.
broker.answers.set('transform.convert-packet', () => undefined);

beforeAll(async () => {
  database = await startDatabase('ingest');
  const mortal: Database = {
    ...database,
    db: database.db,
    collection: async (declaration) =>
      overLifeline((await database.collection(declaration)) as object, [...writes, ...reads]) as never,
  };
  service = await startService({
    broker,
    database: mortal,
    log: silentLog,
    idSecret,
    basePath: '',
    conversionRetryMs: dayMs,
    now,
  });
});
afterAll(async () => {
  lifeline.revive();
  await service?.stop();
  await database?.close();
});

let retailer: string;
let key: string;
beforeEach(() => {
  lifeline.revive();
  fresh();
});
const fresh = () => {
  retailer = newId();
  key = newId();
};

const callOf = (more: Partial<Call> = {}): Call => {
  const at = now().getTime();
  const own = { id: allotter.allot(retailer), deadline: at + 60_000, at, idempotencyKey: key };
  return clientCall(retailer, { ...own, ...more });
};

interface Reply {
  readonly body?: unknown;
  readonly meta?: unknown;
  readonly replayed?: boolean;
}

type SendRequest = (call?: Partial<Call>) => Promise<Reply>;

/** A caller retries after a 503, whether the worker has died or the machine is just slow. */
async function patiently(request: () => Promise<Reply>): Promise<Reply> {
  for (const endMs = Date.now() + timeoutMs; ;) {
    try {
      return await request();
    } catch (error) {
      const mayPass = error instanceof ServiceError && error.status === 503 && !lifeline.isDead;
      if (!mayPass || Date.now() > endMs) throw error;
    }
  }
}

/** The commands during which the worker died. */
const diedDuring = new Set<string>();

const ask = (name: keyof typeof ingestContracts, input: object, call: Partial<Call> = {}) =>
  patiently(async () => {
    try {
      return await broker.call(ingestContracts[name], input, callOf(call));
    } finally {
      if (lifeline.isDead) diedDuring.add(name);
    }
  });

const packet =
  (body = 'Sales: 1', headers: [string, string][] = []): SendRequest =>
  (call) =>
    ask(
      'acceptPacket',
      {
        query: { free: [] },
        headers: { free: headers },
        contentType: 'text/plain',
        body: Buffer.from(body),
      },
      call,
    );

const entryOf = (entryId: string) => ({
  source_id: 'journal',
  source_read: '2026-01-02T03:04:05Z',
  entry_id: entryId,
  store_reference: 7,
  till_id: '1',
  till_uuid: 'a till',
  receipt: Buffer.from('raw').toString('base64'),
  attachments: { slip: { data: Buffer.from('%PDF').toString('base64') } },
});
const entry =
  (entryId = '1'): SendRequest =>
  (call) =>
    ask('postPosData', { body: entryOf(entryId) }, call);

const attachment =
  (body = 'bytes'): SendRequest =>
  (call) =>
    ask(
      'createAttachment',
      {
        headers: { 'content-disposition': 'attachment; filename="a.txt"' },
        contentType: 'text/plain',
        body: Buffer.from(body),
      },
      call,
    );

const collection = (name: string): Collection => database.db.collection(name);
const packets = () => collection('packets').find({ retailer }).sort({ _id: 1 }).toArray();
const attachments = () => collection('attachments').find({ retailer }).toArray();

/** Reports packets as failed, as transform does. */
async function fail(ids: readonly string[], attempt: number): Promise<void> {
  const errors = [{ path: '', code: 'timeout', message: 'too slow' }];
  const failure = { reason: 'timeout', errors } as const;
  const items = ids.map((id) => ({
    input: { body: { id, attempt, receiptIds: [], mapping: null, failure } },
    call: callOf(),
  }));
  await broker.callAll(ingestContracts.finishPacket, items);
}

async function failedPackets(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const { meta } = await packet(`failed ${n}`)({ idempotencyKey: undefined as never });
    ids.push((meta as { id: string }).id);
  }
  await fail(ids, 1);
  return ids;
}

/**
 * Sends the command while the worker dies at one step after another, then retries it as a caller would, until the
 * worker no longer dies. Runs twenty rounds.
 */
async function dyingAtEveryStep(
  prepare: () => Promise<SendRequest>,
  check: (answers: Reply[], repeat: SendRequest) => Promise<void>,
): Promise<void> {
  for (let round = 1; round <= keyedRounds; round++) {
    let deaths = 0;
    for (const when of ['before', 'after'] as const) {
      for (let step = 0, died = true; died; step++) {
        fresh();
        const request = await prepare();
        const answers: Reply[] = [];
        lifeline.dieAt(step, when);
        try {
          answers.push(await request());
        } catch (error) {
          if (!(error instanceof ServiceError) || error.status !== 503) throw error;
        }
        died = lifeline.isDead;
        lifeline.revive();
        if (died) {
          deaths++;
          clockAheadMs += leaseMs;
        }
        answers.push(await request());
        await check(answers, request);
      }
    }
    expect(deaths).toBeGreaterThanOrEqual(2);
  }
}

/** A replayed reply consists of the stored bytes. */
const bodyOf = ({ body }: Reply): unknown => (Buffer.isBuffer(body) ? JSON.parse(body.toString()) : body);

const one = (values: readonly unknown[]) =>
  expect(new Set(values.map((v) => JSON.stringify(v))).size).toBe(1);

describe('a worker that crashes at any step has one effect and one reply', () => {
  const madeOnce = async (answers: Reply[], repeat: SendRequest) => {
    const again = await repeat();
    expect(again.replayed).toBe(true);
    one([...answers, again].map((answer) => [bodyOf(answer), answer.meta]));
    return again;
  };

  it('for a packet', () =>
    dyingAtEveryStep(
      () => Promise.resolve(packet()),
      async (answers, repeat) => {
        const { meta } = await madeOnce(answers, repeat);
        expect((await packets()).map(({ _id }) => _id)).toEqual([(meta as { id: string }).id]);
      },
    ));

  it('for a packet whose external id was stored before without the key', () =>
    dyingAtEveryStep(
      async () => {
        const external = packet('Sales: 2', [['service-external-id', randomUUID()]]);
        await external({ idempotencyKey: undefined as never });
        return external;
      },
      async (answers, repeat) => {
        await madeOnce(answers, repeat);
        expect(await packets()).toHaveLength(1);
      },
    ));

  it('for an entry with an attachment', () =>
    dyingAtEveryStep(
      () => Promise.resolve(entry()),
      async (answers, repeat) => {
        await madeOnce(answers, repeat);
        const [kept, ...others] = await packets();
        expect(others).toEqual([]);
        expect((await attachments()).map(({ _id }) => _id)).toEqual([kept?.['attachments'][0].id]);
      },
    ));

  it('for an attachment', () =>
    dyingAtEveryStep(
      () => Promise.resolve(attachment()),
      async (answers, repeat) => {
        const { meta } = await madeOnce(answers, repeat);
        expect((await attachments()).map(({ _id }) => _id)).toEqual([(meta as { id: string }).id]);
      },
    ));

  it('for a packet to be converted again, even if it has failed again in the meantime', () =>
    dyingAtEveryStep(
      async () => {
        const [id] = await failedPackets(1);
        return (call) => ask('reprocessPacket', { params: { id } }, call);
      },
      async (answers, repeat) => {
        const [{ _id: id, attempts } = { attempts: 0 }] = await packets();
        expect(attempts).toBe(2);
        await fail([String(id)], 2);
        await madeOnce(answers, repeat);
        expect(await packets()).toMatchObject([{ attempts: 2, status: 'failed' }]);
      },
    ));

  it('for many packets, counted once', () =>
    dyingAtEveryStep(
      async () => {
        await failedPackets(3);
        return (call) => ask('reprocessPackets', { body: { reason: 'timeout' } }, call);
      },
      async (answers) => {
        for (const answer of answers) expect(bodyOf(answer)).toEqual({ count: 3 });
        expect((await packets()).map(({ attempts }) => attempts as number)).toEqual([2, 2, 2]);
      },
    ));

  it('for every command with a key', () => {
    expect([...diedDuring].sort()).toEqual(keyedCommands(ingestContracts));
  });

  it('for many packets, without reopening those that have failed again since the first request', async () => {
    await failedPackets(3);
    const request: SendRequest = (call) => ask('reprocessPackets', { body: { reason: 'timeout' } }, call);
    // The worker dies before its reply is stored.
    const ids = (await packets()).map(({ _id }) => String(_id));
    for (let step = 0; (await packets()).every(({ attempts }) => attempts === 1); step++) {
      lifeline.revive();
      clockAheadMs += leaseMs;
      lifeline.dieAt(step, 'after');
      await request().catch(() => undefined);
    }
    lifeline.revive();
    clockAheadMs += leaseMs;
    await fail(ids, 2);
    expect(bodyOf(await request())).toEqual({ count: 3 });
    expect(await packets()).toMatchObject(ids.map(() => ({ attempts: 2, status: 'failed' })));
  });
});

describe('a key', () => {
  const requests: [string, (text: string) => SendRequest, () => Promise<unknown[]>][] = [
    ['of a packet', (text) => packet(text), packets],
    ['of an entry', (text) => entry(text), packets],
    ['of an attachment', (text) => attachment(text), attachments],
  ];

  it.each(requests)('%s is rejected for another request', async (_, requestOf, kept) => {
    await requestOf('a')();
    await expect(requestOf('b')()).rejects.toMatchObject({ status: 409, code: 'idempotency_mismatch' });
    expect(await kept()).toHaveLength(1);
    expect((await requestOf('a')()).replayed).toBe(true);
  });

  it.each(requests)('%s belongs to one principal', async (_, requestOf, kept) => {
    await requestOf('a')();
    await requestOf('b')({ principal: { kind: 'client', id: 'bearer:2' } });
    expect(await kept()).toHaveLength(2);
  });

  it.each(requests)('%s can be reused after 24 hours', async (_, requestOf, kept) => {
    await requestOf('a')();
    clockAheadMs += dayMs - minuteMs;
    expect((await requestOf('a')()).replayed).toBe(true);
    clockAheadMs += 2 * minuteMs;
    await requestOf('b')();
    expect(await kept()).toHaveLength(2);
    expect((await requestOf('b')()).replayed).toBe(true);
  });

  it('of a packet can be reused after another request has released it', async () => {
    await packet('a')();
    clockAheadMs += dayMs + minuteMs;
    const released = { keys: '', requests: '' };
    lifeline.afterDuplicate = () => collection('packets').updateMany({ retailer }, { $unset: released });
    const { meta } = await packet('b')();
    expect(lifeline.afterDuplicate).toBeUndefined();
    expect(await packets()).toHaveLength(2);
    expect(await packet('b')()).toMatchObject({ meta, replayed: true });
  });

  it.each(requests)('%s: executes one of many concurrent requests', async (_, requestOf, kept) => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => requestOf('a')()));
    one(answers.map((answer) => [bodyOf(answer), answer.meta]));
    expect(answers.filter(({ replayed }) => replayed !== true).length).toBeLessThanOrEqual(1);
    expect(await kept()).toHaveLength(1);
  });

  it('does not treat a redelivered message as a retry', async () => {
    const id = allotter.allot(retailer);
    const answers = [
      await packet()({ id }),
      await packet()({ id }),
      await attachment()({ id }),
      await attachment()({ id }),
    ];
    expect(answers.map(({ replayed }) => replayed === true)).toEqual([false, false, false, false]);
    expect(await packets()).toHaveLength(1);
    expect(await attachments()).toHaveLength(1);
  });

  it('protects the same packet by a key and by an external id', async () => {
    const headers: [string, string][] = [['service-external-id', randomUUID()]];
    const first = await packet('a', headers)();
    const unkeyed = await packet('a', headers)({ idempotencyKey: undefined as never });
    expect(unkeyed.meta).toEqual(first.meta);
    await expect(packet('b', headers)({ idempotencyKey: newId() })).rejects.toMatchObject({
      status: 409,
      code: 'duplicate_external_id',
    });
    await expect(packet('b')()).rejects.toMatchObject({ code: 'idempotency_mismatch' });
    expect(await packets()).toHaveLength(1);
  });
});
