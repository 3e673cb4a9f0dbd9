import { personHash } from '@receipts/contracts';
import { newId, ServiceError } from '@receipts/kernel';
import { MailOutcomeUnknown } from '../channels/email';
import { callOf, deletedEvent, receiptOf, recordedEvent, retailerOf } from '../../testing/samples';
import { startWorld, type World } from '../../testing/world';

let world: World;
let retailer: string;

beforeAll(async () => {
  world = await startWorld();
});
beforeEach(() => {
  retailer = `r-${newId()}`;
  world.retailers.set(retailer, retailerOf(retailer));
  world.mails.length = 0;
  world.mailFault = undefined;
  world.duringMail = () => Promise.resolve();
});
/** Otherwise, unfinished deliveries would be sent, and publish events, while later tests run. */
afterEach(async () => {
  const kept = world.database.db.collection('deliveries');
  const isSent = async () =>
    (await kept.countDocuments({ retailer, dueAt: { $exists: true }, reason: null })) === 0;
  await world.until('every first attempt has ended', isSent);
  await kept.deleteMany({ retailer });
});
afterAll(() => world.close());

function known(change: Parameters<typeof receiptOf>[0] = {}) {
  const receipt = receiptOf({ transaction_id: newId(), identifier: 'jane@example.com', ...change });
  world.receipts.set(receipt.id, { retailer, receipt });
  return receipt;
}
const send = (body: object, call = callOf(retailer)) =>
  world.ask('sendReceipt', { body: { channels: ['email'], ...body } as never }, call);
const deliveries = async (id: string) =>
  (await world.ask('listDeliveries', { params: { id } }, callOf(retailer))).body.deliveries;
const minutesLater = (count: number) => {
  world.now = new Date(world.now.getTime() + count * 60_000);
};
const published = () => world.events.filter((event) => event.retailer === retailer);
const eventTypes = () => published().map(({ type }) => type);
async function refusalOf(answer: Promise<unknown>): Promise<string> {
  const outcome = await answer.catch((error: unknown) => error);
  return outcome instanceof ServiceError ? `${outcome.status} ${outcome.description}` : 'no refusal';
}

it('sends the e-mail once and publishes each step', async () => {
  const { id } = known();
  const call = callOf(retailer);
  expect(await send({ id }, call)).toMatchObject({ body: { id }, meta: { resolved: false } });
  await world.until('the event was published', () => eventTypes().includes('delivery.sent'));
  expect(world.mails).toHaveLength(1);
  expect(world.mails[0]?.envelope).toMatchObject({
    to: 'jane@example.com',
    from: 'receipts@platform.example',
  });
  expect(published()).toMatchObject([
    { type: 'delivery.requested', sequence: 1, correlationid: call.requestId, causationid: call.id },
    { type: 'delivery.sent', sequence: 2, correlationid: call.requestId },
  ]);
  expect(JSON.stringify(published())).not.toContain('jane@');
  expect(await deliveries(id)).toMatchObject([
    { channel: 'email', address: 'j***@example.com', status: 'sent', attempts: 1, reason: null },
  ]);
});

it('allows a consumer to send only to their own addresses', async () => {
  const { id } = known();
  const consumer = (address = 'jane@example.com') => callOf(retailer, { consumers: [address] });
  expect(await refusalOf(send({ id, email_address: 'x@example.com' }, consumer()))).toBe(
    "403 identifier and consumers don't match",
  );
  expect(await send({ id, email_address: 'jane@example.com' }, consumer())).toMatchObject({ body: { id } });
  expect(await refusalOf(send({ id }, consumer('john@example.com')))).toMatch(/^422/);
});

it('retries a temporary failure after a pause, but not a permanent one', async () => {
  world.ended.length = 0;
  const { id } = known();
  world.mailFault = new Error('connection lost');
  await send({ id });
  await world.until('the first attempt', async () => (await deliveries(id))[0]?.reason === 'not_delivered');
  expect((await deliveries(id))[0]).toMatchObject({ status: 'pending', attempts: 1 });
  world.mailFault = undefined;
  world.now = new Date(world.now.getTime() + 31_000);
  await world.until('the second attempt', async () => (await deliveries(id))[0]?.status === 'sent');
  expect((await deliveries(id))[0]).toMatchObject({ attempts: 2, reason: null });
  await world.until('it is counted', () => world.ended.length === 1);

  world.mailFault = Object.assign(new Error('no such user'), { code: 'EENVELOPE', responseCode: 550 });
  const refused = known().id;
  await send({ id: refused });
  await world.until('the refusal', async () => (await deliveries(refused))[0]?.status === 'failed');
  expect((await deliveries(refused))[0]).toMatchObject({ attempts: 1, reason: 'refused' });
  await world.until('its event', () => eventTypes().at(-1) === 'delivery.failed');
  await world.until('it is counted', () => world.ended.length === 2);
  expect(world.ended).toEqual(['email succeeded ', 'email failed refused']);
});

