import {
  adminContracts,
  adminEvents,
  ingestContracts,
  receiptStoreContracts,
  type Credential,
} from '@receipts/contracts';
import { eventOf, idAllotter, newId, type Handlers } from '@receipts/kernel';
import { connectBroker, type Broker } from '@receipts/messaging';
import { type Rabbit, startRabbit, until } from '@receipts/testing';
import { startService, type Service } from './service';
import { bearer, credential, openSeal, operatorToken, type ErrorBody } from './testing/harness';
import { defaultSizeLimits } from './http/limits';

jest.setTimeout(120_000);

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const ids = idAllotter('a secret for tests');

let rabbit: Rabbit;
let owners: Broker;
let broker: Broker;
let service: Service;
let url: string;
const known = new Map<string, Credential>();
const uses: unknown[] = [];
const packets: { id: string; body: string }[] = [];
let receipts = 0;

const { listCredentials, findCredential, noteTokenUses } = adminContracts;
const admin = { listCredentials, findCredential, noteTokenUses };
const adminHandlers: Handlers<typeof admin> = {
  listCredentials: () => Promise.resolve({ body: { credentials: [...known.values()], next: null } }),
  findCredential: ({ body }) => Promise.resolve({ body: { credential: known.get(body.key) ?? null } }),
  noteTokenUses: ({ body }) => Promise.resolve({ body: void uses.push(...body.uses) }),
};

const { createReceipt } = receiptStoreContracts;
const store = { createReceipt };
const storeHandlers: Handlers<typeof store> = {
  createReceipt: (_input, { id }) => {
    receipts++;
    return Promise.resolve({ body: { id }, meta: { id } });
  },
};

const { acceptPacket } = ingestContracts;
const ingest = { acceptPacket };
const ingestHandlers: Handlers<typeof ingest> = {
  acceptPacket: ({ body }, { id }) => {
    packets.push({ id, body: body.toString() });
    return Promise.resolve({ meta: { id } });
  },
};

