import { randomUUID } from 'node:crypto';
import { newId } from '@receipts/kernel';
import { until } from '@receipts/testing';
import { allotter, refusal, refusalOf, worldOfTests } from '../testing/world';

const world = worldOfTests();

const external = (id: string = randomUUID()): [string, string][] => [['service-external-id', id]];
const linking = (id: string): [string, string][] => [['service-attachment-id', `${id}; label=slip`]];
const typesOf = (events: readonly { type: string; sequence: number }[]) =>
  events.map(({ type, sequence }) => `${sequence} ${type}`);

describe('for a till that does not wait', () => {
  /** A message as the gateway sends it if the broker's confirm suffices. */
  const oneWayCall = () => ({ id: allotter.allot(world.retailer), isOneWay: true as const });

  test('stores a packet with the promised id, publishes its event, and requests its conversion', async () => {
    const call = oneWayCall();
    const { id } = call;
    const answer = await world.accept({ body: 'abc', call });
    expect(answer).toMatchObject({ meta: { id }, replayed: false });
    expect(await world.packet(id)).toMatchObject({ id, status: 'accepted', receipt_id: id, receipt_ids: [] });
    expect(await world.conversionRequests(id)).toMatchObject([{ body: 'abc', params: { attempt: 1 } }]);
    const events = await world.events(id);
    expect(typesOf(events)).toEqual(['1 pos_receipt.accepted']);
    expect(events[0]).toMatchObject({ retailer: world.retailer, causationid: id });
  });

  test('keeps its message until the broker has the request, so that no more packets are read than can be passed on', async () => {
    const call = oneWayCall();
    let confirm = () => {};
    const confirmed = new Promise<void>((resolve) => (confirm = resolve));
    const send = jest.spyOn(world.broker, 'send').mockReturnValueOnce(confirmed);
    let isHandled = false;
    const handled = world.accept({ call }).then(() => (isHandled = true));
    await until('the request', () => send.mock.calls.length > 0);
    expect(await world.packet(call.id)).toMatchObject({ status: 'accepted' });
    expect(isHandled).toBe(false);
    confirm();
    await handled;
    send.mockRestore();
  });

  test('stores metadata with the bytes, prefers headers, and ignores case and hyphens', async () => {
    const id = await world.post({
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
    });
    expect(await world.packet(id)).toMatchObject({
      content_type: 'text/plain; charset=latin1',
      metadata: { till_id: '7', duplicate: true },
      properties: { e_mail: 'h@x.example', 'a.b': '$x' },
      duplicate: true,
    });
  });

  test('stores the reason and the bytes of a packet that cannot be converted', async () => {
    const id = await world.post({ body: 'bad', outcome: 'decode_failed' });
    expect(await world.packet(id)).toMatchObject({
      status: 'failed',
      reason: 'decode_failed',
      receipt_ids: [],
      errors: [{ code: 'decode_failed' }],
    });
    expect((await world.ask('getPacketRaw', { params: { id } })).body.toString()).toBe('bad');
    expect(typesOf(await world.events(id, 2))).toEqual(['1 pos_receipt.accepted', '2 pos_receipt.failed']);
  });

  test('stores the packet and its event once if its message is handled twice', async () => {
    const call = oneWayCall();
    await world.accept({ call });
    await world.events(call.id);
    expect(await world.accept({ call })).toMatchObject({ meta: { id: call.id }, replayed: false });
    await world.events((await world.accept()).meta.id);
    expect(await world.events(call.id)).toHaveLength(1);
    expect(await world.kept('packets')).toHaveLength(2);
  });

  test('stores the packet once if its message is handled concurrently', async () => {
    const call = oneWayCall();
    await Promise.all([world.accept({ call }), world.accept({ call }), world.accept({ call })]);
    expect(await world.kept('packets')).toMatchObject([{ _id: call.id }]);
  });

  test('keeps a restricted credential’s packet restricted, even if it is converted again', async () => {
    const id = await world.post({ outcome: 'timeout', call: { consumers: ['joe'] } });
    await world.ask('reprocessPacket', { params: { id } });
    const requests = await world.conversionRequests(id, 2);
    expect(requests.map(({ call }) => call.consumers)).toEqual([['joe'], ['joe']]);
  });
});