it('stops after five attempts', async () => {
  const { id } = known();
  world.mailFault = new Error('connection lost');
  await send({ id });
  for (let attempt = 1; attempt <= 5; attempt++) {
    // A claim is not an attempt: only the outcome of an attempt is recorded, with its time.
    const at = world.now.toISOString().replace('Z', '+00:00');
    await world.until(`attempt ${attempt}`, async () => {
      const [delivery] = await deliveries(id);
      const isMade = delivery?.reason === 'not_delivered' && delivery.updated_timestamp === at;
      return isMade && delivery.attempts === attempt;
    });
    world.now = new Date(world.now.getTime() + 3 * 60 * 60_000);
  }
  await world.until('the end', async () => (await deliveries(id))[0]?.status === 'failed');
  expect((await deliveries(id))[0]).toMatchObject({ attempts: 5, reason: 'not_delivered' });
});

it('retries an attempt whose process has crashed', async () => {
  const { id } = known();
  const collection = world.database.db.collection<{ _id: string }>('deliveries');
  const dead = newId();
  await collection.insertOne({
    _id: dead,
    retailer,
    receiptId: id,
    channel: 'email',
    address: 'jane@example.com',
    status: 'pending',
    reason: null,
    attempts: 1,
    requestedAt: world.now,
    updatedAt: world.now,
    dueAt: new Date(world.now.getTime() - 1),
    version: 1,
    requestId: newId(),
    recipient: 'hash',
    recipientId: newId(),
  } as never);
  await world.until('the receipt was sent', async () => (await deliveries(id))[0]?.status === 'sent');
  expect((await deliveries(id))[0]).toMatchObject({ attempts: 2 });
});

it('does not resend an e-mail whose sending was not confirmed, and reports this', async () => {
  const { id } = known();
  world.mailFault = new MailOutcomeUnknown(undefined);
  await send({ id });
  await world.until('the delivery has failed', async () => (await deliveries(id))[0]?.status === 'failed');
  expect((await deliveries(id))[0]).toMatchObject({ attempts: 1, reason: 'outcome_unknown' });
  // Another process has sent the e-mail, and crashed before it could record the outcome.
  world.mailFault = undefined;
  const other = known().id;
  await world.database.db.collection<{ _id: string }>('deliveries').insertOne({
    _id: newId(),
    retailer,
    receiptId: other,
    channel: 'email',
    address: 'jane@example.com',
    status: 'pending',
    reason: null,
    attempts: 1,
    requestedAt: world.now,
    updatedAt: world.now,
    dueAt: new Date(world.now.getTime() - 1),
    handedOverAt: new Date(world.now.getTime() - 120_001),
    version: 1,
    requestId: newId(),
    recipient: 'hash',
    recipientId: newId(),
  } as never);
  await world.until('the delivery has failed', async () => (await deliveries(other))[0]?.status === 'failed');
  expect((await deliveries(other))[0]).toMatchObject({ reason: 'outcome_unknown' });
  expect(world.mails).toEqual([]);
  // A person decides to send it again.
  await send({ id: other });
  await world.until('the receipt was sent', () => world.mails.length === 1);
});

it('fails a delivery that has crashed many processes', async () => {
  const { id } = known();
  await world.database.db.collection<{ _id: string }>('deliveries').insertOne({
    _id: newId(),
    retailer,
    receiptId: id,
    channel: 'email',
    address: 'jane@example.com',
    status: 'pending',
    reason: null,
    attempts: 5,
    requestedAt: world.now,
    updatedAt: world.now,
    dueAt: world.now,
    version: 1,
    requestId: newId(),
    recipient: 'hash',
    recipientId: newId(),
  } as never);
  await world.until('the end', async () => (await deliveries(id))[0]?.status === 'failed');
  expect(world.mails).toEqual([]);
});

