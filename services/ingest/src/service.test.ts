import { randomUUID } from 'node:crypto';
import {
  addConvertedReceipts,
  convertArrival,
  convertPacket,
  finishPacket,
  findReceiptWithAttachment,
  ingestContracts,
  ingestEvents,
  type PacketView,
} from '@receipts/contracts';
import {
  idAllotter,
  newId,
  ServiceError,
  unavailable,
  type Call,
  type EventRecord,
  type Item,
} from '@receipts/kernel';
import { connectBroker, on, type Broker } from '@receipts/messaging';
import { connectDatabase, type Service, type Database } from '@receipts/storage';
import {
  callOf as clientCall,
  refusal,
  startMongo,
  startRabbit,
  testDatabase,
  until,
  type Mongo,
  type Rabbit,
} from '@receipts/testing';
import { startService } from './service';

const log = { info() {}, warn() {}, error() {}, debug() {} };
const idSecret = 'a secret of sixteen or more';
const allotter = idAllotter(idSecret);
const sendAgainAfterMs = 60_000;

let rabbit: Rabbit;
let mongo: Mongo;
let database: Database;
let broker: Broker;
let service: Service;
let clockAheadMs = 0;

const now = () => new Date(Date.now() + clockAheadMs);
const orders: Item<typeof convertPacket>[] = [];
const events: EventRecord[] = [];
/** Packets that transform was asked about as they arrived; it answers for those that say `now`. */
const arrivals: Item<typeof convertArrival>[] = [];
/** Receipts that exist for the consumer `joe`. */
const joesAttachments = new Set<string>();

const callOf = (retailer: string, extra: Partial<Call> = {}) =>
  clientCall(retailer, { id: allotter.allot(retailer), ...extra });

beforeAll(async () => {
  [rabbit, mongo] = await Promise.all([startRabbit(), startMongo()]);
  database = await connectDatabase({
    uri: mongo.uri,
    database: testDatabase('ingest'),
    service: 'ingest',
    log,
  });
  broker = await connectBroker({ url: rabbit.url, service: 'test', log });
  await broker.serve({
    owner: 'transform',
    contracts: { convertArrival, convertPacket },
    handlers: {
      async convertArrival(input, call) {
        arrivals.push({ input, call });
        const { id } = input.params;
        const mapping = { id: 'm', version: 2 };
        const text = input.body.toString();
        if (text.startsWith('now')) return { body: { receiptIds: [id], mapping, failure: null } };
        if (!text.startsWith('fails')) throw new ServiceError(unavailable);
        const errors = [{ path: '', code: 'decode_failed', message: 'is not text' }];
        return { body: { receiptIds: [], mapping, failure: { reason: 'decode_failed' as const, errors } } };
      },
      convertPacket: {
        async batch(items) {
          orders.push(...items);
          return items.map(() => ({}));
        },
      },
    },
  });
  await broker.serve({
    owner: 'receipt-store',
    contracts: { findReceiptWithAttachment, addConvertedReceipts },
    handlers: {
      async findReceiptWithAttachment({ body }, call) {
        const isJoes = call.consumers?.includes('joe') === true && joesAttachments.has(body.attachment_id);
        return { body: { receipt_id: isJoes ? newId() : null } };
      },
      async addConvertedReceipts() {
        return { body: { results: [] } };
      },
    },
  });
  await broker.subscribe({
    queue: 'test.events',
    subscriptions: [on(Object.values(ingestEvents), async (received) => void events.push(...received))],
  });
  service = await startService({ broker, database, log, idSecret, basePath: '', sendAgainAfterMs, now });
}, 90_000);

afterAll(async () => {
  await service?.stop();
  await broker?.close();
  await database?.close();
  await Promise.all([rabbit?.dispose(), mongo?.stop()]);
}, 30_000);

type Pairs = [string, string][];

interface Posted {
  readonly query?: Pairs;
  readonly headers?: Pairs;
  readonly contentType?: string;
}

const inputOf = (
  body: string | Buffer,
  { query = [], headers = [], contentType = 'text/plain' }: Posted = {},
) => ({
  query: { free: query },
  headers: { free: headers },
  contentType,
  body: Buffer.from(body),
});

const post = (call: Call, body: string | Buffer, posted?: Posted) =>
  broker.ask(ingestContracts.acceptPacket, inputOf(body, posted), call);

