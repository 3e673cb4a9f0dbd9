import { newId, ServiceError } from '@receipts/kernel';
import { startMongo, testDatabase, type Mongo } from '@receipts/testing';
import { callOf, receiptOf, retailerOf } from '../../testing/samples';
import { startWorld, type World } from '../../testing/world';

let mongo: Mongo;
let world: World;
let retailer: string;
let jane: string;

beforeAll(async () => {
  mongo = await startMongo();
  world = await startWorld(mongo.uri, testDatabase('delivery'));
});
beforeEach(() => {
  retailer = `r-${newId()}`;
  jane = `${newId()}@example.com`;
  world.retailers.set(retailer, retailerOf(retailer));
  world.mails.length = 0;
  world.refusals.clear();
});
afterAll(async () => {
  await world.close();
  await mongo.stop();
});

/** Sends an e-mail to a consumer, and returns its link. */
async function mailed(identifier: string | null) {
  const receipt = receiptOf({ identifier, properties: { email: jane } });
  world.receipts.set(receipt.id, { retailer, receipt });
  await world.ask('sendReceipt', { body: { id: receipt.id, channels: ['email'] } }, callOf(retailer));
  await world.until('the e-mail', () => world.mails.length === 1);
  const [sent] = world.mails;
  const token = sent?.envelope.unsubscribe?.split('/').at(-1) ?? '';
  return { id: receipt.id, sent, token };
}
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

it('creates no unsubscribe link for a receipt without a consumer, and accepts no other link', async () => {
  const { id, sent } = await mailed(null);
  expect(sent?.envelope.unsubscribe).toBeNull();
  const links = await world.ask('getReceiptLinks', { params: { id } }, callOf(retailer));
  for (const token of [links.body._links.webview.href.split('/').at(-1) ?? '', 'x', 'A'.repeat(60)]) {
    for (const answer of [look(token), click(token)]) {
      const refusal = await answer.catch((error: unknown) => error);
      expect(refusal instanceof ServiceError && refusal.status).toBe(404);
    }
  }
});
