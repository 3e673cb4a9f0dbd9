import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync, inflateSync } from 'node:zlib';
import { Binary, MongoClient, type Document } from 'mongodb';
import { serviceNames, type Platform } from '@receipts/local';
import { until } from '@receipts/testing';
import { newRetailer, type TestRetailer } from './harness/client';
import { discard, ownPlatform, sharedInfrastructure } from './harness/own-platform';
import { aReceipt } from './harness/receipts';
import { sharedPlatform } from './harness/shared-platform';
import { QueueReader } from './harness/queue-reader';
import { filesOfServers, personalDataPlaces } from './personal-data-places';

let platform: Platform;
let database: MongoClient;
let retailer: TestRetailer;
let queues: QueueReader;

const mapping = {
  id: 'marked-json',
  match: { content_type: ['application/json'], source_id: ['*'], store_reference: ['*'], till_id: ['*'] },
  decode: { type: 'json' },
  transform: { language: 'jsonata', expression: 'doc' },
};

beforeAll(async () => {
  platform = await ownPlatform({}, sharedInfrastructure());
  database = new MongoClient(platform.database.uri);
  queues = new QueueReader(platform.broker.url, sharedPlatform().managementUrl);
  const settings = { personal_properties: ['note', 'details'] };
  retailer = await newRetailer(platform.baseUrl, platform.secrets.operatorToken, settings);
  expect((await retailer.api.post('/stores', { reference: 1, name: 'One', country: 'FRA' })).status).toBe(
    201,
  );
  expect((await retailer.api.post('/pos/mappings', mapping)).status).toBe(201);
  expect((await retailer.api.post(`/pos/mappings/${mapping.id}/_activate`, {})).status).toBe(200);
  // Nobody listens there, so its deliveries stay pending.
  const endpoint = { url: 'http://127.0.0.1:9/hook', event_types: ['*'], payload: 'full' };
  await retailer.api.post('/webhooks/endpoints', endpoint);
});
afterAll(async () => {
  await database?.close();
  await discard(platform);
});

const aMark = () => `q${randomBytes(8).toString('hex')}`;

/** The texts that bytes may stand for: as they are, and decompressed. */
function textsOf(bytes: Buffer): string[] {
  const texts = [bytes.toString('utf8'), bytes.toString('utf16le')];
  for (const decode of [gunzipSync, inflateSync]) {
    try {
      texts.push(decode(bytes).toString('utf8'));
    } catch {
      // The bytes are not compressed in this way.
    }
  }
  return texts;
}

/** Whether a value contains the mark anywhere, also in names of members, compressed, and in base64 or hex. */
function isMarked(value: unknown, mark: string): boolean {
  if (typeof value === 'string') {
    const has = (text: string) => text.toLowerCase().includes(mark);
    if (has(value)) return true;
    const isEncoded = /^[A-Za-z0-9+/_=-]{16,}$/.test(value);
    return (
      isEncoded &&
      (['base64', 'hex'] as const).some((encoding) => textsOf(Buffer.from(value, encoding)).some(has))
    );
  }
  if (value instanceof Binary) return isMarked(Buffer.from(value.buffer).subarray(0, value.position), mark);
  if (Buffer.isBuffer(value)) return textsOf(value).some((text) => isMarked(text, mark));
  if (Array.isArray(value)) return value.some((each) => isMarked(each, mark));
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, each]) => isMarked(name, mark) || isMarked(each, mark));
}

const databaseOf = (service: string) => database.db(`${platform.name}_${service}`.replaceAll('-', '_'));
const services = serviceNames.filter((name) => name !== 'gateway');

async function collections(): Promise<string[]> {
  const found = await Promise.all(
    services.map(async (service) => {
      const all = await databaseOf(service).listCollections({}, { nameOnly: true }).toArray();
      return all.map(({ name }) => `${service}.${name}`);
    }),
  );
  return found.flat().sort();
}

function files(folder = platform.settings.dataDir): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (filesOfServers.includes(path.relative(platform.settings.dataDir, file))) return [];
    return entry.isDirectory() ? files(file) : entry.isFile() ? [file] : [];
  });
}

/** All places where the mark is. */
async function placesWith(mark: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of await collections()) {
    const [service = '', collection = ''] = name.split(/\.(.*)/s);
    const documents: Document[] = await databaseOf(service).collection(collection).find().toArray();
    if (documents.some((document) => isMarked(document, mark))) found.push(name);
  }
  for (const [queue, messages] of await queues.messages(platform.name)) {
    if (messages.some((message) => isMarked(message, mark))) found.push(`queue ${queue}`);
  }
  for (const file of files()) {
    if (isMarked(readFileSync(file), mark)) found.push(path.relative(platform.settings.dataDir, file));
  }
  return found;
}

const settled = promisify(setImmediate);