const orderOf = (id: string) =>
  until(`the order of ${id}`, () => orders.find(({ input }) => input.params.id === id));

const packetOf = async (retailer: string, id: string): Promise<PacketView> =>
  (await broker.ask(ingestContracts.getPacket, { params: { id } }, callOf(retailer))).body;

const finish = (retailer: string, id: string, failure: 'timeout' | null, attempt = 1, receiptIds = [id]) =>
  broker.send(
    finishPacket,
    {
      body: {
        id,
        attempt,
        receiptIds: failure ? [] : receiptIds,
        mapping: { id: 'm', version: 2 },
        failure: failure && { reason: failure, errors: [{ path: '', code: failure, message: 'too slow' }] },
      },
    },
    callOf(retailer),
  );

const stateOf = async (retailer: string, id: string) =>
  (await broker.ask(ingestContracts.findPacketState, { body: { receipt_id: id } }, callOf(retailer))).body
    .state;

test('a packet is kept, announced and ordered to be converted; the till was promised the id of its message', async () => {
  const call = callOf('acme');
  expect(await stateOf('acme', call.id)).toBe('unknown');
  await broker.send(
    ingestContracts.acceptPacket,
    inputOf('Sales: 1', {
      query: [
        ['Till_ID', '7'],
        ['property-E-Mail', 'q@x.example'],
        ['property-a.b', '$x'],
      ],
      headers: [
        ['Service-Property-E_mail', 'h@x.example'],
        ['service-duplicate', 'TRUE'],
      ],
      contentType: 'text/plain; charset=latin1',
    }),
    call,
  );
  const order = await orderOf(call.id);
  expect(order.input.body.toString()).toBe('Sales: 1');
  expect(order.input.params).toMatchObject({
    attempt: 1,
    packetContentType: 'text/plain; charset=latin1',
    metadata: { till_id: '7', duplicate: true },
    properties: { e_mail: 'h@x.example', 'a.b': '$x' },
  });
  expect(order.call).toMatchObject({ retailer: 'acme', requestId: call.requestId });
  expect(await packetOf('acme', call.id)).toMatchObject({
    id: call.id,
    receipt_id: call.id,
    status: 'accepted',
    size: 8,
    attempts: 1,
    duplicate: true,
    properties: { e_mail: 'h@x.example', 'a.b': '$x' },
  });
  const event = await until('the event', () => events.find(({ subject }) => subject === call.id));
  expect(event).toMatchObject({ type: 'pos_receipt.accepted', retailer: 'acme', sequence: 1 });
  expect(await stateOf('acme', call.id)).toBe('accepted');
});

describe('converted as it arrives', () => {
  const arrive = async (body: string, retailer = 'quick') => {
    const call = callOf(retailer);
    await broker.send(ingestContracts.acceptPacket, inputOf(body), call);
    return call;
  };
  const eventsOf = (id: string) =>
    until(`both events of ${id}`, () => {
      const found = events.filter(({ subject }) => subject === id);
      return found.length >= 2 && found;
    });
  const askedAbout = (id: string) => arrivals.filter(({ input }) => input.params.id === id);

  test('a packet is written down once, finished, and both events say so', async () => {
    const call = await arrive('now');
    const packet = await packetOf('quick', call.id);
    expect(packet).toMatchObject({
      status: 'converted',
      attempts: 1,
      mapping: { id: 'm', version: 2 },
      receipt_ids: [call.id],
    });
    const told = (await eventsOf(call.id)).map(({ type, sequence }) => [type, sequence]);
    expect(told.sort()).toEqual([
      ['pos_receipt.accepted', 1],
      ['pos_receipt.converted', 2],
    ]);
    expect(askedAbout(call.id)[0]?.call).toMatchObject({ retailer: 'quick', requestId: call.requestId });
    expect(orders.some(({ input }) => input.params.id === call.id)).toBe(false);
    expect(await stateOf('quick', call.id)).toBe('converted');
  });

  test('one that cannot be converted says why', async () => {
    const call = await arrive('fails');
    expect(await packetOf('quick', call.id)).toMatchObject({
      status: 'failed',
      reason: 'decode_failed',
      errors: [{ code: 'decode_failed' }],
    });
    expect((await eventsOf(call.id)).map(({ type }) => type)).toContain('pos_receipt.failed');
    await broker.ask(ingestContracts.reprocessPacket, { params: { id: call.id } }, callOf('quick'));
    expect((await orderOf(call.id)).input.params.attempt).toBe(2);
  });

  test('what a credential posted that is confined to consumers stays confined to them, also when it comes again', async () => {
    const call = callOf('quick', { consumers: ['joe'] });
    await broker.send(ingestContracts.acceptPacket, inputOf('fails'), call);
    await packetOf('quick', call.id);
    expect(askedAbout(call.id)[0]?.call.consumers).toEqual(['joe']);
    await broker.ask(ingestContracts.reprocessPacket, { params: { id: call.id } }, callOf('quick'));
    expect((await orderOf(call.id)).call.consumers).toEqual(['joe']);
  });

  test('one that nobody could say anything about is kept and ordered', async () => {
    const call = await arrive('later');
    expect((await orderOf(call.id)).input.body.toString()).toBe('later');
    expect(await packetOf('quick', call.id)).toMatchObject({ status: 'accepted' });
  });

  test('a message that is delivered twice is one packet, said once', async () => {
    const call = await arrive('now, twice');
    await eventsOf(call.id);
    await broker.send(ingestContracts.acceptPacket, inputOf('now, twice'), call);
    await until('the second delivery', () => askedAbout(call.id).length === 2);
    const marker = await arrive('now, after');
    await eventsOf(marker.id);
    expect(events.filter(({ subject }) => subject === call.id)).toHaveLength(2);
  });

  test('one whose sender waits is written down first', async () => {
    const call = callOf('quick');
    const headers: Pairs = [['service-external-id', randomUUID()]];
    const { meta } = await post(call, 'now, awaited', { headers });
    expect(await packetOf('quick', meta.id)).toMatchObject({ status: 'accepted' });
    await orderOf(meta.id);
    expect(askedAbout(meta.id)).toEqual([]);
  });
});

