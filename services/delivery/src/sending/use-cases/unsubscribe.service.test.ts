import { createHash } from 'node:crypto';
import { newId, ServiceError } from '@receipts/kernel';
import { callOf, deletedEvent, receiptOf, recordedEvent, retailerOf } from '../../testing/samples';
import { startWorld, type World } from '../../testing/world';

let world: World;
let retailer: string;
let jane: string;

beforeAll(async () => {
  world = await startWorld();
});
beforeEach(() => {
  retailer = `r-${newId()}`;
  jane = `${newId()}@example.com`;
  world.retailers.set(retailer, retailerOf(retailer));
  world.mails.length = 0;
  world.refusals.clear();
});
afterAll(() => world.close());

/** Sends an e-mail to a consumer, and returns its link. */
async function mailed(identifier: string | null, address?: string) {
  const receipt = receiptOf({ identifier, properties: { email: jane } });
  world.receipts.set(receipt.id, { retailer, receipt });
  const body = { id: receipt.id, channels: ['email'], ...(address && { email_address: address }) };
  const before = world.mails.length;
  await world.ask('sendReceipt', { body }, callOf(retailer));
  await world.until('the e-mail', () => world.mails.length > before);
  const sent = world.mails.at(-1);
  const token = sent?.envelope.unsubscribe?.split('/').at(-1) ?? '';
  return { id: receipt.id, receipt, sent, token };
}
/** Posts a receipt that is sent on arrival, and returns what becomes of its delivery. */
async function arrives(identifier: string | null, email?: string) {
  const properties = { email_settings: { send: true }, ...(email && { email }) };
  const receipt = receiptOf({ identifier, properties });
  world.receipts.set(receipt.id, { retailer, receipt });
  await world.deliver(recordedEvent(retailer, receipt));
  const delivery = () => world.database.db.collection('deliveries').findOne({ receiptId: receipt.id });
  await world.until('the end', async () => (await delivery())?.['status'] !== 'pending');
  return { status: (await delivery())?.['status'], reason: (await delivery())?.['reason'] };
}
const sentOnArrival = { status: 'sent', reason: null };
const suppressed = { status: 'suppressed', reason: 'opted_out' };
const look = (token: string) =>
  world.ask('showUnsubscribe', { params: { token }, query: {}, headers: {} }, callOf(''));
const click = (token: string, lang?: string) => {
  const body = Buffer.from('List-Unsubscribe=One-Click');
  return world.ask('unsubscribe', { params: { token }, query: { lang }, headers: {}, body }, callOf(''));
};
const tagsOf = (identifier: string) => world.identifiers.get(identifier)?.['opt-out'];

it('puts an unsubscribe link into e-mails, and changes nothing when the link is opened', async () => {
  world.identifiers.set(jane, {});
  const { token, sent } = await mailed(jane);
  expect(sent?.envelope.unsubscribe).toMatch(/^https:\/\/receipts\.example\/u\/[\w-]{40,}$/);
  for (const part of [sent?.mail.text, sent?.mail.html]) expect(part).toContain(sent?.envelope.unsubscribe);
  const { body, meta } = await look(token);
  expect(String(body)).toContain('<form method="post">');
  expect(meta.contentSecurityPolicy).toContain("form-action 'self'");
  expect(tagsOf(jane)).toBeUndefined();
});

it('opts out permanently with one click, even if the links of the receipt were revoked', async () => {
  world.identifiers.set(jane, { 'opt-out': ['offers'] });
  const { id, token } = await mailed(jane);
  await world.ask('revokeReceiptLinks', { params: { id } }, callOf(retailer));
  expect(String((await click(token)).body)).toContain('You will no longer receive receipts.');
  expect(String((await click(token, 'de')).body)).toContain('Sie erhalten keine Kassenbons mehr.');
  expect(tagsOf(jane)).toEqual(['offers', 'receipts']);
  const again = world.ask('sendReceipt', { body: { id, channels: ['email'] } }, callOf(retailer));
  await expect(again).rejects.toMatchObject({ status: 422 });
});

it('opts out an unknown consumer, and creates the identifier', async () => {
  const { token } = await mailed(jane);
  await click(token);
  expect(tagsOf(jane)).toEqual(['receipts']);
});

