import { receiptStoreContracts as contracts, storeExists, type PostedReceipt } from '@receipts/contracts';
import { concurrentWrite, newId, ServiceError, type Call } from '@receipts/kernel';
import { Harness, refusal } from '../testing/harness';
import { callOf, postedReceipt, retailerOf, storeOf } from '../testing/samples';

const { createReceipt, listChanges } = contracts;

let harness: Harness;
beforeAll(async () => {
  harness = await Harness.start();
});
afterAll(() => harness.stop());

const idOf = (outcome: unknown): string => {
  if (outcome instanceof ServiceError) throw outcome;
  return (outcome as { body: { id: string } }).body.id;
};

const post = async (retailer: string, change: Partial<PostedReceipt> = {}, call: Partial<Call> = {}) =>
  idOf(await harness.fake.call(createReceipt, { body: postedReceipt(change) }, callOf(retailer, call)));

test('stores a receipt under the id of its message, and publishes the whole receipt', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const call = callOf(retailer);
  const body = postedReceipt({
    identifier: 'jane',
    items: [{ name: 'A', 'name:fr': 'Á', quantity: 1, total: 1 }],
  });
  const reply = await harness.fake.call(createReceipt, { body }, call);
  expect(reply).toEqual({ body: { id: call.id }, meta: { id: call.id } });
  const receipt = await harness.get(retailer, call.id);
  expect(receipt).toMatchObject({ id: call.id, transaction_id: body.transaction_id, identifier: 'jane' });
  await harness.flushEvents();
  const events = harness.fake.published.filter(({ subject }) => subject === call.id);
  expect(events.map(({ type }) => type)).toEqual(['receipt.created']);
  expect(events[0]).toMatchObject({
    type: 'receipt.created',
    sequence: 1,
    retailer,
    correlationid: call.requestId,
    data: { id: call.id, identifier: 'jane', total: 10, currency: 'EUR', duplicate: false, receipt },
  });
});

test('publishes to internal services the receipt’s figures and the properties that control sending', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const call = callOf(retailer);
  const properties = { email: 'jane@example.com', salesperson: 'Al', email_settings: { send: true } };
  await harness.fake.call(createReceipt, { body: postedReceipt({ identifier: 'jane', properties }) }, call);
  const { total, timestamp, store_reference } = await harness.get(retailer, call.id);
  const figures = {
    identifier: 'jane',
    total,
    timestamp,
    store_reference,
    currency: 'EUR',
    duplicate: false,
    voided: false,
    arrival: 1,
  };
  const published = { email: 'jane@example.com', email_settings: { send: true } };
  await harness.flushEvents();
  const [event, ...others] = harness.fake.figures.filter(({ subject }) => subject === call.id);
  expect(event).toEqual({
    id: call.id,
    type: 'receipt.recorded',
    subject: call.id,
    retailer,
    sequence: 1,
    time: expect.any(String),
    correlationid: call.requestId,
    causationid: call.id,
    data: { id: call.id, ...figures, properties: published },
  });
  expect(others).toEqual([]);
});

test('publishes to internal services the consumers that the posting credential is restricted to', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const call = callOf(retailer, { consumers: ['jane'] });
  await harness.fake.call(createReceipt, { body: postedReceipt({ identifier: 'jane' }) }, call);
  await harness.flushEvents();
  const event = harness.fake.figures.find(({ subject }) => subject === call.id);
  expect(event?.data).toMatchObject({ confined_to: ['jane'] });
  const { body } = await harness.fake.call(
    listChanges,
    { body: { after: null, count: 1 } },
    callOf(retailer),
  );
  expect(body).toMatchObject({ changes: [{ id: call.id, confined_to: ['jane'] }] });
});

test('accepts a transaction id once per retailer, and returns the id of the existing receipt otherwise', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const other = harness.retailer((id) => retailerOf(id));
  const transaction_id = newId();
  const first = await post(retailer, { transaction_id });
  expect(await refusal(post(retailer, { transaction_id }))).toMatchObject({
    status: 409,
    code: 'duplicate_transaction_id',
    extra: { id: first },
  });
  await post(other, { transaction_id });
});

test('stores one of fifty concurrent receipts with one transaction id, and returns its id for the others', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const transaction_id = newId();
  const attempts = Array.from({ length: 50 }, () => ({
    input: { body: postedReceipt({ transaction_id }) } as never,
    call: callOf(retailer),
  }));
  const halves = await Promise.all([
    harness.fake.callAll(createReceipt, attempts.slice(0, 25)),
    harness.fake.callAll(createReceipt, attempts.slice(25)),
  ]);
  const outcomes = halves.flat();
  const stored = outcomes.filter((outcome) => !(outcome instanceof ServiceError));
  expect(stored).toHaveLength(1);
  const refused = outcomes.filter((outcome) => outcome instanceof ServiceError);
  expect(new Set(refused.map(({ status, extra }) => `${status} ${String(extra?.['id'])}`))).toEqual(
    new Set([`409 ${idOf(stored[0])}`]),
  );
});

