import {
  adminContracts,
  adminEvents,
  ingestContracts,
  receiptStoreContracts,
  type Credential,
} from '@receipts/contracts';
import { eventOf, idAllotter, newId, type Handlers } from '@receipts/kernel';
import { connectBroker, type Broker } from '@receipts/messaging';
import { type Rabbit, startRabbit, until, silentLog } from '@receipts/testing';
import { preparePages, startService, type Service } from './service';
import { bearer, credential, openSeal, operatorToken, times, type ErrorBody } from './testing/harness';
import { defaultSizeLimits } from './http/limits';
import { bodyBudgetLimits } from './http/request-limits';
import { goodReceipt as receipt } from './testing/client';

const ids = idAllotter('a secret for tests');

let rabbit: Rabbit;
let owners: Broker;
let broker: Broker;
let service: Service;
let ingesting: Awaited<ReturnType<Broker['serve']>>;
let url: string;
const known = new Map<string, Credential>();
const uses: unknown[] = [];
const packets: { id: string; body: string }[] = [];
let receipts = 0;

const { listCredentials, findCredential, recordTokenUses, recordClientCalls } = adminContracts;
const admin = { listCredentials, findCredential, recordTokenUses, recordClientCalls };
const adminHandlers: Handlers<typeof admin> = {
  listCredentials: () => Promise.resolve({ body: { credentials: [...known.values()], next: null } }),
  findCredential: ({ body }) => Promise.resolve({ body: { credential: known.get(body.key) ?? null } }),
  recordTokenUses: ({ body }) => Promise.resolve({ body: void uses.push(...body.uses) }),
  recordClientCalls: () => Promise.resolve({}),
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

const serveIngest = () => owners.serve({ owner: 'ingest', contracts: ingest, handlers: ingestHandlers });

function start(backlogMessagesMax = 10_000): Promise<Service> {
  return startService({
    broker,
    log: silentLog,
    ids,
    openSeal,
    pages: preparePages('1.0.0', ''),
    port: 0,
    host: '127.0.0.1',
    backlogMessagesMax,
    backlogEveryMs: 50,
    operatorTokens: { operator: operatorToken },
    limits: defaultSizeLimits,
    bodies: bodyBudgetLimits,
    trustedProxies: 0,
    rates: { readsPerSecond: 10_000, writesPerSecond: 10_000, burstSeconds: 1 },
    requests: { requestsMax: 1_000, loopLagMsMax: 0 },
    times,
    upstreamTimeoutMs: 4_000,
    upstreamLatencyMsMax: 0,
    connectionsMax: 1_000,
    basePath: '',
    httpsOnly: false,
    traceOf: () => ({
      traceId: '1'.repeat(32),
      traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-00`,
    }),
    isDraining: () => false,
    loopLagMs: () => 0,
  });
}

beforeAll(async () => {
  rabbit = await startRabbit();
  owners = await connectBroker({ url: rabbit.url, service: 'owners', log: silentLog });
  broker = await connectBroker({ url: rabbit.url, service: 'gateway', log: silentLog });
  known.set('kid-1', credential());
  await owners.serve({ owner: 'admin', contracts: admin, handlers: adminHandlers });
  await owners.serve({ owner: 'receipt-store', contracts: store, handlers: storeHandlers });
  ingesting = await serveIngest();
  service = await start();
  url = `http://127.0.0.1:${service.port}`;
  await until('the credentials are read', () => service.isReady);
});

afterAll(async () => {
  await service.stop(1_000);
  await Promise.all([broker.close({ graceMs: 500 }), owners.close({ graceMs: 500 })]);
  await rabbit.dispose();
});

const authorized = (token = bearer()) => ({ authorization: `Bearer ${token}` });

const postReceipt = (token?: string) =>
  fetch(`${url}/receipts`, {
    method: 'POST',
    headers: { ...authorized(token), 'content-type': 'application/json' },
    body: JSON.stringify(receipt),
  });

const postPacket = (to = url, token?: string) =>
  fetch(`${to}/pos/receipts`, {
    method: 'POST',
    headers: { ...authorized(token), 'content-type': 'text/plain' },
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
    id,
    authentication,
    key,
    permissions,
    revoked,
    signature_max_age,
    settings,
    version,
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

it('passes a receipt to its owner and returns the reply', async () => {
  const response = await postReceipt();
  const { id } = (await response.json()) as { id: string };
  expect([response.status, response.headers.get('location')]).toEqual([201, `/receipts/${id}`]);
  expect(receipts).toBe(1);
});

it('accepts a raw receipt once the broker has confirmed it, and assigns its id', async () => {
  const response = await postPacket();
  expect([response.status, await response.text()]).toEqual([202, '']);
  const id = response.headers.get('location')?.split('/').at(-1) ?? '';
  expect(ids.isAllotted(id, 'demo')).toBe(true);
  await until('the owner has received the packet', () => packets.length > 0);
  expect(packets).toEqual([{ id, body: 'TOTAL 5.00' }]);
});

it('accepts a new client immediately, and rejects a revoked one', async () => {
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

describe('while packets wait in the broker', () => {
  const accepted: string[] = [];
  const post = async (at: Service, token?: string) => {
    const response = await postPacket(`http://127.0.0.1:${at.port}`, token);
    const id = response.headers.get('location')?.split('/').at(-1);
    if (response.status === 202 && id !== undefined) accepted.push(id);
    else expect(((await response.json()) as ErrorBody).code).toBe('unavailable');
    return response;
  };
  const statusOf = async (at: Service, token?: string) => (await post(at, token)).status;
  const withGateway = async (messagesMax: number, work: (at: Service) => Promise<void>) => {
    const gateway = await start(messagesMax);
    try {
      await until('the credentials are read', () => gateway.isReady);
      await work(gateway);
    } finally {
      await gateway.stop(1_000);
    }
  };

  beforeAll(async () => {
    await ingesting.close(1_000);
    const quiet = credential({ id: 9, key: 'kid-9', retailer: 'quiet' });
    known.set(quiet.key, quiet);
    const backlog = Array.from({ length: 60 }, () => statusOf(service));
    expect(new Set(await Promise.all(backlog))).toEqual(new Set([202]));
  });
  afterAll(async () => {
    ingesting = await serveIngest();
    await until('all accepted packets are done', () =>
      accepted.every((id) => packets.some((packet) => packet.id === id)),
    );
  });

  it('returns 503 with Retry-After if too many packets are waiting', () =>
    withGateway(50, async (gateway) => {
      const refused = await until('one is rejected', async () => {
        const response = await post(gateway);
        return response.status === 503 && response;
      });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(5);
      expect(accepted.length).toBeLessThan(5_000);
    }));

  it('rejects only callers that exceed their share', () => {
    const messagesMax = 2 * accepted.length - 2;
    return withGateway(Math.max(messagesMax, 100), async (gateway) => {
      const quiet = bearer({}, { keyid: 'kid-9' });
      await until('the flooding caller is limited to its share', async () => {
        expect(await statusOf(gateway, quiet)).toBe(202);
        const flood = [await statusOf(gateway), await statusOf(gateway)];
        return flood.includes(503);
      });
      expect(await statusOf(gateway, quiet)).toBe(202);
    });
  });
});

it('serves the API description', async () => {
  for (const path of ['/openapi.json', '/asyncapi.json', '/docs']) {
    expect((await fetch(url + path)).status).toBe(200);
  }
});

it('limits how often an address may download the descriptions', async () => {
  const [description, page] = ['/openapi.json', '/docs'];
  const accepted = { [description]: 0, [page]: 0 };
  const refused = new Map<string, Response>();
  const ask = async (path: string) => {
    const response = await fetch(url + path, { method: 'HEAD' });
    if (response.status === 200) accepted[path] = (accepted[path] ?? 0) + 1;
    else refused.set(path, response);
  };
  // The requests run concurrently: sequential requests on a busy machine could be allowed again.
  const round = [...Array.from({ length: 8 }, () => description), page];
  for (let n = 0; n < 1_000 && refused.size < 2; n++) await Promise.all(round.map(ask));
  expect(refused.size).toBe(2);
  for (const { status, headers } of refused.values()) {
    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  }
  // The descriptions share one limit.
  expect(accepted[page]).toBeLessThan((accepted[description] ?? 0) / 2);
});

it('returns 503 while the broker is unavailable, and recovers with it', async () => {
  await rabbit.kill();
  await until('the loss is noticed', () => broker.state !== 'up');
  const response = await postPacket();
  expect([response.status, ((await response.json()) as ErrorBody).code]).toEqual([503, 'unavailable']);
  expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
  known.set('kid-1', credential({ version: 2, permissions: ['view.post_receipt'] }));
  await rabbit.start();
  await until('receipts are accepted again', async () => (await postReceipt()).status === 201);
  // Changes during an outage become known with the snapshot after the reconnect.
  await until('the new permissions apply', async () => (await postPacket()).status === 403);
});

it('reports to admin when tokens were used', async () => {
  expect((await postReceipt(bearer({ jti: 'used' }))).status).toBe(201);
  await service.stop(1_000);
  expect(uses).toContainEqual(expect.objectContaining({ retailer: 'demo', client_id: 1, jti: 'used' }));
  service = await start();
});