const conflict = (code: string) => new ServiceError({ status: 409, code, description: 'a conflict' });

it('works despite a concurrent change of the identifier', async () => {
  world.identifiers.set(jane, { 'opt-out': ['offers'] });
  const { token } = await mailed(jane);
  world.refusals.set('identifier.patch-identifier', [
    conflict('concurrent_write'),
    conflict('concurrent_write'),
  ]);
  await click(token);
  expect(tagsOf(jane)).toEqual(['offers', 'receipts']);
});

it('opts out a consumer who becomes known at the same time', async () => {
  const { token } = await mailed(jane);
  const unknown = new ServiceError({ status: 404, code: 'identifier_not_found', description: 'not found' });
  world.identifiers.set(jane, { name: 'Jane' });
  world.refusals.set('identifier.patch-identifier', [unknown]);
  world.refusals.set('identifier.create-identifier', [conflict('identifier_exists')]);
  await click(token);
  expect(world.identifiers.get(jane)).toEqual({ name: 'Jane', 'opt-out': ['receipts'] });
});

it('returns 503 for permanent conflicts, never 409', async () => {
  world.identifiers.set(jane, {});
  const { token } = await mailed(jane);
  const conflicts = Array.from({ length: 20 }, () => conflict('concurrent_write'));
  world.refusals.set('identifier.patch-identifier', conflicts);
  await expect(click(token)).rejects.toMatchObject({ status: 503, code: 'unavailable' });
  expect(conflicts.length).toBeGreaterThan(0);
});

it('accepts no other link', async () => {
  const { id } = await mailed(jane);
  const links = await world.ask('getReceiptLinks', { params: { id } }, callOf(retailer));
  for (const token of [links.body._links.webview.href.split('/').at(-1) ?? '', 'x', 'A'.repeat(60)]) {
    for (const answer of [look(token), click(token)]) {
      const refusal = await answer.catch((error: unknown) => error);
      expect(refusal instanceof ServiceError && refusal.status).toBe(404);
    }
  }
});

it('opts out the recipient of the e-mail, even if the receipt has been reassigned since', async () => {
  const john = `${newId()}@example.com`;
  world.identifiers.set(jane, {}).set(john, {});
  const { id, receipt, token } = await mailed(jane);
  world.receipts.set(id, { retailer, receipt: { ...receipt, identifier: john, properties: {} } });
  await click(token);
  expect([tagsOf(jane), tagsOf(john)]).toEqual([['receipts'], undefined]);
  expect(await arrives(john)).toEqual(sentOnArrival);
  expect(await arrives(jane)).toEqual(suppressed);
});

it('works after the receipt was deleted', async () => {
  world.identifiers.set(jane, {});
  const { id, token } = await mailed(jane);
  world.deleted.add(id);
  await world.until('the deletion', async () =>
    (await world.deliver(deletedEvent(retailer, id))).every((fault) => fault === undefined),
  );
  expect(String((await look(token)).body)).toContain('<form method="post">');
  await click(token);
  expect(tagsOf(jane)).toEqual(['receipts']);
});

it('works after the consumer was erased, remembers hashes only, and creates nobody', async () => {
  const card = newId();
  world.identifiers.set(card, { email: jane });
  const { id, token } = await mailed(card);
  const person = createHash('sha256').update(card).digest('hex');
  await world.until('the events are published', async () => {
    const unpublished = { receiptId: id, 'outbox.id': { $exists: true } };
    return (await world.database.db.collection('deliveries').countDocuments(unpublished)) === 0;
  });
  await world.ask('eraseAddresses', { body: { receipts: [id], person } }, callOf(retailer));
  world.identifiers.delete(card);
  expect(String((await click(token)).body)).toContain('You will no longer receive receipts.');
  expect(world.identifiers.has(card)).toBe(false);
  const { db } = world.database;
  for (const name of ['recipients', 'opt_outs', 'deliveries']) {
    const kept = JSON.stringify(await db.collection(name).find({ retailer }).toArray());
    for (const word of [card, jane]) expect([name, kept.includes(word)]).toEqual([name, false]);
  }
  world.identifiers.set(card, { email: `${newId()}@example.com` });
  expect(await arrives(card)).toEqual(suppressed);
  expect(await arrives(newId(), jane)).toEqual(suppressed);
});