it('finds the receipt by its transaction id, and for a consumer only their own receipts', async () => {
  const receipt = known();
  const named = { transaction_id: receipt.transaction_id };
  expect((await send({ ...named, resolve: true })).body.id).toBe(receipt.id);
  const stranger = callOf(retailer, { consumers: ['joe'] });
  expect(await refusalOf(send(named, stranger))).toBe('422 receipt not found');
  expect(await refusalOf(send({ id: receipt.id }, stranger))).toBe('422 receipt not found');
  expect(await refusalOf(send({ id: newId() }))).toBe('422 receipt not found');
});

it('reports the first channel that is not available', async () => {
  const { id } = known();
  expect(await refusalOf(send({ id, channels: ['email', 'fax', 'sms'] }))).toBe(
    '422 fax channel is not available',
  );
  expect(await refusalOf(send({ id: known({ identifier: null }).id }))).toBe(
    '422 email channel is not available',
  );
  expect(eventTypes()).toEqual([]);
});

it('returns 503 if another service does not respond', async () => {
  world.askFault = new ServiceError({ status: 503, code: 'unavailable', description: 'away' });
  try {
    expect(await refusalOf(send({ id: known().id }))).toBe('503 away');
  } finally {
    world.askFault = undefined;
  }
});

it('requests the settings once, and updates them from events', async () => {
  const { id } = known();
  world.asked.length = 0;
  for (let n = 0; n < 3; n++) await send({ id, resolve: true });
  expect(world.asked.filter((name) => name === 'admin.find-retailer')).toHaveLength(1);
  const { channels } = retailerOf(retailer).settings;
  const closed = retailerOf(retailer, {
    channels: { ...channels, email: { ...channels.email, enabled: false } },
  });
  await world.deliver({ type: 'retailer.updated', data: { ...closed, version: 2 } } as never);
  expect((await send({ id, resolve: true })).body).toMatchObject({ channels: [] });
  await world.deliver({ type: 'retailer.updated', data: retailerOf(retailer) } as never);
  expect((await send({ id, resolve: true })).body).toMatchObject({ channels: [] });
});

it('finds due deliveries, and those of a receipt, with an index', async () => {
  const collection = world.database.db.collection('deliveries');
  const due = await collection
    .find({ dueAt: { $lte: new Date() } })
    .sort({ dueAt: 1 })
    .limit(1)
    .explain('queryPlanner');
  const list = await collection
    .find({ retailer, receiptId: newId() })
    .sort({ requestedAt: -1 })
    .explain('queryPlanner');
  const last = await collection
    .find({ retailer, recipient: 'x', requestedAt: { $gt: new Date(0) }, status: { $ne: 'suppressed' } })
    .sort({ requestedAt: -1 })
    .limit(5)
    .explain('queryPlanner');
  for (const plan of [due, list, last]) expect(JSON.stringify(plan)).not.toMatch(/COLLSCAN|"SORT"/);
});

