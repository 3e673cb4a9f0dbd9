import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '@receipts/testing';
import { Client, type TestRetailer } from './harness/client';
import { aReceipt, uniqueId } from './harness/receipts';
import { anonymous, aRetailer, operator, sharedPlatform } from './harness/shared-platform';

let api: Client;
let retailer: TestRetailer;

beforeAll(async () => {
  [api, retailer] = await Promise.all([operator(), aRetailer()]);
});

/** Polls an endpoint. A busy platform may respond with 503 at first. */
async function polled<T>(what: string, path: string, look: (body: any) => T | undefined | false): Promise<T> {
  const { credentials } = sharedPlatform();
  const headers = { authorization: `Bearer ${credentials.operator.token}` };
  const patient = new Client(credentials.baseUrl, { headers });
  return until(
    what,
    async () => {
      const { status, body } = await patient.get(path);
      return status === 200 && look(body);
    },
    120_000,
  );
}

const places = [
  '/operator/throughput',
  '/operator/packets/failed',
  '/operator/webhooks/troubled',
  '/operator/deliveries/waiting',
];

it('is available to the operator only', async () => {
  const visitor = await anonymous();
  for (const path of places) {
    expect([path, (await api.get(path)).status]).toEqual([path, 200]);
    expect([path, (await visitor.get(path)).status]).toEqual([path, 401]);
    expect([path, (await retailer.api.get(path)).status]).toEqual([path, 403]);
  }
  const dryRun = `/operator/retailers/${retailer.id}/packets/x/_dry_run`;
  expect((await visitor.post(dryRun, {})).status).toBe(401);
  expect((await retailer.api.post(dryRun, {})).status).toBe(403);
});

it("GET /operator/throughput returns the gateway's response counts", async () => {
  const body = await polled('work of the gateway', '/operator/throughput', (answer) => {
    const gateway = answer.services.find((each: { service: string }) => each.service === 'gateway');
    return gateway?.points.some(({ done }: { done: number }) => done > 0) && answer;
  });
  expect(body.interval_seconds).toBe(10);
  for (const { points } of body.services)
    for (const { done, failed } of points) expect(done).toBeGreaterThanOrEqual(failed);
});