test('another retailer sees nothing of it', async () => {
  const call = callOf('acme');
  await post(call, 'x');
  expect(await stateOf('other', call.id)).toBe('unknown');
  expect(await refusal(packetOf('other', call.id))).toMatchObject({ status: 404 });
  const raw = broker.ask(ingestContracts.getPacketRaw, { params: { id: call.id } }, callOf('other'));
  expect(await refusal(raw)).toMatchObject({ status: 404 });
});

test('nor does a consumer, whatever the key may do', async () => {
  const call = callOf('acme');
  await post(call, 'x');
  const asJoe = callOf('acme', { consumers: ['joe'] });
  for (const contract of [ingestContracts.getPacket, ingestContracts.getPacketRaw]) {
    const work = broker.ask(contract, { params: { id: call.id } }, asJoe);
    expect(await refusal(work)).toMatchObject({ status: 403, code: 'permission_denied' });
  }
  const list = broker.ask(ingestContracts.listPackets, { query: { count: 20 } }, asJoe);
  expect(await refusal(list)).toMatchObject({ status: 403 });
});

test('the same message delivered twice is one packet', async () => {
  const call = callOf('twice');
  await Promise.all([post(call, 'x'), post(call, 'x'), post(call, 'x')]);
  const { body } = await broker.ask(ingestContracts.listPackets, { query: { count: 20 } }, callOf('twice'));
  expect(body.packets.map(({ id }) => id)).toEqual([call.id]);
});

test('a conversion is recorded once, with its event, whatever is said again later', async () => {
  const call = callOf('acme');
  await post(call, 'x');
  const second = newId();
  await finish('acme', call.id, null, 1, [call.id, second]);
  const packet = await until('the conversion', async () => {
    const found = await packetOf('acme', call.id);
    return found.status === 'converted' && found;
  });
  expect(packet).toMatchObject({
    reason: null,
    mapping: { id: 'm', version: 2 },
    receipt_ids: [call.id, second],
  });
  expect(await packetOf('acme', second)).toMatchObject({ id: call.id });
  await finish('acme', call.id, 'timeout');
  await finish('acme', call.id, null);
  const told = () => events.filter((event) => event.subject === call.id);
  await until('both events', () =>
    [1, 2].every((sequence) => told().some((event) => event.sequence === sequence)),
  );
  const again = await refusal(
    broker.ask(ingestContracts.reprocessPacket, { params: { id: call.id } }, callOf('acme')),
  );
  expect(again).toMatchObject({ status: 409, code: 'packet_converted' });
  expect(await packetOf('acme', call.id)).toMatchObject({ status: 'converted' });
  expect(told()).toHaveLength(2);
});