test('accepts an external id once, regardless of case, even for duplicates', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const external_id = 'f47ac10b-58cc-4372-a567-0e02b2c3d479';
  const first = await post(retailer, { external_id: external_id.toUpperCase() });
  for (const duplicate of [false, true]) {
    expect(await refusal(post(retailer, { external_id, duplicate }))).toMatchObject({
      status: 409,
      code: 'duplicate_external_id',
      extra: { id: first },
    });
  }
});

test('stores duplicates in addition to the receipt, each with its own transaction id', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const transaction_id = newId();
  await post(retailer, { transaction_id });
  const ids = await harness.post(retailer, [
    { transaction_id, duplicate: true },
    { transaction_id, duplicate: true },
  ]);
  const names = await Promise.all(ids.map(async (id) => (await harness.get(retailer, id)).transaction_id));
  for (const name of names) expect(name).toMatch(new RegExp(`^${transaction_id}-duplicate-[a-z]{4}$`));
  expect(new Set(names).size).toBe(2);
});

test('returns a separate outcome for each receipt of a batch', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const strict = harness.retailer((id) =>
    retailerOf(id, { stores: { from_receipt: false, require_known: true } }),
  );
  const transaction_id = newId();
  const bodies: [string, Partial<PostedReceipt>][] = [
    [retailer, { transaction_id }],
    [strict, { store_reference: 'nowhere' }],
    [retailer, { transaction_id }],
    [retailer, {}],
  ];
  const outcomes = await harness.fake.callAll(
    createReceipt,
    bodies.map(([owner, change]) => ({
      input: { body: postedReceipt(change) } as never,
      call: callOf(owner),
    })),
  );
  expect(outcomes.map((outcome) => (outcome instanceof ServiceError ? outcome.code : 'stored'))).toEqual([
    'stored',
    'store_not_found',
    'duplicate_transaction_id',
    'stored',
  ]);
});

test('returns the summary of a known store; requests an unknown store once per batch, and caches it', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  harness.stores.push(storeOf(retailer));
  harness.fake.received.length = 0;
  const ids = await harness.post(retailer, [
    {},
    { store_reference: 'opera' },
    { store_reference: '0001' },
    {},
  ]);
  for (const id of ids) {
    const { store, l10n } = await harness.get(retailer, id);
    expect(store).toEqual({
      name: 'Opéra',
      address: ['12 rue de la Paix'],
      city: 'Paris',
      postcode: '75002',
      country: 'FRA',
      phone: null,
      vatno: null,
      company: null,
      properties: { size: 'large' },
    });
    expect(l10n.locale).toBe('fr_FR');
  }
  const questions = () => harness.fake.received.filter(({ name }) => name === 'admin.find-store').length;
  const before = questions();
  expect(before).toBeLessThanOrEqual(3);
  await harness.post(retailer, [{}, { store_reference: 'opera' }]);
  expect(questions()).toBe(before);
});

test('applies a change to the store to later receipts', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  await harness.fake.deliver({ type: 'store.created', data: storeOf(retailer) });
  const [before] = await harness.post(retailer, [{}]);
  const renamed = storeOf(retailer, { name: 'Bastille', version: 2 });
  await harness.fake.deliver({ type: 'store.updated', data: renamed });
  await harness.fake.deliver({ type: 'store.updated', data: storeOf(retailer) });
  const [after] = await harness.post(retailer, [{}]);
  expect((await harness.get(retailer, before as string)).store.name).toBe('Opéra');
  expect((await harness.get(retailer, after as string)).store.name).toBe('Bastille');
});

test('rejects a store within the receipt, or saves it if the retailer allows it', async () => {
  const store = { name: 'Bastille', country: 'FRA' };
  const closed = harness.retailer((id) => retailerOf(id));
  expect(await refusal(post(closed, { store }))).toMatchObject({
    status: 422,
    description: 'store can not be set or updated from receipt',
  });
  const open = harness.retailer((id) =>
    retailerOf(id, { stores: { from_receipt: true, require_known: true } }),
  );
  harness.fake.answers.set('admin.save-posted-store', (body: { store: typeof store }, call: Call) => ({
    store: storeOf(call.retailer, { ...body.store, reference: 5, external_reference: null }),
  }));
  const first = await post(open, { store, store_reference: 5 });
  expect((await harness.get(open, first)).store.name).toBe('Bastille');
  const second = await post(open, { store_reference: '5' });
  expect((await harness.get(open, second)).store.name).toBe('Bastille');
});