it('remembers the address, in whatever letters and with whatever consumer', async () => {
  const { token } = await mailed(jane);
  await click(token);
  const spelled = jane.toUpperCase();
  expect(await arrives(spelled)).toEqual(suppressed);
  const card = newId();
  world.identifiers.set(card, { email: spelled });
  expect(await arrives(card)).toEqual(suppressed);
  expect(await arrives(null, jane)).toEqual(suppressed);
  const { id } = await mailed(jane, jane);
  const explain = await world.ask('listDeliveries', { params: { id } }, callOf(retailer));
  expect(explain.body.explain.find(({ step }) => step === 'opt_out')).toMatchObject({ passed: false });
});

it('opts out only the address if it was given in the request and is not the consumer’s', async () => {
  const friend = `${newId()}@example.com`;
  world.identifiers.set(jane, {});
  const { token } = await mailed(jane, friend);
  await click(token);
  expect(tagsOf(jane)).toBeUndefined();
  expect(await arrives(jane)).toEqual(sentOnArrival);
  expect(await arrives(newId(), friend)).toEqual(suppressed);
  expect((await mailed(jane, friend)).sent?.envelope.to).toBe(friend);
});

it('opts out the consumer if the address in the request is their own', async () => {
  world.identifiers.set(jane, {});
  const { token } = await mailed(jane, jane.toUpperCase());
  await click(token);
  expect(tagsOf(jane)).toEqual(['receipts']);
});

it('puts a link into the e-mail of a receipt without a consumer, which opts out the address', async () => {
  const { token } = await mailed(null);
  await click(token);
  expect(await arrives(null, jane)).toEqual(suppressed);
});

describe('an attempt after an opt-out', () => {
  const waiting = async (receiptId: string) =>
    world.until('the first attempt', async () => {
      const found = await world.database.db.collection('deliveries').findOne({ receiptId });
      return found?.['reason'] === 'not_delivered';
    });
  const later = () => {
    world.mailFault = undefined;
    world.now = new Date(world.now.getTime() + 60_000);
  };
  const outcome = async (receiptId: string) => {
    const find = () => world.database.db.collection('deliveries').findOne({ receiptId });
    await world.until('the end', async () => (await find())?.['status'] !== 'pending');
    return { status: (await find())?.['status'], reason: (await find())?.['reason'] };
  };
  afterEach(() => {
    world.mailFault = undefined;
  });

  it.each(['a tag', 'a click'] as const)('on arrival is suppressed: %s', async (how) => {
    const { token } = await mailed(jane);
    world.mailFault = new Error('connection lost');
    const receipt = receiptOf({ identifier: jane, properties: { email_settings: { send: true } } });
    world.receipts.set(receipt.id, { retailer, receipt });
    await world.deliver(recordedEvent(retailer, receipt));
    await waiting(receipt.id);
    if (how === 'a click') await click(token);
    else world.identifiers.set(jane, { 'opt-out': ['receipts'] });
    later();
    expect(await outcome(receipt.id)).toEqual(suppressed);
    expect(world.mails).toHaveLength(1);
    const types = () => world.events.filter((event) => event.retailer === retailer).map(({ type }) => type);
    await world.until('the event', () => types().includes('delivery.suppressed'));
  });

  it('on request fails, unless the address was given', async () => {
    const { token } = await mailed(jane);
    world.mailFault = new Error('connection lost');
    const [known, given] = [{}, { email_address: jane }].map((address) => {
      const receipt = receiptOf({ identifier: jane, properties: {} });
      world.receipts.set(receipt.id, { retailer, receipt });
      return { id: receipt.id, channels: ['email'], ...address };
    });
    for (const body of [known, given]) await world.ask('sendReceipt', { body: body! }, callOf(retailer));
    for (const body of [known, given]) await waiting(body!.id);
    await click(token);
    later();
    expect(await outcome(known!.id)).toEqual({ status: 'failed', reason: 'opted_out' });
    expect(await outcome(given!.id)).toEqual({ status: 'sent', reason: null });
  });
});
