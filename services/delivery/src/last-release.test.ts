import path from 'node:path';
import { connectDatabase } from '@receipts/storage';
import { putDocuments, startMongo, testDatabase, type Mongo, silentLog } from '@receipts/testing';
import { callOf, receiptOf, retailerOf, webhookParts } from './testing/samples';
import { startWorldOn, type World } from './testing/world';
import type { WebhookRequest } from './webhooks/post-webhook';

const retailer = 'demo';
const receiptId = '6b02fb1a7d15a1e489e466c9';
const endpointId = '6b02fb1a7d15a1e489e466ca';
const eventId = '6b02fb1a7d15a1e489e466e9';

let mongo: Mongo;
let world: World;
const posted: WebhookRequest[] = [];

beforeAll(async () => {
  mongo = await startMongo();
  const databaseName = testDatabase('delivery');
  const database = await connectDatabase({
    uri: mongo.uri,
    database: databaseName,
    service: 'delivery',
    log: silentLog,
  });
  await putDocuments(database.db, path.join(__dirname, '../fixtures/documents-of-0.1.0.json'));
  world = await startWorldOn(
    database,
    webhookParts(async (request) => {
      posted.push(request);
      const response = { status: 204, headers: {}, body: '' };
      return { outcome: 'succeeded', error: null, durationMs: 1, response };
    }),
  );
  world.retailers.set(retailer, retailerOf(retailer));
  const receipt = receiptOf({ id: receiptId, transaction_id: 'T-1', identifier: 'jane@example.com' });
  world.receipts.set(receiptId, { retailer, receipt });
}, 60_000);
afterAll(async () => {
  await world.close();
  await mongo.stop();
});

it('a mail that was sent is listed, and links that were withdrawn stay withdrawn', async () => {
  const { body } = await world.ask('listDeliveries', { params: { id: receiptId } }, callOf(retailer));
  expect(body.deliveries).toMatchObject([
    { channel: 'email', address: 'j***@example.com', status: 'sent', attempts: 1 },
  ]);
  const links = await world.ask('getReceiptLinks', { params: { id: receiptId } }, callOf(retailer));
  // That of generation 1, as the release before gave it out.
  expect(links.body._links.webview.href).toBe(
    'https://receipts.example/r/EgSEohEMbdTGfqdZhuLAdJnnFUskHKHebFRlZ4RdrJU6yA',
  );
});

it('the feed tells what it told, and a webhook that waited is posted with the secret of its endpoint', async () => {
  // A cursor that the release before has given.
  const query = { after: '6a0991a07d15a1e489e466f7-0', count: 10 };
  const { body } = await world.ask('listEvents', { query } as never, callOf(retailer));
  expect(JSON.stringify(body)).toContain(eventId);
  world.now = new Date(world.now.getTime() + 60_000);
  const delivered = async () => {
    const all = { query: { count: 10 } } as never;
    const { deliveries } = (await world.ask('listWebhookDeliveries', all, callOf(retailer))).body;
    return deliveries.length === 1 && deliveries[0]?.status === 'succeeded';
  };
  await world.until('it was posted', delivered);
  expect(posted).toMatchObject([{ url: 'https://shop.example/hook', headers: { 'webhook-id': eventId } }]);
  const shown = await world.ask('getWebhookEndpoint', { params: { id: endpointId } }, callOf(retailer));
  expect(shown.body).toMatchObject({ event_types: ['receipt.created'], enabled: true, failing_since: null });
});
