import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import os, { type NetworkInterfaceInfo } from 'node:os';
import path from 'node:path';
import { listen, until } from '@receipts/testing';
import { clockShift } from './harness/clock-shifts';
import { request } from './harness/http';
import { aRetailer, sharedPlatform } from './harness/shared-platform';
import { escposSlip, TillAgent } from './harness/till-agent';

const mapping = JSON.parse(
  readFileSync(path.resolve(__dirname, '../deploy/examples/mappings/escpos.json'), 'utf8'),
) as { id: string };

let printer: Server;
let agent: TillAgent | undefined;
let printed = '';

beforeAll(() => {
  printer = createServer((socket) => socket.on('data', (bytes) => (printed += bytes.toString('latin1'))));
});
afterEach(() => agent?.discard());
afterAll(() => void printer.close());

it('the QR code below a printed slip leads to its receipt', async () => {
  const retailer = await aRetailer();
  await retailer.api.post('/stores', { reference: 1, name: 'One', country: 'FRA' });
  await retailer.api.post('/pos/mappings', mapping);
  expect((await retailer.api.post(`/pos/mappings/${mapping.id}/_activate`, {})).status).toBe(200);
  const { key, secret } = retailer.bearer;
  const url = sharedPlatform().credentials.baseUrl;
  agent = await TillAgent.start({
    url,
    key,
    secret,
    printer: `127.0.0.1:${await listen(printer)}`,
    qr: 'true',
  });
  await until('a stock of links', async () => (await agent?.metric('links')) === 100);
  expect(await agent.print(escposSlip(4711, 3))).toBe(true);
  await until('the slip', () => printed.includes('\x1dVB'));
  const codes = printed.split('\x1d').flatMap((part) => /1P0(https?:.+)/.exec(part)?.[1] ?? []);
  const page = new URL(codes.at(-1) ?? '');
  const ready = await until('the receipt', async () => {
    const { status, body } = await request(url, `${page.pathname}?format=json`);
    return status === 200 && body.status === 'ready';
  });
  expect(ready).toBe(true);
  const { body } = await retailer.api.get('/receipts', undefined, { 'service-api-version': '2' });
  expect(body.receipts.map((receipt: { transaction_id: string }) => Number(receipt.transaction_id))).toEqual([
    4711,
  ]);
});

it.each([
  ['three years behind', -3 * 365 * 86_400_000],
  ['a year ahead', 365 * 86_400_000],
])('an agent whose clock is %s sends its slips in order', async (_, aheadMs) => {
  const retailer = await aRetailer();
  const { key, secret } = retailer.bearer;
  const url = sharedPlatform().credentials.baseUrl;
  agent = await TillAgent.start({ url, key, secret }, clockShift(aheadMs));
  for (const text of ['one', 'two', 'three']) expect(await agent.print(Buffer.from(`${text}\f`))).toBe(true);
  await until('the slips', async () => (await agent?.metric('jobs_sent_total')) === 3);
  const packets = await until('the packets', async () => {
    const { body } = await retailer.api.get('/pos/packets');
    return body.packets.length === 3 && (body.packets as { id: string }[]);
  });
  const raw = await Promise.all(
    packets.map(async ({ id }) => (await retailer.api.get(`/pos/packets/${id}/raw`)).bytes.toString()),
  );
  expect(raw.reverse()).toEqual(['one\f', 'two\f', 'three\f']);
  expect(await agent.metric('settings_wrong')).toBe(0);
});

it('slips from a connection, over HTTP and from a folder become packets with their metadata, in order', async () => {
  const retailer = await aRetailer();
  const { key, secret } = retailer.bearer;
  const watch = path.join(mkdtempSync(path.join(os.tmpdir(), 'till-agent-watch-')), 'slips');
  mkdirSync(watch);
  const settings = { 'store-reference': '1', 'till-id': 'Till 3', 'till-uuid': 'u-3', 'source-id': 'pos' };
  agent = await TillAgent.start({
    url: sharedPlatform().credentials.baseUrl,
    key,
    secret,
    watch,
    ...settings,
  });
  const sent = (count: number) =>
    until(`${count} slips`, async () => (await agent?.metric('jobs_sent_total')) === count);
  expect(await agent.print(Buffer.from('one\f'))).toBe(true);
  expect(await agent.print(Buffer.from('two\x1dV\0three'))).toBe(true);
  await sent(3);
  const headers = {
    'content-type': 'text/plain',
    'service-till-id': 'other',
    'service-property-email': 'a@b.c',
  };
  const print = () =>
    request(agent?.baseUrl ?? '', '/print', {
      method: 'POST',
      body: 'four',
      headers: { ...headers, 'idempotency-key': 'four' },
    });
  const [first, again] = [await print(), await print()];
  expect([first.status, again.status, again.body.id]).toEqual([201, 201, first.body.id]);
  await sent(4);
  writeFileSync(path.join(watch, 'five.json'), '{}');
  await sent(5);
  const tooLarge = { method: 'POST', body: 'x'.repeat(3 * 1024 * 1024), headers };
  expect((await request(agent.baseUrl, '/print', tooLarge)).status).toBe(201);
  await until('the rejection', async () => (await agent?.metric('refused_jobs')) === 1);
  expect((await request(agent.baseUrl, '/')).bytes.toString()).toContain('413 body_too_large');
  for (const { address, family } of Object.values(os.networkInterfaces()).flat() as NetworkInterfaceInfo[]) {
    if (family !== 'IPv4' || address.startsWith('127.')) continue;
    const elsewhere = request(`http://${address}:${agent.httpPort}`, '/');
    await expect(elsewhere).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  }

  // The platform confirms a packet before it is stored.
  const packets = await until('the packets', async () => {
    const { body } = await retailer.api.get('/pos/packets');
    return body.packets.length === 5 && (body.packets as { id: string }[]);
  });
  const raw = await Promise.all(
    packets.map(async ({ id }) => (await retailer.api.get(`/pos/packets/${id}/raw`)).bytes.toString()),
  );
  expect(raw.reverse()).toEqual(['one\f', 'two\x1dV\0', 'three', 'four', '{}']);
  const metadata = { store_reference: '1', till_id: 'Till 3', till_uuid: 'u-3', source_id: 'pos' };
  expect(packets.reverse()).toMatchObject([
    { content_type: 'application/octet-stream', metadata },
    { content_type: 'application/octet-stream', metadata },
    { content_type: 'application/octet-stream', metadata },
    {
      content_type: 'text/plain',
      metadata: { ...metadata, till_id: 'other' },
      properties: { email: 'a@b.c' },
    },
    { content_type: 'application/json', metadata },
  ]);
});
