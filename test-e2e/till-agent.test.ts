import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { listen, until } from '@receipts/testing';
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
afterAll(async () => {
  await agent?.discard();
  printer.close();
});

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
