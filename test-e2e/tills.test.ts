import { localDate } from '@receipts/contracts';
import { until } from '@receipts/testing';
import type { Client, TestRetailer } from './harness/client';
import { aReceipt } from './harness/receipts';
import { aRetailer } from './harness/shared-platform';

const timezone = 'Europe/Paris';
let retailer: TestRetailer;

beforeAll(async () => {
  retailer = await aRetailer({ timezone });
});

const today = () => `${localDate(new Date(), timezone)}T10:00:00`;

const tillsOf = async (by: Client = retailer.api, query: Record<string, string> = {}) =>
  (await by.get('/reports/tills', query)).body.tills as Record<string, unknown>[];

const tillOf = async (till: string) => (await tillsOf(retailer.api, { till_uuid: till }))[0];

async function send(till: string, overrides: object = {}, by: Client = retailer.api): Promise<string> {
  const answer = await by.post('/receipts', aReceipt({ till_uuid: till, localtime: today(), ...overrides }));
  expect(answer.status).toBe(201);
  return answer.body.id as string;
}

const raw = (body: string, query: string, headers: Record<string, string> = {}) =>
  retailer.api.call(`/pos/receipts?${query}`, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/x-unknown',
      ...headers,
    },
  });

describe('GET /reports/tills', () => {
  it('shows what has arrived from a till', async () => {
    const before = Date.now();
    await send('plain');
    await send('plain', { localtime: '2026-03-14T10:00:00' });
    const till = await tillOf('plain');
    expect(till).toEqual({
      store_reference: '1',
      till_uuid: 'plain',
      last_received: expect.any(String),
      last_localtime: expect.stringContaining(today()),
      receipts_today: 1,
      failed_packets_today: 0,
      waiting: null,
      agent_version: null,
      clock_difference_s: null,
    });
    const received = Date.parse(String(till?.['last_received']));
    expect(received).toBeGreaterThanOrEqual(before - 1_000);
    expect(received).toBeLessThanOrEqual(Date.now() + 1_000);
  });

  it('counts the raw receipts of today that failed', async () => {
    const query = 'store_reference=1&till_uuid=failing';
    expect((await raw('?', query)).status).toBe(202);
    expect((await raw('??', query)).status).toBe(202);
    const till = await until('two failures', async () => {
      const found = await tillOf('failing');
      return found?.['failed_packets_today'] === 2 && found;
    });
    expect(till).toMatchObject({
      receipts_today: 0,
      last_localtime: null,
      last_received: expect.any(String),
    });
  });

  it('shows what the till agent says, also with a key that is repeated', async () => {
    await send('agent');
    const headers = (waiting: number) => ({
      'idempotency-key': 'the same slip',
      'service-agent-version': '1.4.2',
      'service-agent-waiting': String(waiting),
      'service-agent-time': new Date(Date.now() - 90_000).toISOString(),
    });
    const query = 'store_reference=1&till_uuid=agent';
    expect((await raw('slip', query, headers(3))).status).toBe(202);
    const repeated = await raw('slip', query, headers(2));
    expect([repeated.status, repeated.headers['idempotent-replayed']]).toEqual([202, 'true']);
    const till = await until('the agent', async () => {
      const found = await tillOf('agent');
      return found?.['waiting'] === 2 && found;
    });
    expect(till['agent_version']).toBe('1.4.2');
    expect(Number(till['clock_difference_s'])).toBeLessThan(-85);
    expect(Number(till['clock_difference_s'])).toBeGreaterThan(-150);
  });

  it('says which header of an agent is wrong', async () => {
    const wrong = {
      'service-agent-version': 'v'.repeat(256),
      'service-agent-waiting': '1.5',
      'service-agent-time': 'noon',
    };
    const answer = await raw('slip', 'store_reference=1', wrong);
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_parameter']);
    const paths = answer.body.errors.map((fault: { path: string }) => fault.path).sort();
    expect(paths).toEqual(
      Object.keys(wrong)
        .map((name) => `/${name}`)
        .sort(),
    );
  });

  it('selects stores and tills, and shows nobody else’s', async () => {
    const own = await aRetailer({ timezone });
    await send('a', {}, own.api);
    await send('b', {}, own.api);
    await send('a', { store_reference: 2 }, own.api);
    const names = async (query: Record<string, string> = {}) =>
      (await tillsOf(own.api, query)).map((till) => `${till['store_reference']}/${till['till_uuid']}`);
    expect(await names()).toEqual(['1/a', '1/b', '2/a']);
    expect(await names({ store_reference: '2' })).toEqual(['2/a']);
    expect(await names({ till_uuid: 'a' })).toEqual(['1/a', '2/a']);
    expect(await tillsOf((await aRetailer()).api)).toEqual([]);
    expect((await own.api.get('/reports/tills', { from: '2026-03-14' })).status).toBe(400);
  });

  it('needs its permission, and is not for consumers', async () => {
    const reader = await retailer.clientWith({ permissions: ['view.get_receipt'] });
    expect((await reader.get('/reports/tills')).status).toBe(403);
    const refused = await retailer.signed({ consumer: 'jane@example.com' }).get('/reports/tills');
    expect([refused.status, refused.body.code]).toEqual([403, 'consumer_mismatch']);
  });
});

describe('a till that falls silent', () => {
  const eventsAfter = async (by: Client, after: string) => {
    const { body } = await by.get('/events', { after, types: 'till.*' });
    return body.events as { type: string; subject: string; sequence: number; data: object }[];
  };

  it('is reported once, and when it is back, within the opening hours of its store', async () => {
    const silent = await aRetailer({ timezone, tills: { silent_after_minutes: 1 } });
    const closed = { opening_hours: {} };
    await silent.api.post('/stores', { reference: 1, name: 'Open', country: 'FRA' });
    await silent.api.post('/stores', { reference: 2, name: 'Closed', country: 'FRA', settings: closed });
    const start = (await silent.api.get('/events')).body._links.next.href as string;
    const after = new URLSearchParams(start.slice(start.indexOf('?'))).get('after') as string;
    await send('t', {}, silent.api);
    await send('t', { store_reference: 2 }, silent.api);
    const first = await until('the silence', async () => {
      const events = await eventsAfter(silent.api, after);
      return events.length > 0 && events;
    });
    const data = { store_reference: '1', till_uuid: 't', last_received: expect.any(String) };
    expect(first).toMatchObject([{ type: 'till.silent', sequence: 1, data }]);
    await send('t', {}, silent.api);
    // A minute later, the till is silent again.
    const both = await until('its end', async () => {
      const events = await eventsAfter(silent.api, after);
      return events.length > 1 && events.slice(0, 2);
    });
    expect(both.map(({ type }) => type)).toEqual(['till.silent', 'till.back']);
    expect(both[1]).toMatchObject({ sequence: 2, data, subject: both[0]?.subject });
  });

  it('has settings that are checked', async () => {
    const { status, body } = await retailer.api.post('/stores', {
      name: 'One',
      country: 'FRA',
      settings: { opening_hours: { mon: ['8-20'] } },
    });
    expect([status, body.errors[0].path]).toEqual([422, '/settings/opening_hours/mon/0']);
  });
});