test('a failure says why, and the packet can be converted again', async () => {
  const call = callOf('acme');
  await post(call, 'x');
  await finish('acme', call.id, 'timeout');
  const failed = await until('the failure', async () => {
    const found = await packetOf('acme', call.id);
    return found.status === 'failed' && found;
  });
  expect(failed).toMatchObject({ reason: 'timeout', errors: [{ code: 'timeout' }] });
  const { body: known } = await broker.ask(
    ingestContracts.findPacketState,
    { body: { receipt_id: call.id } },
    callOf('acme'),
  );
  expect(known).toEqual({ state: 'failed', failed: { id: call.id, reason: 'timeout' } });

  await broker.ask(ingestContracts.reprocessPacket, { params: { id: call.id } }, callOf('acme'));
  await until('the second order', () =>
    orders.find(({ input }) => input.params.id === call.id && input.params.attempt === 2),
  );
  // What the first attempt failed with comes late and counts no more.
  await finish('acme', call.id, 'timeout', 1);
  await finish('acme', call.id, null, 2);
  await until('the conversion', async () => (await packetOf('acme', call.id)).status === 'converted');
  expect(await packetOf('acme', call.id)).toMatchObject({ attempts: 2, reason: null, errors: [] });
});

test('all that failed for a reason can be converted again', async () => {
  const calls = [callOf('many'), callOf('many'), callOf('many')];
  for (const call of calls) {
    await post(call, 'x');
    await finish('many', call.id, 'timeout');
  }
  await until('the failures', async () => {
    const { body } = await broker.ask(
      ingestContracts.listPackets,
      { query: { count: 20, status: 'failed', reason: 'timeout' } },
      callOf('many'),
    );
    return body.packets.length === 3;
  });
  const none = await broker.ask(
    ingestContracts.reprocessPackets,
    { body: { reason: 'crashed' } },
    callOf('many'),
  );
  expect(none.body.count).toBe(0);
  const all = await broker.ask(
    ingestContracts.reprocessPackets,
    { body: { reason: 'timeout', mapping: 'm' } },
    callOf('many'),
  );
  expect(all.body.count).toBe(3);
  for (const call of calls) {
    await until('the second order', () =>
      orders.find(({ input }) => input.params.id === call.id && input.params.attempt === 2),
    );
  }
});

test('what nobody converts is ordered again', async () => {
  const call = callOf('acme');
  await post(call, 'lost');
  const count = () => orders.filter(({ input }) => input.params.id === call.id).length;
  await until('the order', () => count() === 1);
  clockAheadMs += sendAgainAfterMs + 1_000;
  await until('the next order', () => count() === 2);
  expect(await packetOf('acme', call.id)).toMatchObject({ status: 'accepted', attempts: 1 });
});

test('an external id makes it safe to send again', async () => {
  const external = randomUUID();
  const headers: Pairs = [['service-external-id', external.toUpperCase()]];
  const first = await post(callOf('acme'), 'abc', { headers });
  const again = await post(callOf('acme'), 'abc', { query: [['external_id', external]] });
  const byExternalId = (retailer: string) =>
    broker.ask(
      ingestContracts.findPacketState,
      { body: { external_id: external.toUpperCase() } },
      callOf(retailer),
    );
  expect((await byExternalId('acme')).body.state).toBe('accepted');
  expect((await byExternalId('other')).body.state).toBe('unknown');
  expect(again.meta).toEqual(first.meta);
  expect(allotter.isAllotted(first.meta.id, 'acme')).toBe(true);
  expect(await refusal(post(callOf('acme'), 'other', { headers }))).toMatchObject({
    status: 409,
    code: 'duplicate_external_id',
    extra: { id: first.meta.id },
  });
  const elsewhere = await post(callOf('other'), 'other', { headers });
  expect(elsewhere.meta).not.toEqual(first.meta);
});

test('fifty requests with one external id at once are one packet', async () => {
  const headers: Pairs = [['service-external-id', randomUUID()]];
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => post(callOf('race'), 'abc', { headers })),
  );
  expect(new Set(answers.map(({ meta }) => meta.id)).size).toBe(1);
});

