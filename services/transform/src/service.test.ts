import path from 'node:path';
import {
  addConvertedReceipts,
  finishPacket,
  transformContracts,
  type PacketMetadata,
  type PostedMapping,
} from '@receipts/contracts';
import { newId, ServiceError, type Input } from '@receipts/kernel';
import { connectBroker, type Broker } from '@receipts/messaging';
import { connectDatabase, type Database } from '@receipts/storage';
import {
  callOf,
  refusal,
  startMongo,
  startRabbit,
  testDatabase,
  until,
  type Mongo,
  type Rabbit,
} from '@receipts/testing';
import { loadExamples } from './load-examples';
import { createSandbox, type Sandbox } from './sandbox/sandbox';
import { startService } from './service';

const log = { info() {}, warn() {}, error() {}, debug() {} };

let rabbit: Rabbit;
let mongo: Mongo;
let database: Database;
let broker: Broker;
let sandbox: Sandbox;

type Finished = Input<typeof finishPacket>['body'];
const finished: Finished[] = [];
const stored: { id: string; receipt: Record<string, unknown>; packet: string; retailer: string }[] = [];
const refusals = new Map<string, ConstructorParameters<typeof ServiceError>[0]>();

beforeAll(async () => {
  [rabbit, mongo] = await Promise.all([startRabbit(), startMongo()]);
  database = await connectDatabase({
    uri: mongo.uri,
    database: testDatabase('transform'),
    service: 'transform',
    log,
  });
  broker = await connectBroker({ url: rabbit.url, service: 'test', log, retryDelaysMs: [100, 200] });
  await broker.serve({
    owner: 'ingest',
    contracts: { finishPacket },
    handlers: {
      async finishPacket({ body }) {
        finished.push(body);
        return {};
      },
    },
  });
  await broker.serve({
    owner: 'receipt-store',
    contracts: { addConvertedReceipts },
    handlers: {
      async addConvertedReceipts({ body }, call) {
        const results = body.receipts.map(({ id, receipt }) => {
          const refusal = refusals.get(receipt.transaction_id);
          if (refusal) return { error: new ServiceError(refusal).toWire() };
          stored.push({ id, receipt: { ...receipt }, packet: body.pos_data_id, retailer: call.retailer });
          return { id };
        });
        return { body: { results } };
      },
    },
  });
  sandbox = createSandbox({ processesMax: 2 });
  await startService({ broker, database, sandbox, log });
}, 90_000);

afterAll(async () => {
  await broker?.close();
  sandbox?.stop();
  await database?.close();
  await Promise.all([rabbit?.dispose(), mongo?.stop()]);
}, 30_000);

