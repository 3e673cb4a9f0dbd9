import { readFileSync } from 'node:fs';
import path from 'node:path';
import { until } from '@receipts/testing';
import type { TestRetailer } from './harness/client';
import { textOf, PortalVisitor } from './harness/portal-visitor';
import { aRetailer } from './harness/shared-platform';

const job = readFileSync(path.resolve(__dirname, '../deploy/examples/slips/network-printer.bin'));
const mapping = JSON.parse(
  readFileSync(path.resolve(__dirname, '../deploy/examples/mappings/network-printer.json'), 'utf8'),
);

let retailer: TestRetailer;

beforeAll(async () => {
  retailer = await aRetailer({ portal_groups: ['managers'], portal_permissions: { managers: ['view.*'] } });
  await retailer.api.post('/pos/mappings', mapping);
  expect((await retailer.api.post('/pos/mappings/network-printer/_activate', {})).status).toBe(200);
});

const bytes = (...parts: (string | number[] | Buffer)[]) =>
  Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
  );

async function packetOf(body: Buffer) {
  const headers = { 'content-type': 'application/octet-stream', 'service-mapping': 'network-printer' };
  const posted = await retailer.api.call('/pos/receipts', { method: 'POST', body, headers });
  const location = posted.headers.location as string;
  const id = location.split('/').pop() as string;
  const packet = await until('the end of the packet', async () => {
    const found = await retailer.api.get(`/pos/packets/${id}`);
    return found.status === 200 && found.body.status !== 'accepted' && found.body;
  });
  return { packet, id };
}

const dryRun = async (body: Buffer) =>
  (
    await retailer.api.post('/pos/mappings/_dry_run', {
      mapping: 'network-printer',
      input_base64: body.toString('base64'),
    })
  ).body;

it('converts a job with a kitchen ticket, a bill and its copy to one receipt', async () => {
  const { packet, id } = await packetOf(job);
  expect(packet).toMatchObject({ status: 'converted', errors: [], receipt_ids: [id] });
  const receipt = (await retailer.api.get(`/receipts/${id}`)).body;
  expect(receipt).toMatchObject({ transaction_id: '2026-000412', total: 14.25 });
});

it.each([
  ['a kitchen ticket alone', bytes('KITCHEN 8\n1 x Bagel\n', [0x1d, 0x56, 0])],
  ['a drawer pulse', bytes([0x1b, 0x70, 0, 25, 250])],
])('converts %s without receipts, and its receipt is not found', async (_, body) => {
  const { packet, id } = await packetOf(body);
  expect(packet).toMatchObject({ status: 'converted', reason: null, receipt_ids: [] });
  const answer = await retailer.api.get(`/receipts/${id}`);
  expect([answer.status, answer.body]).toMatchObject([
    404,
    { code: 'receipt_not_found', description: expect.stringContaining('contains no receipt') },
  ]);
});

it('fails if two bills have one number and other content, and names the part', async () => {
  const [bill = '', copy = ''] = job.toString('latin1').split('*** COPY');
  const other = Buffer.from(bill + copy.replace('14,25', '15,25'), 'latin1');
  const expected = { path: '/1/transaction_id', code: 'duplicate_transaction_id', part: 2 };
  const tried = await dryRun(other);
  expect([tried.receipts, tried.errors]).toMatchObject([[], [expected]]);
  const { packet } = await packetOf(other);
  expect(packet).toMatchObject({ status: 'failed', reason: 'duplicate_transaction_id', errors: [expected] });
});

it('shows the page, all parts, codes and warnings in a dry run', async () => {
  const qr = bytes([0x1d, 0x28, 0x6b, 6, 0, 49, 80, 48], 'r/9', [0x1d, 0x28, 0x6b, 3, 0, 49, 81, 48]);
  const noise = Buffer.from(
    job.toString('latin1').replace('Water 0.5 l', 'Water    ').replace('TOTAL', '??\nTOTAL'),
    'latin1',
  );
  const { decoded, warnings } = await dryRun(bytes(noise, qr));
  expect(decoded.lines).toEqual(['KITCHEN 7', '2 x Cafe creme', '1 x Bagel']);
  expect(decoded.parts[1].lines).toContain('Café crème            2         7,00');
  expect(decoded.parts[3]).toMatchObject({ codes: [{ line: 0, type: 'qr', data: 'r/9' }] });
  expect(warnings).toMatchObject([
    { path: '/extract/tables/items', code: 'unmatched_lines', count: 1, part: 1 },
  ]);
});

it('warns of a total that does not add up', async () => {
  const wrong = Buffer.from(job.toString('latin1').replaceAll('14,25', '15,25'), 'latin1');
  const { errors, warnings } = await dryRun(wrong);
  expect(errors).toEqual([]);
  expect(warnings.map(({ code, part }: { code: string; part: number }) => [code, part])).toContainEqual([
    'items_total',
    1,
  ]);
});

it('shows the slip in the workbench as it looks on paper', async () => {
  const portal = new PortalVisitor();
  const user = await portal.user(retailer.api, 'managers');
  const page = textOf(await portal.get('/portal/mappings/workbench', user, { mapping: 'network-printer' }));
  expect(page).toContain('The slip as printed');
  expect(page).toContain('Part 2 of 3');
  expect(page).toContain('<code>Café crème            2         7,00</code>');
});
