import { transformContracts, type PacketMetadata, type PostedMapping } from '@receipts/contracts';
import { newId } from '@receipts/kernel';
import { connectBroker, type Broker } from '@receipts/messaging';
import type { Database } from '@receipts/storage';
import { openTestDatabase } from '@receipts/storage/testing';
import {
  callOf,
  startMongo,
  emptyRabbit,
  testDatabase,
  until,
  type Mongo,
  type RabbitForTests,
  silentLog,
} from '@receipts/testing';
import { Sandbox } from './sandbox/sandbox';
import { startService } from './service';
import { Neighbours } from './testing/neighbours';
import { jsonMapping, sales } from './testing/samples';

let rabbit: RabbitForTests;
let mongo: Mongo;
let database: Database;
let broker: Broker;
let sandbox: Sandbox;

const neighbours = new Neighbours();
const { finished, converted, stored } = neighbours;

beforeAll(async () => {
  [rabbit, mongo] = await Promise.all([emptyRabbit(), startMongo()]);
  database = await openTestDatabase({ uri: mongo.uri, database: testDatabase('transform') });
  broker = await connectBroker({
    url: rabbit.url,
    service: 'test',
    log: silentLog,
    retryDelaysMs: [100, 200],
  });
  await neighbours.serve(broker);
  sandbox = new Sandbox({ processesMax: 2 });
  await startService({ broker, database, sandbox, log: silentLog });
});

afterAll(async () => {
  await broker?.close();
  sandbox?.stop();
  await database?.close();
  await Promise.all([rabbit?.dispose(), mongo?.stop()]);
});

const create = (retailer: string, mapping: PostedMapping) =>
  broker.ask(transformContracts.createMapping, { body: mapping }, callOf(retailer));
const activate = (retailer: string, id: string, version?: number) =>
  broker.ask(
    transformContracts.activateMapping,
    { params: { id }, body: version === undefined ? {} : { version } },
    callOf(retailer),
  );
const setUp = async (retailer: string, mapping: PostedMapping) => {
  await create(retailer, mapping);
  await activate(retailer, mapping.id);
};

interface SentPacket {
  readonly metadata?: PacketMetadata;
  readonly properties?: Record<string, string>;
  readonly contentType?: string;
  readonly id?: string;
}

/** Sends a packet, and waits until it has failed or its receipts are stored. */
async function convert(retailer: string, body: string | Buffer, sent: SentPacket = {}) {
  const id = sent.id ?? newId();
  const params = {
    id,
    attempt: 1,
    packetContentType: sent.contentType ?? 'application/json',
    metadata: sent.metadata ?? {},
    properties: sent.properties ?? {},
    attachments: [],
    receivedTimestamp: '2026-01-02T03:04:06+00:00',
  };
  await broker.send(transformContracts.convertPacket, { params, body: Buffer.from(body) }, callOf(retailer));
  return until(`the outcome of ${id}`, () => {
    const passed = converted.find((one) => one.pos_data_id === id);
    if (passed) return { id, mapping: passed.mapping, failure: null };
    return finished.find((one) => one.id === id);
  });
}

describe('conversion', () => {
  beforeAll(() => setUp('acme', jsonMapping('json')));

  test('converts a packet to a receipt with the id promised to the till', async () => {
    const end = await convert('acme', sales('T1'), { properties: { email: 'a@b.example' } });
    expect(end).toMatchObject({ failure: null, mapping: { id: 'json', version: 1 } });
    expect(stored.find(({ id }) => id === end.id)).toMatchObject({
      packet: end.id,
      retailer: 'acme',
      receipt: { transaction_id: 'T1', total: 5, properties: { email: 'a@b.example' } },
    });
  });
});

describe('limits the effect of bad mappings to their own packets', () => {
  const text = (id: string, expression: string): PostedMapping => ({
    id,
    match: { source_id: [id] },
    decode: { type: 'text' },
    limits: { timeout_ms: 100 },
    transform: { language: 'jsonata', expression },
  });
  const bad: [string, string, string][] = [
    ['endless', '($f := function() { $f() }; $f())', 'timeout'],
    ['builtin', '$length($pad("x", 200000000, "ab"))', 'timeout|crashed|mapping_failed'],
    [
      'memory',
      '($g := function($s) { $g($s & $s) }; $g("0123456789"))',
      'timeout|crashed|mapping_failed|too_large',
    ],
    ['deep', '($f := function($n) { 1 + $f($n + 1) }; $f(1))', 'mapping_failed'],
    ['picture', '$toMillis($join([1..40].("a")) & "!", "[Y]" & $join([1..12].("a*")) & "b")', '.'],
    ['flood', '[1..60].{ "transaction_id": "x" }', 'too_large'],
    ['escape', '$string($lookup(lines, "constructor").constructor("return process")())', 'mapping_failed'],
  ];

  beforeAll(async () => {
    for (const [id, expression] of bad) await setUp('bad', text(id, expression));
    await setUp('good', jsonMapping('json'));
  });

  test.each(bad)('%s', async (id, _, reason) => {
    const end = await convert('bad', 'aaaaaaaaaaaaaaaaaaaaaaaa!', {
      metadata: { source_id: id },
      contentType: 'text/plain',
    });
    expect(end.failure?.reason).toMatch(new RegExp(reason));
    expect((await convert('good', sales('after'))).failure).toBeNull();
  });

  test('without delaying another retailer, even in a flood', async () => {
    const flood = Array.from({ length: 12 }, () =>
      convert('bad', 'x', { metadata: { source_id: 'endless' }, contentType: 'text/plain' }),
    );
    let ended = 0;
    for (const one of flood) void one.finally(() => ended++);
    const ends = await Promise.all(Array.from({ length: 20 }, (_, n) => convert('good', sales(`Q${n}`))));
    expect(ends.every(({ failure }) => failure === null)).toBe(true);
    expect(ended).toBeLessThan(flood.length);
    await Promise.all(flood);
  });
});

describe('mappings', () => {
  test('have at most one active version, and changes take effect immediately', async () => {
    await setUp('force', jsonMapping('m'));
    expect((await convert('force', sales('F1'))).mapping).toEqual({ id: 'm', version: 1 });
    await create('force', jsonMapping('m'));
    await activate('force', 'm');
    expect((await convert('force', sales('F2'))).mapping).toEqual({ id: 'm', version: 2 });
    await activate('force', 'm', 1);
    expect((await convert('force', sales('F3'))).mapping).toEqual({ id: 'm', version: 1 });
    const list = (status: 'active' | 'inactive' | 'draft') =>
      broker.ask(transformContracts.listMappings, { query: { status, count: 100 } }, callOf('force'));
    expect((await list('active')).body.mappings).toMatchObject([{ version: 1, status: 'active' }]);
    expect((await list('inactive')).body.mappings).toMatchObject([{ version: 2, status: 'inactive' }]);
    expect((await list('draft')).body.mappings).toEqual([]);
    const off = await broker.ask(
      transformContracts.deactivateMapping,
      { params: { id: 'm' } },
      callOf('force'),
    );
    expect(off.body).toMatchObject({ version: 1, status: 'inactive' });
    expect((await convert('force', sales('F4'))).failure?.reason).toBe('no_mapping');
  });
});