const jsonMapping = (id: string, changes: Partial<PostedMapping> = {}): PostedMapping => ({
  id,
  decode: { type: 'json' },
  transform: {
    language: 'jsonata',
    expression: `doc.sales.{
      "transaction_id": number, "localtime": "2026-01-02T03:04:05", "store_reference": "1", "total": sum,
      "items": [{ "name": "Shirt", "quantity": 1, "total": sum }], "properties": { "email": $$.props.email }
    }`,
  },
  ...changes,
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

interface Sent {
  readonly metadata?: PacketMetadata;
  readonly properties?: Record<string, string>;
  readonly contentType?: string;
  readonly id?: string;
}

/** Sends a packet and waits for what becomes of it. */
async function convert(retailer: string, body: string | Buffer, sent: Sent = {}): Promise<Finished> {
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
  return until(`the end of ${id}`, () => finished.find((candidate) => candidate.id === id));
}

const sales = (...numbers: string[]) =>
  JSON.stringify({ sales: numbers.map((number) => ({ number, sum: 5 })) });

describe('conversion', () => {
  beforeAll(() => setUp('acme', jsonMapping('json')));

  test('a packet becomes a receipt with the id that the till was told', async () => {
    const end = await convert('acme', sales('T1'), { properties: { email: 'a@b.example' } });
    expect(end).toMatchObject({ failure: null, mapping: { id: 'json', version: 1 }, receiptIds: [end.id] });
    expect(stored.find(({ id }) => id === end.id)).toMatchObject({
      packet: end.id,
      retailer: 'acme',
      receipt: { transaction_id: 'T1', total: 5, properties: { email: 'a@b.example' } },
    });
  });

  test('several receipts have ids that are the same whenever it is converted', async () => {
    const id = newId();
    const first = await convert('acme', sales('A', 'B', 'C'), { id });
    finished.length = 0;
    const again = await convert('acme', sales('A', 'B', 'C'), { id });
    expect(first.receiptIds).toHaveLength(3);
    expect(first.receiptIds[0]).toBe(id);
    expect(new Set(first.receiptIds).size).toBe(3);
    expect(again.receiptIds).toEqual(first.receiptIds);
  });

  test('what breaks the schema fails with every fault and its place', async () => {
    const body = JSON.stringify({
      sales: [
        { number: 'X', sum: 'much' },
        { number: 7, sum: 1 },
      ],
    });
    const end = await convert('acme', body);
    expect(end.failure?.reason).toBe('invalid_receipt');
    const paths = end.failure?.errors.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['/0/total', '/0/items/0/total', '/1/transaction_id']));
    expect(stored.some(({ packet }) => packet === end.id)).toBe(false);
  });

  test('a transaction id that exists fails the packet; what could be stored is', async () => {
    refusals.set('TAKEN', { status: 409, code: 'duplicate_transaction_id', description: 'exists' });
    const end = await convert('acme', sales('FREE', 'TAKEN'));
    expect(end).toMatchObject({
      receiptIds: [end.id],
      failure: { reason: 'duplicate_transaction_id', errors: [{ path: '/1' }] },
    });
  });

  test('a receipt store that is away delays it and loses nothing', async () => {
    refusals.set('LATER', { status: 503, description: 'away' });
    const id = newId();
    const end = convert('acme', sales('LATER'), { id });
    setTimeout(() => refusals.delete('LATER'), 150);
    expect(await end).toMatchObject({ failure: null, receiptIds: [id] });
  });

  test.each([
    ['{"sales":', 'decode_failed'],
    ['{"other": 1}', 'mapping_failed'],
    ['{"sales": 5}', 'invalid_receipt'],
    ['{"sales": []}', 'mapping_failed'],
  ])('%s fails with %s', async (body, reason) => {
    expect((await convert('acme', body)).failure?.reason).toBe(reason);
  });

  test('nobody elses mapping is used', async () => {
    const end = await convert('stranger', sales('T'));
    expect(end).toMatchObject({ mapping: null, failure: { reason: 'no_mapping' } });
  });

  test('a mapping that does not exist is no mapping', async () => {
    const end = await convert('acme', sales('T'), { metadata: { mapping: 'nowhere' } });
    expect(end.failure?.reason).toBe('no_mapping');
  });
});

describe('packets that have just arrived', () => {
  beforeAll(() => setUp('arrivals', jsonMapping('json')));

  const ask = (body: string, deadline = Date.now() + 60_000) => {
    const params = {
      id: newId(),
      packetContentType: 'application/json',
      metadata: {},
      properties: {},
      attachments: [],
      receivedTimestamp: '2026-01-02T03:04:06+00:00',
    };
    const call = { ...callOf('arrivals'), deadline };
    const answer = broker.ask(transformContracts.convertArrival, { params, body: Buffer.from(body) }, call);
    return { id: params.id, answer };
  };

  test('ingest is answered what they became, and told nothing else', async () => {
    const { id, answer } = ask(sales('N1'));
    expect((await answer).body).toEqual({
      receiptIds: [id],
      mapping: { id: 'json', version: 1 },
      failure: null,
    });
    expect(stored.find((receipt) => receipt.id === id)).toMatchObject({ packet: id, retailer: 'arrivals' });
    const bad = await ask('{"sales":').answer;
    expect(bad.body).toMatchObject({ receiptIds: [], failure: { reason: 'decode_failed' } });
    await convert('arrivals', sales('N2'));
    expect(finished.some((end) => end.id === id)).toBe(false);
  });

  test('a receipt store that is away is a refusal that passes', async () => {
    refusals.set('AWAY', { status: 503, description: 'away' });
    expect((await refusal(ask(sales('AWAY')).answer)).status).toBeGreaterThanOrEqual(500);
    refusals.delete('AWAY');
  });
});

describe('bad mappings cost their own packets only', () => {
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

  test('a flood of them does not keep another retailer waiting', async () => {
    const flood = Array.from({ length: 12 }, () =>
      convert('bad', 'x', { metadata: { source_id: 'endless' }, contentType: 'text/plain' }),
    );
    let ended = 0;
    for (const one of flood) void one.finally(() => ended++);
    const ends = await Promise.all(Array.from({ length: 20 }, (_, n) => convert('good', sales(`Q${n}`))));
    expect(ends.every(({ failure }) => failure === null)).toBe(true);
    expect(ended).toBeLessThan(flood.length);
    await Promise.all(flood);
  }, 300_000);
});

