import { finishPacket as contract } from '@receipts/contracts';
import { newId } from '@receipts/kernel';
import { Packets } from '../storage/packets';
import { callOf, outcomeOf, worldOfTests } from '../testing/world';

const world = worldOfTests();

/** A packet whose conversion has been requested, and whose first event was thus confirmed. */
async function waiting(): Promise<string> {
  const id = await world.post({ outcome: 'unknown' });
  await world.conversionRequests(id);
  return id;
}
const versions = async () => (await world.kept('packets')).map(({ version }) => version);

test('stores and publishes a success with its receipts, and requests no further conversion', async () => {
  const id = await waiting();
  const receiptIds = [id, newId()];
  await world.finish(id, 'converted', { receiptIds });
  expect(await world.packet(id)).toMatchObject({
    status: 'converted',
    reason: null,
    errors: [],
    receipt_ids: receiptIds,
    mapping: { id: 'm', version: 2 },
  });
  const events = await world.events(id, 2);
  expect(events[1]).toMatchObject({ type: 'pos_receipt.converted', sequence: 2, retailer: world.retailer });
  expect(events[1]?.data).toMatchObject({ receipt_ids: receiptIds, mapping: { id: 'm', version: 2 } });
  const [kept] = await world.kept('packets');
  expect(kept?.retryAt).toBeUndefined();
});

test('stores and publishes a failure with its reason', async () => {
  const id = await waiting();
  await world.finish(id, 'timeout');
  const reason = { reason: 'timeout', errors: [{ path: '', code: 'timeout', message: 'it says why' }] };
  expect(await world.packet(id)).toMatchObject({ status: 'failed', ...reason, receipt_ids: [] });
  const events = await world.events(id, 2);
  expect(events[1]).toMatchObject({ type: 'pos_receipt.failed', sequence: 2, data: reason });
});

test('publishes the first event of a packet before its failure', async () => {
  const ids = [];
  for (let n = 0; n < 5; n++) ids.push(await world.post({ outcome: 'crashed' }));
  for (const id of ids) {
    await world.events(id, 2);
    const published = world.broker.published.filter(({ subject }) => subject === id);
    expect(published.map(({ sequence }) => sequence)).toEqual([1, 2]);
  }
});

test('publishes all events in the end if the broker was away meanwhile', async () => {
  const id = await waiting();
  world.broker.isAway = true;
  await world.finish(id, 'timeout');
  await world.ask('reprocessPacket', { params: { id } });
  await world.finish(id, 'converted', { attempt: 2 });
  const [kept] = await world.kept('packets');
  expect(kept?.outbox?.map(({ type }) => type)).toEqual(['pos_receipt.failed', 'pos_receipt.converted']);
  world.broker.isAway = false;
  expect((await world.events(id, 3)).map(({ sequence }) => sequence)).toEqual([1, 2, 4]);
});

test('leaves the command that converted a packet to the broker until the event is confirmed', async () => {
  const [one, other] = [await waiting(), await waiting()];
  const items = [one, other].map((id) => ({
    input: { body: { id, attempt: 1, ...outcomeOf(id, id === one ? 'converted' : 'timeout') } },
    call: callOf(world.retailer),
  }));
  world.broker.isAway = true;
  expect(await world.broker.callAll(contract, items)).toMatchObject([{ status: 503 }, {}]);
  expect(await world.packet(one)).toMatchObject({ status: 'converted' });
  expect(world.broker.published.filter(({ subject }) => subject === one)).toHaveLength(1);
  world.broker.isAway = false;
  expect(await world.broker.callAll(contract, items)).toEqual([{}, {}]);
  const [, converted] = await world.events(one, 2);
  expect(converted).toMatchObject({
    type: 'pos_receipt.converted',
    sequence: 2,
    causationid: items[0]?.call.id,
  });
  expect(await versions()).toEqual([2, 2]);
});

test('publishes the event again, unchanged, if the process crashed before the command was acknowledged', async () => {
  const id = await waiting();
  const call = callOf(world.retailer);
  const item = { input: { body: { id, attempt: 1, ...outcomeOf(id, 'converted') } }, call };
  for (let delivery = 0; delivery < 2; delivery++)
    expect(await world.broker.callAll(contract, [item])).toEqual([{}]);
  const published = world.broker.published.filter(({ subject }) => subject === id);
  expect(published.map(({ sequence }) => sequence)).toEqual([1, 2, 2]);
  expect(published[2]).toEqual(published[1]);
  expect(await versions()).toEqual([2]);
});

test('generates the event of a success at the first attempt from the packet, without a further write', async () => {
  const id = await world.post();
  await world.events(id, 2);
  const [packet] = await world.kept('packets');
  expect(packet).toMatchObject({ version: 2, conversion: { event: expect.any(String) } });
  expect(packet).not.toHaveProperty('outbox');
});