describe('limits', () => {
  const retryAfter = async (answer: Promise<unknown>) => {
    const refused = await answer.catch((error: unknown) => error);
    return refused instanceof ServiceError ? refused.headers?.['retry-after'] : undefined;
  };

  it('sends five to an address in ten minutes, regardless of its spelling and the rate of requests', async () => {
    const { id } = known();
    const email_address = 'Jo@BÜCHER.example';
    const sent = await Promise.allSettled(Array.from({ length: 8 }, () => send({ id, email_address })));
    expect(sent.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    const again = () => send({ id: known().id, email_address: 'jo@xn--bcher-kva.example' });
    expect(await refusalOf(again())).toMatch(/^429/);
    expect(Number(await retryAfter(again()))).toBe(600);
    expect(await deliveries(id)).toHaveLength(5);
    expect((await send({ id, email_address, resolve: true })).meta).toEqual({ resolved: true });
    expect((await send({ id, email_address: 'al@example.com' })).body).toEqual({ id });
    minutesLater(10);
    expect((await again()).meta).toEqual({ resolved: false });
  });

  it('sends a receipt at most twenty times a day', async () => {
    const { id } = known();
    const to = (n: number) => send({ id, email_address: `jo${n}@example.com` });
    for (let n = 0; n < 20; n++) await to(n);
    expect(await refusalOf(to(20))).toBe('429 this receipt was sent too many times, try again later');
    expect((await send({ id: known().id, email_address: 'jo20@example.com' })).meta).toEqual({
      resolved: false,
    });
    minutesLater(24 * 60);
    expect((await to(20)).body).toEqual({ id });
  });

  it('counts receipts that are sent on arrival, but does not limit them', async () => {
    world.retailers.set(retailer, retailerOf(retailer, { auto_send: true }));
    for (let n = 0; n < 6; n++) {
      const outcomes = await world.deliver(recordedEvent(retailer, known()));
      expect(outcomes.every((outcome) => outcome === undefined)).toBe(true);
    }
    expect(await world.database.db.collection('deliveries').countDocuments({ retailer })).toBe(6);
    expect(await refusalOf(send({ id: known().id }))).toMatch(/^429/);
  });
});

describe('a receipt that was deleted', () => {
  const kept = () => world.database.db.collection('deliveries');
  const deleteReceipt = (id: string) => {
    world.deleted.add(id);
    return world.deliver(deletedEvent(retailer, id));
  };

  const areGone = (id: string) =>
    world.until(
      'the deliveries are gone',
      async () => (await kept().countDocuments({ receiptId: id })) === 0,
    );

  it('leaves no deliveries behind, neither ended nor pending ones', async () => {
    const { id } = known();
    const other = known();
    for (const each of [id, other.id]) await send({ id: each });
    await world.until('the mails', () => Promise.resolve(world.mails.length === 2));
    await world.until('the end', async () => (await deliveries(id))[0]?.status === 'sent');
    world.mailFault = new Error('connection lost');
    await send({ id });
    const hasFailed = async () => (await deliveries(id)).some(({ reason }) => reason === 'not_delivered');
    await world.until('the attempt', hasFailed);
    await deleteReceipt(id);
    expect(await kept().find({ receiptId: id }).toArray()).toMatchObject([{ status: 'pending' }]);
    world.mailFault = undefined;
    minutesLater(1);
    await areGone(id);
    expect(eventTypes()).toContain('delivery.failed');
    expect(await deliveries(other.id)).toMatchObject([{ address: 'j***@example.com' }]);
  });

  it('ends a delivery that waits for a later attempt within minutes', async () => {
    const { id } = known();
    world.mailFault = new Error('connection lost');
    await send({ id });
    const attempted = (attempts: number) =>
      world.until('the attempt has ended', async () => {
        const ended = { receiptId: id, attempts, reason: 'not_delivered', updatedAt: world.now };
        return (await kept().countDocuments(ended)) === 1;
      });
    await attempted(1);
    for (const count of [2, 3]) {
      minutesLater(6);
      await attempted(count);
    }
    await deleteReceipt(id);
    minutesLater(3);
    await areGone(id);
    expect(world.mails).toEqual([]);
  });

  it('leaves no delivery behind if it is deleted while it is being sent', async () => {
    const { id } = known();
    world.duringMail = () => deleteReceipt(id);
    await send({ id });
    await areGone(id);
    expect(world.mails).toHaveLength(1);
    expect(eventTypes()).toContain('delivery.sent');
  });

  it('leaves no views behind, and of its proof only what tells that it was deleted', async () => {
    const { id } = known();
    const get = () => world.ask('getReceiptProof', { params: { id }, query: {} }, callOf(retailer));
    const verify = async (proof: string) => {
      const body = Buffer.from(JSON.stringify({ proof }));
      const input = { body, contentType: 'application/json', query: {} };
      const headers = { accept: 'application/json' as const };
      const { body: verified } = await world.ask('verifyProof', { ...input, headers } as never, callOf(''));
      return JSON.parse(String(verified)) as object;
    };
    const proof = String((await get()).body);
    const { _links } = (await world.ask('getReceiptLinks', { params: { id } }, callOf(retailer))).body;
    const token = _links.webview.href.split('/').at(-1) ?? '';
    await world.ask('showReceipt', { params: { token }, headers: { accept: 'text/html' } }, callOf(''));
    const { db } = world.database;
    const views = () => db.collection('receipt_views').countDocuments({ receiptId: id });
    await world.until('the view is counted', async () => (await views()) === 1);
    await world.until('the view is published', () => eventTypes().includes('receipt.viewed'));
    expect(await verify(proof)).toMatchObject({ valid: true, current: true });
    await world.until('the deletion', async () => (await deleteReceipt(id)).every((fault) => !fault));
    expect(await views()).toBe(0);
    expect(await db.collection<{ _id: string }>('proofs').findOne({ _id: id })).toEqual({
      _id: id,
      retailer,
    });
    expect(await verify(proof)).toMatchObject({ valid: true, current: false, reason: 'deleted' });
    expect(await db.collection('kept_events').countDocuments({ retailer })).toBe(0);
  });

  it('causes 422 when it is sent, and 410 when its deliveries and links are read', async () => {
    const { id } = known();
    world.deleted.add(id);
    expect(await refusalOf(send({ id }))).toBe('422 receipt not found');
    expect(await refusalOf(send({ id, resolve: true }))).toBe('422 receipt not found');
    for (const name of ['listDeliveries', 'getReceiptLinks', 'revokeReceiptLinks'] as const) {
      expect(await refusalOf(world.ask(name, { params: { id } }, callOf(retailer)))).toMatch(/^410/);
    }
  });

  it('has a page that returns 410', async () => {
    const { id } = known();
    const { _links } = (await world.ask('getReceiptLinks', { params: { id } }, callOf(retailer))).body;
    const token = _links.webview.href.split('/').at(-1) ?? '';
    world.deleted.add(id);
    const headers = { accept: 'text/html' } as const;
    expect(await refusalOf(world.ask('showReceipt', { params: { token }, headers }, callOf('')))).toMatch(
      /^410/,
    );
  });

  it('is not sent if its delivery was still pending, even before the deletion is known', async () => {
    const { id } = known();
    world.mailFault = new Error('connection lost');
    await send({ id });
    await world.until('the first attempt', async () => (await deliveries(id))[0]?.reason === 'not_delivered');
    world.deleted.add(id);
    world.mailFault = undefined;
    minutesLater(1);
    await world.until(
      'the end',
      async () => (await kept().findOne({ receiptId: id }))?.['status'] === 'failed',
    );
    expect(await kept().findOne({ receiptId: id })).toMatchObject({ reason: 'receipt_deleted', attempts: 2 });
    expect(world.mails).toEqual([]);
    await world.until('the event was published', () => eventTypes().includes('delivery.failed'));
  });
});

describe('a voided receipt', () => {
  const voided = { timestamp: '2026-05-17T10:00:00+00:00', reason: null, transaction_id: null };

  it('is rejected, even if only its channels are requested', async () => {
    const { id } = known({ voided });
    expect(await refusalOf(send({ id }))).toBe('422 the receipt was voided');
    expect(await refusalOf(send({ id, resolve: true }))).toBe('422 the receipt was voided');
    expect(await deliveries(id)).toEqual([]);
  });

  it('is not sent if its delivery was still pending', async () => {
    const receipt = known();
    world.mailFault = new Error('connection lost');
    await send({ id: receipt.id });
    await world.until(
      'the first attempt',
      async () => (await deliveries(receipt.id))[0]?.reason === 'not_delivered',
    );
    world.receipts.set(receipt.id, { retailer, receipt: { ...receipt, voided } });
    world.mailFault = undefined;
    minutesLater(1);
    await world.until('the end', async () => (await deliveries(receipt.id))[0]?.status === 'failed');
    expect(await deliveries(receipt.id)).toMatchObject([{ reason: 'receipt_voided', attempts: 2 }]);
    expect(world.mails).toEqual([]);
  });
});

it("erases the addresses to which a consumer's receipts were sent, and cancels pending deliveries", async () => {
  const sent = known();
  await send({ id: sent.id });
  await world.until('the receipt was sent', () => eventTypes().includes('delivery.sent'));
  world.mailFault = new Error('no mail server');
  const waiting = known();
  await send({ id: waiting.id });
  await world.until(
    'the delivery has failed once',
    async () => (await deliveries(waiting.id))[0]?.reason !== null,
  );
  const other = known();
  world.mailFault = undefined;
  await send({ id: other.id });
  const body = { receipts: [sent.id, waiting.id] };
  await world.ask('eraseAddresses', { body }, callOf(retailer));
  expect(await deliveries(sent.id)).toMatchObject([{ address: '***', status: 'sent' }]);
  expect(await deliveries(waiting.id)).toMatchObject([
    { address: '***', status: 'failed', reason: 'erased' },
  ]);
  expect(await deliveries(other.id)).toMatchObject([{ address: 'j***@example.com' }]);
  const kept = world.database.db.collection('deliveries');
  expect(await kept.countDocuments({ receiptId: { $in: body.receipts }, address: { $ne: '' } })).toBe(0);
  expect(await kept.countDocuments({ receiptId: waiting.id, dueAt: { $exists: true } })).toBe(0);
});

it('also erases the deliveries of receipts that now belong to another consumer', async () => {
  const { id } = known();
  await send({ id });
  await world.until('the mail', async () => (await deliveries(id))[0]?.status === 'sent');
  const person = (name: string) => ({ body: { receipts: [], person: personHash(name) } });
  await world.ask('eraseAddresses', person('joe@example.com'), callOf(retailer));
  expect(await deliveries(id)).toMatchObject([{ address: 'j***@example.com' }]);
  await world.ask('eraseAddresses', person('jane@example.com'), callOf(retailer));
  expect(await deliveries(id)).toMatchObject([{ address: '***', status: 'sent' }]);
  const kept = world.database.db.collection('deliveries');
  expect(await kept.countDocuments({ receiptId: id, person: { $exists: true } })).toBe(0);
});

it('finds the deliveries of an interrupted erasure again', async () => {
  const { id } = known();
  await send({ id });
  await world.until('the mail', async () => (await deliveries(id))[0]?.status === 'sent');
  const kept = world.database.db.collection('deliveries');
  // An earlier execution has removed the address, but not the events.
  await kept.updateOne({ receiptId: id }, { $set: { address: '' } });
  const body = { receipts: [], person: personHash('jane@example.com') };
  await world.ask('eraseAddresses', { body }, callOf(retailer));
  expect(await kept.countDocuments({ receiptId: id, person: { $exists: true } })).toBe(0);
});

describe('the erasure of a consumer while a receipt is being sent to them', () => {
  const kept = () => world.database.db.collection('deliveries');
  const withAddress = (id: string) => kept().countDocuments({ receiptId: id, address: { $ne: '' } });
  /** In the order of a real erasure: the receipt loses the consumer first, and then delivery is called. */
  const erase = (receipt: ReturnType<typeof known>) => {
    world.receipts.set(receipt.id, { retailer, receipt: { ...receipt, identifier: null, properties: {} } });
    return world.ask('eraseAddresses', { body: { receipts: [receipt.id] } }, callOf(retailer));
  };

  it.each(['id', 'transaction_id'] as const)(
    'removes the address if the receipt, identified by %s, was read before',
    async (name) => {
      const receipt = known();
      world.afterAnswers.set('receipt-store.get-receipt', () => erase(receipt));
      const call = callOf(retailer);
      expect(await refusalOf(send({ [name]: receipt[name] }, call))).toMatch(/^503/);
      expect(await kept().countDocuments({ receiptId: receipt.id })).toBe(1);
      expect(await withAddress(receipt.id)).toBe(0);
      expect(await refusalOf(send({ [name]: receipt[name] }))).toMatch(/^422/);
      expect(world.mails).toEqual([]);
    },
  );

  it('removes the address if the receipt is sent on arrival', async () => {
    world.retailers.set(retailer, retailerOf(retailer, { auto_send: true }));
    const receipt = known();
    world.identifiers.set('jane@example.com', {});
    world.afterAnswers.set('identifier.get-identifier', () => erase(receipt));
    await world.deliver(recordedEvent(retailer, receipt));
    expect(await kept().countDocuments({ receiptId: receipt.id, reason: 'erased' })).toBe(1);
    expect(await withAddress(receipt.id)).toBe(0);
    expect(world.mails).toEqual([]);
  });

  it('removes the address if the process crashes before it can check again', async () => {
    const receipt = known();
    await send({ id: receipt.id });
    await world.until('the receipt was sent', () => world.mails.length === 1);
    await erase(receipt);
    const late = { status: 'pending' as const, address: 'jane@example.com', dueAt: world.now };
    await kept().updateOne({ receiptId: receipt.id }, { $set: late, $unset: { handedOverAt: '' } });
    await world.until('the consumer was erased', async () => (await withAddress(receipt.id)) === 0);
    expect(world.mails).toHaveLength(1);
    expect(await deliveries(receipt.id)).toMatchObject([{ status: 'failed', reason: 'erased' }]);
  });

  it('does not prevent sending the receipt to an address from the retailer', async () => {
    const receipt = known();
    await erase(receipt);
    await send({ id: receipt.id, email_address: 'john@example.com' });
    await world.until('the receipt was sent', () => world.mails.length === 1);
    expect(await withAddress(receipt.id)).toBe(1);
  });
});