describe('POS data', () => {
  const entry = {
    source_id: 'journal',
    source_read: '2026-01-02T03:04:05Z',
    entry_id: '1',
    store_reference: 7,
    till_id: 'till 1',
    till_uuid: randomUUID(),
    receipt: Buffer.from('raw').toString('base64'),
  };

  test('the same entry again is accepted and ordered once', async () => {
    for (let time = 0; time < 3; time++) {
      await broker.ask(ingestContracts.postPosData, { body: entry }, callOf('journal'));
    }
    await broker.ask(ingestContracts.postPosData, { body: { ...entry, entry_id: '2' } }, callOf('journal'));
    const { body } = await broker.ask(
      ingestContracts.listPackets,
      { query: { count: 20 } },
      callOf('journal'),
    );
    expect(body.packets.map(({ metadata }) => metadata.entry_id).sort()).toEqual(['1', '2']);
    const first = body.packets.find(({ metadata }) => metadata.entry_id === '1');
    expect(first?.metadata).toMatchObject({ store_reference: '7', till_id: 'till 1', source_id: 'journal' });
    expect((await orderOf(first?.id ?? '')).input.body.toString()).toBe('raw');
  });

  test('inline attachments are kept with the packet', async () => {
    const data = Buffer.from('%PDF').toString('base64');
    const attachments = { pdf: { data, content_type: 'application/pdf' } };
    const body = { ...entry, entry_id: '3', attachments };
    await broker.ask(ingestContracts.postPosData, { body }, callOf('journal'));
    const order = await until('the order', () =>
      orders.find(({ input }) => input.params.metadata.entry_id === '3'),
    );
    const [link] = order.input.params.attachments;
    const found = await broker.ask(
      ingestContracts.describeAttachments,
      { body: { ids: [link?.id ?? ''] } },
      callOf('journal'),
    );
    expect(found.body.attachments).toMatchObject([
      { content_type: 'application/pdf', filename: 'pdf', size: 4 },
    ]);
  });
});

describe('attachments', () => {
  const create = (retailer: string, name: string, contentType: string, body = 'bytes') =>
    broker.ask(
      ingestContracts.createAttachment,
      {
        headers: { 'content-disposition': `attachment; filename="${name}"` },
        contentType,
        body: Buffer.from(body),
      },
      callOf(retailer),
    );
  const get = (id: string, extra: Partial<Call> = {}, retailer = 'acme') =>
    broker.ask(ingestContracts.getAttachment, { params: { id } }, callOf(retailer, extra));

  test('come back as they were posted, under a safe name', async () => {
    const { body } = await create('acme', '../../etc/pass"wd.html', 'text/html; charset=utf-8', '<script>');
    expect(body.url).toBe(`/attachments/${body.id}`);
    const found = await get(body.id);
    expect(found.body.toString()).toBe('<script>');
    expect(found.meta).toEqual({ contentType: 'text/html; charset=utf-8', filename: 'pass' });
    expect(await refusal(get(body.id, {}, 'other'))).toMatchObject({ status: 404 });
    await until('the event', () => events.find(({ subject }) => subject === body.id));
  });

  test('need a file name', async () => {
    const input = { headers: {}, contentType: 'text/plain', body: Buffer.from('x') };
    const work = broker.ask(ingestContracts.createAttachment, input, callOf('acme'));
    expect(await refusal(work)).toMatchObject({ status: 400, code: 'filename_missing' });
  });

  test("can be read by a consumer once the consumer's receipt links to them", async () => {
    const { body } = await create('acme', 'a.txt', 'text/plain');
    expect(await refusal(get(body.id, { consumers: ['joe'] }))).toMatchObject({ status: 404 });
    const keep = { receipt_id: newId(), attachments: { terms: { id: body.id } } };
    const kept = await broker.ask(ingestContracts.keepAttachments, { body: keep }, callOf('acme'));
    expect(kept.body.attachments).toMatchObject({ terms: { id: body.id, filename: 'a.txt', size: 5 } });
    expect(await refusal(get(body.id, { consumers: ['joe'] }))).toMatchObject({ status: 404 });
    joesAttachments.add(body.id);
    expect((await get(body.id, { consumers: ['joe'] })).body.toString()).toBe('bytes');
    expect(await refusal(get(body.id, { consumers: ['ann'] }))).toMatchObject({ status: 404 });
  });

  test('of another retailer cannot be linked', async () => {
    const { body } = await create('other', 'a.txt', 'text/plain');
    const headers: Pairs = [['service-attachment-id', `${body.id}; label=a`]];
    expect(await refusal(post(callOf('acme'), 'x', { headers }))).toMatchObject({
      status: 422,
      code: 'attachment_not_found',
    });
    const keep = { receipt_id: newId(), attachments: { a: { id: body.id } } };
    const work = broker.ask(ingestContracts.keepAttachments, { body: keep }, callOf('acme'));
    expect(await refusal(work)).toMatchObject({ status: 422 });
  });

  test('are linked by a confined caller only where they were uploaded with the same confinement', async () => {
    const upload = async (consumers?: string[]) => {
      const input = {
        headers: { 'content-disposition': 'attachment; filename="a.txt"' },
        contentType: 'text/plain',
        body: Buffer.from('x'),
      };
      const call = callOf('acme', { ...(consumers && { consumers }) });
      return (await broker.ask(ingestContracts.createAttachment, input, call)).body.id;
    };
    const keep = (id: string, consumers?: string[]) =>
      broker.ask(
        ingestContracts.keepAttachments,
        { body: { receipt_id: newId(), attachments: { a: { id } } } },
        callOf('acme', { ...(consumers && { consumers }) }),
      );
    const link = (id: string, consumers: string[]) =>
      post(callOf('acme', { consumers }), 'x', { headers: [['service-attachment-id', `${id}; label=a`]] });
    const [free, joes, both] = [await upload(), await upload(['joe']), await upload(['joe', 'ann'])];
    for (const id of [free, joes, both]) await keep(id);
    await keep(joes, ['joe']);
    await keep(both, ['ann', 'joe']);
    await link(joes, ['joe']);
    for (const id of [free, both]) {
      expect(await refusal(keep(id, ['joe']))).toMatchObject({ status: 422, code: 'attachment_not_found' });
      expect(await refusal(link(id, ['joe']))).toMatchObject({ status: 422, code: 'attachment_not_found' });
    }
    expect(await refusal(keep(joes, ['ann']))).toMatchObject({ status: 422 });
  });

  test('have ids that say nothing about each other', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => (await create('acme', 'a.txt', 'text/plain')).body.id),
    );
    const beginnings = new Set(ids.map((id) => id.slice(0, 8)));
    expect(beginnings.size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{24}$/);
  });

  test('that are kept twice are the same', async () => {
    const data = Buffer.from('x').toString('base64');
    const body = { receipt_id: newId(), attachments: { a: { data }, b: { data } } };
    const first = await broker.ask(ingestContracts.keepAttachments, { body }, callOf('acme'));
    const again = await broker.ask(ingestContracts.keepAttachments, { body }, callOf('acme'));
    expect(again.body).toEqual(first.body);
    expect(first.body.attachments['a']?.id).not.toBe(first.body.attachments['b']?.id);
  });
});