function start(): Promise<Service> {
  return startService({
    broker,
    log,
    ids,
    openSeal,
    version: '1.0.0',
    port: 0,
    host: '127.0.0.1',
    credentialsRefreshMs: 60_000,
    backlogMessagesMax: 1_000,
    http: {
      operatorToken,
      sizes: defaultSizeLimits,
      bodies: { bytesMax: 40 * 1024 * 1024, callerBytesMax: 20 * 1024 * 1024 },
      trustedProxies: 0,
      rates: { readsPerSecond: 10_000, writesPerSecond: 10_000, burstSeconds: 1 },
      admission: { requestsMax: 1_000, loopLagMsMax: 0 },
      times: {
        headersTimeoutMs: 5_000,
        requestTimeoutMs: 30_000,
        keepAliveMs: 5_000,
        answerTimeoutMs: 4_000,
      },
      connectionsMax: 1_000,
      basePath: '',
      httpsOnly: false,
      traceOf: () => ({
        traceId: '1'.repeat(32),
        traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-00`,
      }),
      isDraining: () => false,
      loopLagMs: () => 0,
    },
  });
}

beforeAll(async () => {
  rabbit = await startRabbit();
  owners = await connectBroker({ url: rabbit.url, service: 'owners', log });
  broker = await connectBroker({ url: rabbit.url, service: 'gateway', log });
  known.set('kid-1', credential());
  await owners.serve({ owner: 'admin', contracts: admin, handlers: adminHandlers });
  await owners.serve({ owner: 'receipt-store', contracts: store, handlers: storeHandlers });
  await owners.serve({ owner: 'ingest', contracts: ingest, handlers: ingestHandlers });
  service = await start();
  url = `http://127.0.0.1:${service.port}`;
  await until('the credentials are read', () => service.isReady);
});

afterAll(async () => {
  await service.stop(500);
  await Promise.all([broker.close({ graceMs: 500 }), owners.close({ graceMs: 500 })]);
  await rabbit.dispose();
});

const authorized = (token = bearer()) => ({ authorization: `Bearer ${token}` });
const receipt = {
  transaction_id: 't-1',
  localtime: '2024-05-24T17:14:00',
  total: 5,
  store_reference: 1,
  items: [{ name: 'Tea', quantity: 1, total: 5 }],
};

const postReceipt = (token?: string) =>
  fetch(`${url}/receipts`, {
    method: 'POST',
    headers: { ...authorized(token), 'content-type': 'application/json' },
    body: JSON.stringify(receipt),
  });

const postPacket = () =>
  fetch(`${url}/pos/receipts`, {
    method: 'POST',
    headers: { ...authorized(), 'content-type': 'text/plain' },
    body: 'TOTAL 5.00',
  });

async function change(
  next: Credential,
  type: 'clientCreated' | 'clientUpdated' | 'clientRevoked',
): Promise<void> {
  const previous = [...known.values()].find(({ id }) => id === next.id)?.key;
  if (previous !== undefined) known.delete(previous);
  known.set(next.key, next);
  const { id, authentication, key, permissions, revoked, signature_max_age, settings, version } = next;
  const data = {
    ...{ id, authentication, key, permissions, revoked, signature_max_age, settings, version },
    description: 'a client',
    previous_key: previous !== undefined && previous !== key ? previous : null,
  };
  const call = { id: newId(), requestId: 'change', retailer: next.retailer };
  const event = eventOf(
    adminEvents[type],
    { subject: String(id), sequence: version, data },
    call,
    new Date(),
  );
  expect(await owners.publish([event])).toEqual([true]);
}

it('carries a receipt to its owner and the answer back', async () => {
  const response = await postReceipt();
  const { id } = (await response.json()) as { id: string };
  expect([response.status, response.headers.get('location')]).toEqual([201, `/receipts/${id}`]);
  expect(receipts).toBe(1);
});

it('accepts a raw receipt once the broker has it, under an id that is allotted', async () => {
  const response = await postPacket();
  expect([response.status, await response.text()]).toEqual([202, '']);
  const id = response.headers.get('location')?.split('/').at(-1) ?? '';
  expect(ids.isAllotted(id, 'demo')).toBe(true);
  await until('the owner has it', () => packets.length > 0);
  expect(packets).toEqual([{ id, body: 'TOTAL 5.00' }]);
});

it('knows a new client at once, and a revoked one no longer', async () => {
  const next = credential({ id: 7, key: 'kid-7' });
  const token = bearer({}, { keyid: 'kid-7' });
  expect((await postReceipt(token)).status).toBe(401);
  await change(next, 'clientCreated');
  await until('the client is known', async () => (await postReceipt(token)).status === 201);
  await change({ ...next, version: 2, revoked: true }, 'clientRevoked');
  await until('the client is revoked', async () => (await postReceipt(token)).status === 401);
  await change({ ...next, version: 3 }, 'clientUpdated');
  await until('the client is back', async () => (await postReceipt(token)).status === 201);
  await change({ ...next, version: 4, key: 'kid-8' }, 'clientUpdated');
  await until('the old key is gone', async () => (await postReceipt(token)).status === 401);
  expect((await postReceipt(bearer({}, { keyid: 'kid-8' }))).status).toBe(201);
});

it('serves the description of all of it', async () => {
  for (const path of ['/openapi.json', '/asyncapi.json', '/docs']) {
    expect((await fetch(url + path)).status).toBe(200);
  }
});

it('answers 503 while the broker is away, and is there again with it', async () => {
  await rabbit.kill();
  await until('the loss is noticed', () => broker.state !== 'up');
  const response = await postPacket();
  expect([response.status, ((await response.json()) as ErrorBody).code]).toEqual([503, 'unavailable']);
  expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
  known.set('kid-1', credential({ version: 2, permissions: ['view.post_receipt'] }));
  await rabbit.start();
  await until('receipts are taken again', async () => (await postReceipt()).status === 201);
  // What changed while nobody could tell is known from the snapshot after the connection.
  await until('the permissions are the new ones', async () => (await postPacket()).status === 403);
});

it('tells admin when tokens were used', async () => {
  expect((await postReceipt(bearer({ jti: 'told' }))).status).toBe(201);
  await service.stop(500);
  expect(uses).toContainEqual(expect.objectContaining({ retailer: 'demo', client_id: 1, jti: 'told' }));
  service = await start();
});