describe('for a till that waits', () => {
  test('stores a packet with a new id before it is converted', async () => {
    const call = { id: newId() };
    const { id } = (await world.accept({ body: 'abc', headers: external(), call })).meta;
    expect(id).not.toBe(call.id);
    expect(allotter.isAllotted(id, world.retailer)).toBe(true);
    expect(await world.packet(id)).toMatchObject({ status: 'accepted' });
    expect((await world.conversionRequests(id))[0]?.body).toBe('abc');
  });

  test('responds once the packet is stored, even if the broker does not confirm the request', async () => {
    const send = jest.spyOn(world.broker, 'send').mockReturnValueOnce(new Promise(() => {}));
    const { id } = (await world.accept({ headers: external() })).meta;
    await until('the request', () => send.mock.calls.length > 0);
    send.mockRestore();
    expect(await world.packet(id)).toMatchObject({ status: 'accepted' });
  });

  test('makes retries with an external id safe, and stores the id in lower case', async () => {
    const name = randomUUID();
    const first = await world.post({ headers: external(name.toUpperCase()) });
    expect(await world.post({ query: [['external_id', name]] })).toBe(first);
    expect(await world.kept('packets')).toMatchObject([{ _id: first, metadata: { external_id: name } }]);
  });

  test('rejects an external id with other bytes, even for a duplicate, and returns the id of the first packet', async () => {
    const headers = external();
    const id = await world.post({ body: 'a', headers });
    const marked: [string, string][] = [...headers, ['service-duplicate', 'true']];
    for (const posted of [
      { body: 'b', headers },
      { body: 'b', headers: marked },
    ]) {
      const refused = await refusal(world.post(posted));
      expect(refused).toMatchObject({ status: 409, code: 'duplicate_external_id', extra: { id } });
    }
  });

  test('accepts an external id that another retailer has used', async () => {
    const headers = external();
    const first = await world.post({ body: 'a', headers });
    expect(await world.post({ body: 'b', headers, call: { retailer: newId() } })).not.toBe(first);
  });

  test('stores one packet for a retry with the same idempotency key', async () => {
    const call = { idempotencyKey: 'k' };
    const { meta } = await world.accept({ call });
    expect(await world.accept({ call })).toMatchObject({ meta, replayed: true });
    expect(await world.kept('packets')).toHaveLength(1);
  });
});

describe('attachments', () => {
  test('are linked to the packet, and passed to the conversion', async () => {
    const attachment = await world.upload();
    const id = await world.post({ outcome: 'unknown', headers: linking(attachment) });
    expect((await world.conversionRequests(id))[0]?.params.attachments).toEqual([
      { id: attachment, label: 'slip' },
    ]);
  });

  test('are rejected if missing or owned by another retailer, and nothing is stored', async () => {
    for (const id of ['0'.repeat(24), await world.upload({ call: { retailer: newId() } })])
      expect(await refusalOf(world.post({ headers: linking(id) }))).toBe('422 attachment_not_found');
    expect(await world.kept('packets')).toEqual([]);
  });

  test('can be linked by a restricted caller only if they were uploaded with the same restriction', async () => {
    const call = { consumers: ['joe', 'ann'] };
    const own = await world.upload({ call: { consumers: ['ann', 'joe'] } });
    expect(await world.post({ headers: linking(own), call })).toMatch(/^[0-9a-f]{24}$/);
    for (const id of [await world.upload(), await world.upload({ call: { consumers: ['joe'] } })])
      expect(await refusalOf(world.post({ headers: linking(id), call }))).toBe('422 attachment_not_found');
  });
});

test.each<[string, object, string]>([
  ['an invalid external id', { query: [['external_id', 'x']] }, '400 invalid_parameter /external_id'],
  [
    'all faults at once',
    {
      headers: [
        ['service-duplicate', 'yes'],
        ['service-till-id', ''],
      ],
    },
    '400 invalid_parameter /service-duplicate /service-till-id',
  ],
  [
    'an attachment without a label',
    { headers: [['service-attachment-id', 'a']] },
    '400 invalid_parameter /service-attachment-id',
  ],
  ['an unknown parameter', { query: [['tilll', '7']] }, '400 invalid_parameter /tilll'],
])('rejects %s', async (_, posted, refused) => {
  expect(await refusalOf(world.post(posted))).toBe(refused);
  expect(await world.kept('packets')).toEqual([]);
});