/** Raw data that contains the mark everywhere; its consumer is named in the metadata, if there is one. */
async function postRaw(mark: string, body: object | string, identifier?: string): Promise<string> {
  const upload = await retailer.api.call('/attachments', {
    method: 'POST',
    body: `slip of ${mark}`,
    headers: { 'content-type': 'text/plain', 'content-disposition': `attachment; filename="${mark}.txt"` },
  });
  const answer = await retailer.api.call('/pos/receipts', {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: {
      'content-type': 'application/json',
      'service-property-name': mark,
      'service-till-id': mark,
      'service-attachment-id': `${upload.body.id}; label=${mark}`,
      ...(identifier !== undefined && { 'service-identifier': identifier }),
    },
  });
  expect(answer.status).toBe(202);
  const id = (answer.headers.location as string).slice('/receipts/'.length);
  await until('the packet has an outcome', async () => {
    const packet = await retailer.api.get(`/pos/packets/${id}`);
    return packet.status === 200 && packet.body.status !== 'accepted';
  });
  return id;
}

/** A receipt that contains the mark wherever a till can put it. */
const marked = (mark: string, more: object = {}) =>
  aReceipt({
    properties: { email: `${mark}@example.com`, email_settings: { send: false }, note: { of: mark } },
    items: [
      { name: 'Shirt', quantity: 1, total: 25.48, properties: { details: mark, note: mark } },
      {
        name: 'Belt',
        quantity: 1,
        total: 0,
        properties: {},
        return: { localtime: '2026-03-14T12:30:00', properties: { note: mark } },
      },
    ],
    ...more,
  });

const inline = (mark: string) => ({
  [mark]: {
    data: Buffer.from(mark).toString('base64'),
    content_disposition: `attachment; filename="${mark}.pdf"`,
  },
});

/** A gift receipt whose message contains the mark. */
async function giveAway(id: string, mark: string): Promise<void> {
  const answer = await retailer.api.post(`/receipts/${id}/_gift`, { message: `from ${mark}` });
  expect(answer.status).toBe(201);
  expect((await retailer.api.get(`/receipts/returnable`, { gift_id: answer.body.gift_id })).status).toBe(200);
}

it('lists every collection of every service as a place that can or cannot hold a person', async () => {
  const listed = personalDataPlaces.flatMap(({ collections: names = [] }) => names).sort();
  expect(new Set(listed).size).toBe(listed.length);
  expect((await collections()).filter((name) => !listed.includes(name))).toEqual([]);
});

it('an erased consumer is found nowhere', async () => {
  const mark = aMark();
  const identifier = `${mark}@example.com`;
  const keyed = { 'idempotency-key': randomBytes(8).toString('hex') };
  const consumer = { identifier, properties: { city: mark } };
  expect((await retailer.api.post('/identifiers', consumer, keyed)).status).toBe(201);
  const converted = await postRaw(mark, marked(mark, { identifier }), identifier);
  const failed = await postRaw(mark, `not JSON: ${mark}`, identifier);
  const body = marked(mark, { identifier, attachments: inline(mark) });
  const posted = await retailer.api.post('/receipts', body, keyed);
  expect(posted.status).toBe(201);
  await giveAway(posted.body.id as string, mark);
  await retailer.api.post('/receipts/_send', { id: posted.body.id, channels: ['email'], email: identifier });
  await until('the summary counts both receipts', async () => {
    const found = await retailer.api.get(`/identifiers/${identifier}`);
    return found.body.summary?.receipts === 2;
  });
  const planted = await placesWith(mark);
  for (const place of [
    'ingest.packets',
    'ingest.attachments',
    'receipt-store.receipts',
    'delivery.event_log',
  ])
    expect(planted).toContain(place);

  const erase = () => retailer.api.call(`/identifiers/${identifier}/_erase`, { method: 'POST' });
  expect((await erase()).status).toBe(202);
  await until('the erasure is complete', async () => (await erase()).status === 204);
  for (const id of [converted, failed]) {
    const raw = await retailer.api.get(`/pos/packets/${id}/raw`);
    expect([raw.status, raw.body.code]).toEqual([410, 'packet_deleted']);
    const again = await retailer.api.post(`/pos/packets/${id}/_reprocess`, {});
    expect([again.status, again.body.code]).toEqual([422, 'packet_deleted']);
  }
  expect(await traces(mark)).toEqual([]);
});

it('a deleted receipt leaves nothing that belonged to it alone', async () => {
  const mark = aMark();
  const converted = await postRaw(mark, marked(mark));
  const posted = await retailer.api.post('/receipts', marked(mark, { attachments: inline(mark) }));
  expect(posted.status).toBe(201);
  expect(await placesWith(mark)).toEqual(
    expect.arrayContaining(['ingest.packets', 'receipt-store.receipts']),
  );
  const ids = [converted, posted.body.id as string];
  await giveAway(converted, mark);
  for (const id of ids) {
    expect((await retailer.api.call(`/receipts/${id}`, { method: 'DELETE' })).status).toBe(204);
  }
  expect(await traces(mark)).toEqual([]);
});

/** The places where the mark still is when the last events have been published and handled. */
async function traces(mark: string): Promise<string[]> {
  let found: string[] = [];
  try {
    await until('the mark is found nowhere', async () => {
      await settled();
      found = await placesWith(mark);
      return found.length === 0;
    });
  } catch {
    // The places tell more than the missing end.
  }
  return found;
}