test('applies changed settings as soon as their event arrives', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  await post(retailer);
  const settings = { stores: { from_receipt: false, require_known: true } };
  await harness.fake.deliver({
    type: 'retailer.updated',
    data: { ...retailerOf(retailer, settings), version: 2 },
  });
  expect(await refusal(post(retailer, { store_reference: 'x' }))).toMatchObject({ code: 'store_not_found' });
});

test('has ingest store the attachments, and returns them by label', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const view = { id: 'a1', url: '/attachments/a1', content_type: 'text/plain', filename: 'x.txt', size: 3 };
  harness.fake.answers.set('ingest.store-attachments', () => ({ attachments: { note: view } }));
  const id = await post(retailer, { attachments: { note: { data: 'YWJj' } } });
  expect((await harness.get(retailer, id)).attachments).toEqual({ note: view });
  expect(harness.fake.received.at(-1)).toMatchObject({
    name: 'ingest.store-attachments',
    body: { receipt_id: id, attachments: { note: { data: 'YWJj' } } },
    call: { retailer },
  });
  harness.fake.answers.set('ingest.store-attachments', () => {
    throw new ServiceError({
      status: 422,
      code: 'attachment_not_found',
      description: 'attachment not found',
    });
  });
  expect(await refusal(post(retailer, { attachments: { note: { id: 'b' } } }))).toMatchObject({
    status: 422,
  });
});

test('changes no store and stores no attachment for a receipt that is posted again', async () => {
  const retailer = harness.retailer((id) =>
    retailerOf(id, { stores: { from_receipt: true, require_known: false } }),
  );
  harness.fake.answers.set('admin.save-posted-store', (_body: unknown, { retailer: owner }: Call) => ({
    store: storeOf(owner),
  }));
  harness.fake.answers.set('ingest.store-attachments', () => ({ attachments: {} }));
  const store = { name: 'Old', country: 'FRA' };
  const attachments = { note: { data: 'YWJj' } };
  const change = { transaction_id: newId(), store, attachments };
  const call = callOf(retailer);
  const input = { body: postedReceipt(change) } as never;
  const first = idOf(await harness.fake.call(createReceipt, input, call));
  harness.fake.received.length = 0;
  expect(await refusal(post(retailer, change))).toMatchObject({
    code: 'duplicate_transaction_id',
    extra: { id: first },
  });
  // A redelivered message does not create another receipt.
  expect(idOf(await harness.fake.call(createReceipt, input, call))).toBe(first);
  expect(harness.fake.received).toEqual([]);
});

test('reports a store with another store’s reference as a fault in the body', async () => {
  const retailer = harness.retailer((id) =>
    retailerOf(id, { stores: { from_receipt: true, require_known: false } }),
  );
  harness.fake.answers.set('admin.save-posted-store', () => {
    throw new ServiceError(storeExists);
  });
  const store = { name: 'x', country: 'FRA', external_reference: 'taken' };
  expect(await refusal(post(retailer, { store }))).toMatchObject({
    status: 422,
    code: 'schema_validation_failed',
    errors: [{ path: '/store', code: 'store_exists' }],
  });
});

test('does not report conflicting changes to a store as an existing receipt', async () => {
  const retailer = harness.retailer((id) =>
    retailerOf(id, { stores: { from_receipt: true, require_known: false } }),
  );
  harness.fake.answers.set('admin.save-posted-store', () => {
    throw new ServiceError(concurrentWrite);
  });
  const store = { name: 'x', country: 'FRA' };
  expect(await refusal(post(retailer, { store }))).toMatchObject({ status: 503, code: 'unavailable' });
});

test('finds the receipt that a redelivered message has written', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const call = callOf(retailer);
  const input = { body: postedReceipt({ duplicate: true }) } as never;
  const first = await harness.fake.call(createReceipt, input, call);
  expect(await harness.fake.call(createReceipt, input, call)).toEqual(first);
});