describe('failed packets', () => {
  const mapping = {
    id: 'of-the-operator',
    match: {
      content_type: ['application/x-trouble'],
      source_id: ['*'],
      store_reference: ['*'],
      till_id: ['*'],
    },
    decode: { type: 'json' },
    transform: { language: 'jsonata', expression: '{ "transaction_id": doc.number }' },
    defaults: { incomplete: false },
  };
  const post = async (type: string, body: string) => {
    const answer = await retailer.api.call('/pos/receipts', {
      method: 'POST',
      body,
      headers: { 'content-type': type },
    });
    expect(answer.status).toBe(202);
    return answer.headers.location?.split('/').at(-1) ?? '';
  };
  const countOf = (groups: readonly { readonly packets: number }[]) =>
    groups.reduce((sum, { packets }) => sum + packets, 0);
  const failed = async (query: Record<string, string> = {}) =>
    (await api.get('/operator/packets/failed', { retailer: retailer.id, ...query })).body;

  it('are grouped by reason and mapping, and can be tested with a mapping', async () => {
    await retailer.api.post('/pos/mappings', mapping);
    expect((await retailer.api.post(`/pos/mappings/${mapping.id}/_activate`, {})).status).toBe(200);
    const strange = await post('application/x-strange', uniqueId('strange'));
    const older = await post('application/x-trouble', JSON.stringify({ number: uniqueId('T') }));
    const number = uniqueId('T');
    const newer = await post('application/x-trouble', JSON.stringify({ number, note: '<b>ünïcode</b>' }));
    const { groups, packets, is_complete } = await polled(
      'all three have failed',
      `/operator/packets/failed?retailer=${retailer.id}`,
      // Groups and packets are read one after another, so a packet can fail in between.
      (body) => body.packets.length === 3 && countOf(body.groups) === 3 && body,
    );
    expect(is_complete).toBe(true);
    expect(groups).toMatchObject([
      {
        retailer: retailer.id,
        reason: 'invalid_receipt',
        mapping: mapping.id,
        packets: 2,
        newest_packet: newer,
      },
      { retailer: retailer.id, reason: 'no_mapping', mapping: null, packets: 1, newest_packet: strange },
    ]);
    expect(packets.map(({ id }: { id: string }) => id)).toEqual([newer, older, strange]);
    expect((await failed({ reason: 'no_mapping' })).packets).toMatchObject([
      { id: strange, retailer: retailer.id },
    ]);
    expect((await failed({ count: '1' })).packets).toHaveLength(1);
    expect((await api.get('/operator/packets/failed', { reason: 'bad luck' })).status).toBe(400);
    const all = (await api.get('/operator/packets/failed')).body.groups as { retailer: string }[];
    expect(all.filter((group) => group.retailer === retailer.id)).toHaveLength(2);

    const dryRun = (packet: string, body: object = {}, of = retailer.id) =>
      api.post(`/operator/retailers/${of}/packets/${packet}/_dry_run`, body);
    const tried = (await dryRun(newer)).body;
    expect(tried).toMatchObject({
      packet: { id: newer, status: 'failed', reason: 'invalid_receipt' },
      raw: { text: JSON.stringify({ number, note: '<b>ünïcode</b>' }), is_whole: true },
      mapping: mapping.id,
      mappings: [mapping.id],
    });
    expect(tried.dry_run.errors.length).toBeGreaterThan(0);
    expect((await dryRun(strange)).body).toMatchObject({ mapping: null, dry_run: null });
    expect((await dryRun(strange, { mapping: mapping.id })).body.dry_run.errors.length).toBeGreaterThan(0);
    const other = await aRetailer();
    for (const [answer, code] of [
      [await dryRun(newer, {}, other.id), 'packet_not_found'],
      [await dryRun('x'), 'packet_not_found'],
      [await dryRun(newer, {}, 'nobody'), 'packet_not_found'],
      [await dryRun(newer, { mapping: 'none' }), 'mapping_not_found'],
    ] as const) {
      expect([answer.status, answer.body.code]).toEqual([404, code]);
    }
    expect((await dryRun(newer, { mapping: '' })).status).toBe(422);
    expect((await dryRun(newer, { other: 1 })).status).toBe(422);
    // The dry runs changed nothing.
    expect((await retailer.api.get(`/pos/packets/${newer}`)).body).toMatchObject({
      status: 'failed',
      attempts: 1,
    });
  });
});

describe('webhook endpoints', () => {
  let receiver: Server;
  beforeAll(async () => {
    receiver = createServer((_req, res) => res.writeHead(500).end()).listen(0, '127.0.0.1');
    await new Promise((resolve) => receiver.once('listening', resolve));
  });
  afterAll(() => new Promise((resolve) => receiver.close(resolve)));

  it('are listed while every attempt fails, without the secrets in their URLs', async () => {
    const origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    const secret = randomUUID();
    const { body: endpoint } = await retailer.api.post('/webhooks/endpoints', {
      url: `${origin}/hook/${secret}`,
    });
    await retailer.api.post('/receipts', aReceipt({ transaction_id: uniqueId('W') }));
    const found = await polled('the endpoint is in trouble', '/operator/webhooks/troubled', (body) => {
      expect(JSON.stringify(body)).not.toContain(secret);
      return (body.endpoints as { id: string; failing_since: string }[]).find(({ id }) => id === endpoint.id);
    });
    expect(found).toMatchObject({ retailer: retailer.id, origin, disabled_reason: null });
    expect(found.failing_since).toMatch(/^\d{4}-/);
    await retailer.api.call(`/webhooks/endpoints/${endpoint.id}`, { method: 'DELETE' });
    const { body } = await api.get('/operator/webhooks/troubled');
    expect((body.endpoints as { id: string }[]).map(({ id }) => id)).not.toContain(endpoint.id);
  });
});

it('waiting deliveries are listed without addresses', async () => {
  const email = `${uniqueId('waits').toLowerCase()}@demo.example`;
  const { body: receipt } = await retailer.api.post('/receipts', aReceipt({ transaction_id: uniqueId('D') }));
  await retailer.api.post('/receipts/_send', { id: receipt.id, channels: ['email'], email_address: email });
  const { body } = await api.get('/operator/deliveries/waiting');
  expect(body.is_complete).toBe(true);
  expect(JSON.stringify(body)).not.toContain(email);
});