test('does not publish the first event again with a later outcome', async () => {
  const id = await waiting();
  await world.events(id, 1);
  await world.finish(id, 'timeout');
  await world.events(id, 2);
  const published = world.broker.published.filter(({ subject }) => subject === id);
  expect(published.map(({ sequence }) => sequence)).toEqual([1, 2]);
});

test.each([
  ['after', ['timeout', 'converted']],
  ['before', ['converted', 'timeout']],
] as const)(
  'keeps a success that comes %s a failure of the same packet in one batch',
  async (_, outcomes) => {
    const id = await waiting();
    await world.events(id);
    const items = outcomes.map((outcome) => ({
      input: { body: { id, attempt: 1, ...outcomeOf(id, outcome) } },
      call: callOf(world.retailer),
    }));
    await world.broker.callAll(contract, items);
    expect(await world.packet(id)).toMatchObject({ status: 'converted', reason: null, receipt_ids: [id] });
    expect((await world.events(id, 2)).map(({ type }) => type)).toEqual([
      'pos_receipt.accepted',
      'pos_receipt.converted',
    ]);
  },
);

test('does not change a converted packet, and publishes no event again', async () => {
  const id = await waiting();
  await world.finish(id, 'converted');
  await world.finish(id, 'timeout');
  await world.finish(id, 'converted', { receiptIds: [id, newId()] });
  expect(await world.packet(id)).toMatchObject({ status: 'converted', receipt_ids: [id] });
  expect(await versions()).toEqual([2]);
  expect(await world.events(id)).toHaveLength(2);
});

test('ignores the failure of a superseded attempt, but not its success', async () => {
  const id = await waiting();
  await world.finish(id, 'timeout');
  await world.ask('reprocessPacket', { params: { id } });
  await world.finish(id, 'crashed', { attempt: 1 });
  expect(await world.packet(id)).toMatchObject({ status: 'accepted', attempts: 2 });
  await world.finish(id, 'converted', { attempt: 1 });
  expect(await world.packet(id)).toMatchObject({ status: 'converted', attempts: 2, reason: null });
});

test('counts a success even after the failure of a later attempt', async () => {
  const id = await waiting();
  await world.finish(id, 'timeout');
  await world.finish(id, 'converted');
  expect(await world.packet(id)).toMatchObject({ status: 'converted', reason: null, errors: [] });
  expect((await world.events(id, 3)).map(({ type }) => type)).toEqual([
    'pos_receipt.accepted',
    'pos_receipt.failed',
    'pos_receipt.converted',
  ]);
});

test('ignores an outcome for another retailer, or an unknown packet', async () => {
  const id = await waiting();
  await world.finish(id, 'timeout', { call: { retailer: newId() } });
  await world.finish(newId(), 'timeout');
  expect(await world.packet(id)).toMatchObject({ status: 'accepted' });
});

test('handles each packet of a batch individually, and counts its first outcome', async () => {
  const [one, other] = [await waiting(), await waiting()];
  const said = [
    [one, 'converted'],
    [other, 'too_large'],
    [other, 'crashed'],
  ] as const;
  const items = said.map(([id, outcome]) => ({
    input: { body: { id, attempt: 1, ...outcomeOf(id, outcome) } },
    call: callOf(world.retailer),
  }));
  expect(await world.broker.callAll(contract, items)).toEqual([{}, {}, {}]);
  expect(await world.packet(one)).toMatchObject({ status: 'converted' });
  expect(await world.packet(other)).toMatchObject({ status: 'failed', reason: 'too_large' });
});

test('applies each outcome to the current state after a concurrent change', async () => {
  const [one, other] = [await waiting(), await waiting()];
  const findMany = jest.spyOn(Packets.prototype, 'findMany');
  findMany.mockImplementationOnce(async function (this: Packets, ...args) {
    const found = await this.findMany(...args);
    await world.finish(one, 'crashed');
    await world.finish(other, 'converted');
    return found;
  });
  const items = [one, other].map((id) => ({
    input: { body: { id, attempt: 1, ...outcomeOf(id, id === one ? 'converted' : 'timeout') } },
    call: callOf(world.retailer),
  }));
  world.counted.length = 0;
  await world.broker.callAll(contract, items);
  findMany.mockRestore();
  // The failure of the other packet was not saved.
  expect(world.counted).toEqual(['crashed', 'converted', 'converted']);
  expect(await world.packet(one)).toMatchObject({ status: 'converted', reason: null });
  expect(await world.packet(other)).toMatchObject({ status: 'converted', reason: null });
  expect((await versions()).sort()).toEqual([2, 3]);
});