describe('an idempotency key', () => {
  const key = 'k-1';
  const withKey = (retailer: string, change: Partial<Call> = {}) =>
    callOf(retailer, { idempotencyKey: key, ...change });

  test.each([false, true])('repeats the original response for a retry (duplicate: %s)', async (duplicate) => {
    const retailer = harness.retailer((id) => retailerOf(id));
    const body = postedReceipt({ duplicate });
    const first = await harness.fake.call(createReceipt, { body }, withKey(retailer));
    expect(first.replayed).toBeUndefined();
    const again = await harness.fake.call(createReceipt, { body }, withKey(retailer));
    expect(again).toEqual({ ...first, replayed: true });
    if (duplicate) return;
    // A request without the key is a different request.
    const other = harness.fake.call(createReceipt, { body }, callOf(retailer));
    expect(await refusal(other)).toMatchObject({ code: 'duplicate_transaction_id' });
  });

  test('rejects another body, and does not affect other principals and retailers', async () => {
    const retailer = harness.retailer((id) => retailerOf(id));
    const body = postedReceipt();
    await harness.fake.call(createReceipt, { body }, withKey(retailer));
    const other = harness.fake.call(createReceipt, { body: postedReceipt() }, withKey(retailer));
    expect(await refusal(other)).toMatchObject({ status: 409, code: 'idempotency_mismatch' });
    const principal = { kind: 'client', id: 'bearer:2' } as const;
    const same = harness.fake.call(createReceipt, { body }, withKey(retailer, { principal }));
    expect(await refusal(same)).toMatchObject({ code: 'duplicate_transaction_id' });
    const strangers = [withKey(retailer, { principal }), withKey(harness.retailer((id) => retailerOf(id)))];
    for (const call of strangers) {
      const reply = await harness.fake.call(createReceipt, { body: postedReceipt() }, call);
      expect(reply).toMatchObject({ meta: { id: call.id } });
      expect(reply.replayed).toBeUndefined();
    }
  });

  test('executes only one of several concurrent requests, whether or not their bodies are equal', async () => {
    const retailer = harness.retailer((id) => retailerOf(id));
    const [body, another] = [postedReceipt(), postedReceipt()];
    const items = Array.from({ length: 12 }, (_, n) => ({
      input: { body: n % 4 === 3 ? another : body },
      call: withKey(retailer),
    }));
    const half = items.length / 2;
    const outcomes = (
      await Promise.all([
        harness.fake.callAll(createReceipt, items.slice(0, half)),
        harness.fake.callAll(createReceipt, items.slice(half)),
      ])
    ).flat();
    const first = idOf(outcomes[0]);
    outcomes.forEach((outcome, n) => {
      if (n % 4 === 3) expect(outcome).toMatchObject({ status: 409, code: 'idempotency_mismatch' });
      else expect(outcome).toMatchObject({ meta: { id: first }, ...(n > 0 && { replayed: true }) });
    });
    expect(await harness.database.db.collection('receipts').countDocuments({ retailer })).toBe(1);
  });

  test('can be used again after a duplicate was refused', async () => {
    const retailer = harness.retailer((id) => retailerOf(id));
    const transaction_id = newId();
    await post(retailer, { transaction_id });
    const refused = harness.fake.call(
      createReceipt,
      { body: postedReceipt({ transaction_id }) },
      withKey(retailer),
    );
    expect(await refusal(refused)).toMatchObject({ code: 'duplicate_transaction_id' });
    const reply = await harness.fake.call(createReceipt, { body: postedReceipt() }, withKey(retailer));
    expect(reply.replayed).toBeUndefined();
  });

  test.each([23, 25])('expires after a day (%i hours)', async (hours) => {
    const retailer = harness.retailer((id) => retailerOf(id));
    const { meta } = await harness.fake.call(createReceipt, { body: postedReceipt() }, withKey(retailer));
    const documents = harness.database.db.collection<{ _id: string }>('receipts');
    const at = new Date(Date.now() - hours * 60 * 60_000);
    await documents.updateOne({ _id: meta.id }, { $set: { 'idem.at': at } });
    const later = harness.fake.call(createReceipt, { body: postedReceipt() }, withKey(retailer));
    if (hours < 24) expect(await refusal(later)).toMatchObject({ code: 'idempotency_mismatch' });
    else expect((await later).replayed).toBeUndefined();
  });

  test('of a redelivered message does not count as a retry', async () => {
    const retailer = harness.retailer((id) => retailerOf(id));
    const call = withKey(retailer);
    const body = postedReceipt();
    const first = await harness.fake.call(createReceipt, { body }, call);
    expect(await harness.fake.call(createReceipt, { body }, call)).toEqual(first);
  });
});

test('rejects a receipt that is too large to store, without affecting others', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const items = Array.from({ length: 30_000 }, () => ({ name: '', quantity: 1, total: 1 }));
  const outcomes = await harness.fake.callAll(createReceipt, [
    { input: { body: postedReceipt({ items }) }, call: callOf(retailer) },
    { input: { body: postedReceipt() }, call: callOf(retailer) },
  ]);
  expect(outcomes[0]).toMatchObject({ status: 413 });
  expect(idOf(outcomes[1])).toMatch(/^[0-9a-f]{24}$/);
});

test('returns free-form objects unchanged, even with keys that databases do not support', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const text =
    '{"__proto__":{"polluted":1},"constructor":{"prototype":1},"$where":"x","a.b":{"$ref":"x","$id":1},' +
    '"nul\\u0000":1,"_bsontype":"ObjectId","lone":"\\ud800"}';
  const [id] = await harness.post(retailer, [{ properties: JSON.parse(text) as Record<string, unknown> }]);
  expect(JSON.stringify((await harness.get(retailer, id as string)).properties)).toBe(text);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});
