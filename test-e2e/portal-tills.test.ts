import { until } from '@receipts/testing';
import type { TestRetailer } from './harness/client';
import { PortalVisitor, textOf, type PortalUser } from './harness/portal-visitor';
import { aReceipt } from './harness/receipts';
import { aRetailer } from './harness/shared-platform';

let retailer: TestRetailer;
let portal: PortalVisitor;
let user: PortalUser;

const settings = {
  portal_groups: ['managers', 'none'],
  portal_permissions: { managers: ['view.*'], none: [] },
};

beforeAll(async () => {
  retailer = await aRetailer(settings);
  portal = new PortalVisitor();
  user = await portal.user(retailer.api, 'managers');
});

const page = async (query: Record<string, string> = {}, who = user) => {
  const answer = await portal.get('/portal/tills', who, query);
  expect(answer.status).toBe(200);
  return textOf(answer);
};

it('shows tills, their agents, and the numbers that are missing', async () => {
  expect(await page()).toContain('There are no tills yet.');
  const day = '2026-03-14';
  for (const number of [1, 2, 5, 9]) {
    const receipt = aReceipt({
      till_uuid: '<b>till</b>',
      till_sequence: number,
      localtime: `${day}T10:00:00`,
    });
    expect((await retailer.api.post('/receipts', receipt)).status).toBe(201);
  }
  const headers = {
    'content-type': 'application/x-unknown',
    'service-agent-version': '1.4.2',
    'service-agent-waiting': '12',
    'service-agent-time': new Date(Date.now() - 600_000).toISOString(),
  };
  const path = '/pos/receipts?store_reference=1&till_uuid=agent';
  expect((await retailer.api.call(path, { method: 'POST', body: '?', headers })).status).toBe(202);
  const query = { from: day, to: day };
  const text = await until('the agent', async () => {
    const found = await page(query);
    return found.includes('12 waiting') && found;
  });
  expect(text).toContain('1.4.2');
  expect(text).toMatch(/Clock (59\d|6\d\d) s behind/);
  expect(text).toContain('3 to 4, 6 to 8');
  expect(text).toContain('&lt;b&gt;till');
  expect(text).not.toContain('<b>till');
  expect(await page({ ...query, store: '2' })).toContain('No till has sent numbered receipts on these days.');
});

it('is for groups that may see totals, of the own retailer', async () => {
  const nobody = await portal.user(retailer.api, 'none');
  expect((await portal.get('/portal/tills', nobody)).status).toBe(403);
  const other = await aRetailer(settings);
  const stranger = await portal.user(other.api, 'managers');
  expect(await page({}, stranger)).toContain('There are no tills yet.');
});

it.each([
  ['2026-03-15', '2026-03-14'],
  ['2026-02-30', '2026-03-14'],
])('says what is wrong with a range from %s to %s', async (from, to) => {
  for (const path of ['/portal/tills', '/portal/totals']) {
    const answer = await portal.get(path, user, { from, to });
    expect([path, answer.status, textOf(answer).includes('role="alert"')]).toEqual([path, 400, true]);
  }
});