describe('mappings', () => {
  const samples = [
    { input_base64: Buffer.from(sales('S1')).toString('base64'), expect: { transaction_id: 'S1', total: 5 } },
  ];

  test('a document becomes a draft; the same id again the next version', async () => {
    const first = await create('maps', jsonMapping('m'));
    expect(first.body).toMatchObject({ id: 'm', version: 1, status: 'draft' });
    const second = await create(
      'maps',
      jsonMapping('m', { description: 'better', defaults: { 'a.b': { $x: 1 } } }),
    );
    expect(second.body).toMatchObject({ version: 2, status: 'draft', defaults: { 'a.b': { $x: 1 } } });
    const get = (version?: number) =>
      broker.ask(transformContracts.getMapping, { params: { id: 'm' }, query: { version } }, callOf('maps'));
    expect((await get()).body).toMatchObject({ version: 2, defaults: { 'a.b': { $x: 1 } } });
    expect((await get(1)).body).toMatchObject({ version: 1 });
    expect(await refusal(get(3))).toMatchObject({ status: 404, code: 'mapping_not_found' });
  });

  test('ten at once are ten versions', async () => {
    const made = await Promise.all(Array.from({ length: 10 }, () => create('many', jsonMapping('m'))));
    expect(made.map(({ body }) => body.version).sort((a, b) => a - b)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
    ]);
  });

  test('one call, executed twice, is one version; what others did since stays', async () => {
    const call = callOf('twice');
    const ask = () => broker.ask(transformContracts.createMapping, { body: jsonMapping('m') }, call);
    const first = await ask();
    // Its process died before the mapping knew of its version.
    await database.db.collection('mappings').deleteOne({ retailer: 'twice' });
    expect((await ask()).body).toEqual(first.body);
    expect((await create('twice', jsonMapping('m'))).body.version).toBe(2);

    const patch = callOf('twice');
    const patched = () =>
      broker.ask(
        transformContracts.patchMapping,
        {
          params: { id: 'm' },
          headers: { 'if-match': '"2"' },
          body: [{ op: 'add', path: '/description', value: 'x' }],
          contentType: 'application/json-patch+json',
        } as never,
        patch,
      );
    const third = await patched();
    expect(third.body).toMatchObject({ version: 3 });
    expect((await patched()).body).toEqual(third.body);

    const activation = callOf('twice');
    const activateFirst = () =>
      broker.ask(
        transformContracts.activateMapping,
        { params: { id: 'm' }, body: { version: 1 } },
        activation,
      );
    await activateFirst();
    await activate('twice', 'm', 2);
    expect((await activateFirst()).body).toMatchObject({ version: 1, status: 'inactive' });
  });

  test('what does not compile is refused with every place', async () => {
    const broken = jsonMapping('broken', {
      decode: { type: 'text', codepage: 'cp9999' },
      extract: {
        fields: { a: { line: '(' }, b: { line: '(x)\\1' } },
        tables: { t: { row: '(?=look)' } },
      },
      transform: { language: 'jsonata', expression: '{ "a": \n\n ]' },
    });
    const error = await refusal(create('maps', broken));
    expect(error).toMatchObject({ status: 422, code: 'mapping_invalid' });
    expect(error.errors?.map(({ path }) => path)).toEqual([
      '/decode/codepage',
      '/extract/fields/a/line',
      '/extract/fields/b/line',
      '/extract/tables/t/row',
      '/transform/expression',
    ]);
    expect(error.errors?.at(-1)).toMatchObject({ line: 3 });
  });

  test('samples guard activation and say how they differ', async () => {
    const [sample] = samples;
    const wrong = {
      input_base64: sample?.input_base64 ?? '',
      expect: { transaction_id: 'S2', items: [{ total: 5 }, {}] },
    };
    await create('guard', jsonMapping('m', { samples: [...samples, wrong] }));
    const error = await refusal(activate('guard', 'm'));
    expect(error).toMatchObject({ status: 422, code: 'samples_failed' });
    expect(error.errors).toMatchObject([
      { path: '/samples/1/expect/transaction_id', message: 'expected "S2", got "S1"' },
      { path: '/samples/1/expect/items' },
    ]);
    await create('guard', jsonMapping('m', { samples }));
    expect((await activate('guard', 'm')).body).toMatchObject({ version: 2, status: 'active' });
  });

  test('a mapping that gives no receipt passes no sample and no dry run', async () => {
    const data = { input_base64: Buffer.from(sales()).toString('base64') };
    const none = jsonMapping('m', { samples: [{ ...data, expect: { total: 5 } }] });
    none.transform.expression = '[]';
    await create('none', none);
    const error = await refusal(activate('none', 'm'));
    expect(error).toMatchObject({ code: 'samples_failed', errors: [{ path: '/samples/0/receipts' }] });
    const run = broker.ask(
      transformContracts.dryRunMapping,
      { body: { mapping: 'm', ...data } },
      callOf('none'),
    );
    expect((await run).body).toMatchObject({ receipts: [], errors: [{ code: 'no_receipt' }] });
  });

  test('one version is active at most; it is in force at once', async () => {
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

  test('a patch of the newest version is the next one', async () => {
    await setUp('patch', jsonMapping('m'));
    const patch = (body: unknown, ifMatch?: string) =>
      broker.ask(
        transformContracts.patchMapping,
        { params: { id: 'm' }, headers: { 'if-match': ifMatch }, body },
        callOf('patch'),
      );
    const { body } = await patch([{ op: 'add', path: '/description', value: 'new' }], '"1"');
    expect(body).toMatchObject({ version: 2, status: 'draft', description: 'new' });
    expect(await refusal(patch([], '"1"'))).toMatchObject({ status: 412 });
    expect(await refusal(patch([{ op: 'replace', path: '/id', value: 'n' }]))).toMatchObject({
      status: 422,
      code: 'field_not_modifiable',
    });
    await create('patch', jsonMapping('n'));
    await create('patch', jsonMapping('n'));
    for (const operation of [
      { op: 'replace', path: '', value: jsonMapping('n') },
      { op: 'replace', path: '', value: null },
      { op: 'remove', path: '' },
    ])
      expect(await refusal(patch([operation]))).toMatchObject({ status: 422, code: 'field_not_modifiable' });
    expect(await refusal(patch([{ op: 'replace', path: '/decode', value: { type: 'fax' } }]))).toMatchObject({
      status: 422,
      code: 'schema_validation_failed',
    });
    expect(await refusal(patch({ no: 'patch' }))).toMatchObject({ status: 400, code: 'malformed_patch' });
  });

  test('are their retailers alone', async () => {
    await create('owner', jsonMapping('mine'));
    const get = broker.ask(
      transformContracts.getMapping,
      { params: { id: 'mine' }, query: {} },
      callOf('thief'),
    );
    expect(await refusal(get)).toMatchObject({ status: 404 });
    expect(await refusal(activate('thief', 'mine'))).toMatchObject({ status: 404 });
  });

  test('a dry run shows what the expression saw and every fault', async () => {
    const mapping: PostedMapping = {
      id: 'dry',
      decode: { type: 'text' },
      extract: {
        fields: { number: { line: '^No (\\d+)' } },
        tables: { items: { row: '^(?<name>[a-zA-Z]{3,}) (?<amount>[\\d.]+)$' } },
      },
      transform: {
        language: 'jsonata',
        expression:
          '{ "transaction_id": fields.number, "total": $sum(tables.items.$number(amount)), "note": props.n }',
      },
    };
    const body = {
      mapping,
      input_base64: Buffer.from('No 12\nShirt 5.50\nSocks 2\n').toString('base64'),
      content_type: 'text/plain',
      properties: { n: '1' },
      metadata: { store_reference: 7 },
    };
    const run = await broker.ask(transformContracts.dryRunMapping, { body }, callOf('dry'));
    expect(run.body.receipts).toMatchObject([{ transaction_id: '12', total: 7.5, store_reference: '7' }]);
    expect(run.body.errors.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/0/items', '/0/localtime', '/0/note']),
    );
    expect(run.body.decoded).toMatchObject({
      lines: ['No 12', 'Shirt 5.50', 'Socks 2'],
      fields: { number: '12' },
      tables: {
        items: [
          { name: 'Shirt', amount: '5.50' },
          { name: 'Socks', amount: '2' },
        ],
      },
    });
    await create('dry', jsonMapping('kept'));
    const kept = { mapping: 'kept', input_base64: Buffer.from(sales('K')).toString('base64') };
    const second = await broker.ask(transformContracts.dryRunMapping, { body: kept }, callOf('dry'));
    expect(second.body).toMatchObject({ receipts: [{ transaction_id: 'K' }], errors: [] });
  });
});

test('the example mappings are set up once', async () => {
  const dir = path.resolve(__dirname, '../../../deploy/examples/mappings');
  expect(await loadExamples(broker, 'demo', dir)).toHaveLength(7);
  expect(await loadExamples(broker, 'demo', dir)).toEqual([]);
}, 60_000);