test('the list pages through everything, newest first', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.unshift((await post(callOf('pages'), 'x')).meta.id);
  const seen: string[] = [];
  let older: string | undefined;
  do {
    const query = { count: 2, ...(older !== undefined && { older }) };
    const { body } = await broker.ask(ingestContracts.listPackets, { query }, callOf('pages'));
    seen.push(...body.packets.map(({ id }) => id));
    older = body._links.next && seen.at(-1);
  } while (older !== undefined);
  expect(seen).toEqual([...ids].sort().reverse());
});

test.each(['zz', 'f'.repeat(24), 'of another'])('the list knows no cursor %s', async (cursor) => {
  const older = cursor === 'of another' ? (await post(callOf('another'), 'x')).meta.id : cursor;
  const list = broker.ask(ingestContracts.listPackets, { query: { count: 2, older } }, callOf('cursors'));
  await expect(list).rejects.toMatchObject({ status: 400, code: 'unknown_cursor' });
});

test('every question to the database has an index', async () => {
  const collection = database.db.collection('packets');
  const filters = [
    { retailer: 'acme', _id: { $lt: 'f' } },
    { retailer: 'acme', status: 'failed' },
    { retailer: 'acme', reason: 'timeout' },
    { retailer: 'acme', receiptIds: 'x', 'receiptIds.1': { $exists: true } },
    { retailer: 'acme', keys: 'x' },
    { retailer: 'acme', keys: { $in: ['x', 'y'] } },
    { sendAgainAt: { $lte: new Date() } },
  ];
  for (const filter of filters) {
    const plan = JSON.stringify(await collection.find(filter as object).explain('queryPlanner'));
    expect(plan).toContain('IXSCAN');
    expect(plan).not.toContain('COLLSCAN');
  }
});
