import { until } from '@receipts/testing';
import { expectStatus, type TestRetailer } from './harness/client';
import { inBrowserOf } from './harness/portal-browser';
import { PortalVisitor, textOf, type PortalUser } from './harness/portal-visitor';
import { aRetailer } from './harness/shared-platform';
import { faultsOfPage } from './harness/usable-pages';

let retailer: TestRetailer;
let portal: PortalVisitor;
let user: PortalUser;

beforeAll(async () => {
  retailer = await aRetailer({
    portal_groups: ['managers', 'clerks'],
    portal_permissions: { managers: ['view.*'], clerks: ['view.get_packet'] },
  });
  portal = new PortalVisitor();
  user = await portal.user(retailer.api, 'managers');
});

/** A packet that no mapping matches yet. */
async function failedPacket(slip: object | string): Promise<string> {
  const posted = await retailer.api.call('/pos/receipts', {
    method: 'POST',
    body: typeof slip === 'string' ? slip : JSON.stringify(slip),
    headers: { 'content-type': 'application/json', 'service-source-id': 'kiosk' },
  });
  expectStatus(posted, 202);
  const id = (posted.headers.location ?? '').replace('/receipts/', '');
  await until('the failure', async () => {
    const packet = await retailer.api.get(`/pos/packets/${id}`);
    return packet.status === 200 && packet.body.status === 'failed';
  });
  return id;
}

const slipOf = (no: string) => ({ no, sum: 12.5 });

async function activateMapping(): Promise<void> {
  const expression = `{
    "transaction_id": doc.no, "localtime": "2026-03-14T12:30:00", "store_reference": "1", "total": doc.sum,
    "items": [{ "name": "Tea", "quantity": 1, "total": doc.sum }]
  }`;
  const mapping = {
    id: 'kiosk',
    match: { source_id: ['kiosk'] },
    decode: { type: 'json' },
    transform: { language: 'jsonata', expression },
  };
  expectStatus(await retailer.api.post('/pos/mappings', mapping), 201);
  expectStatus(await retailer.api.call('/pos/mappings/kiosk/_activate', { method: 'POST' }), 200);
}

it('converts chosen packets again together, and shows what becomes of each', async () => {
  const ids = [
    await failedPacket(slipOf('K-1')),
    await failedPacket(slipOf('K-2')),
    await failedPacket('no JSON'),
  ];
  const left = await failedPacket(slipOf('K-3'));
  await activateMapping();

  await inBrowserOf(user, async (page, at) => {
    await page.goto(at('/portal/packets'));
    expect(await faultsOfPage(page)).toEqual([]);
    for (const id of ids) await page.click(`input[name="ids"][value="${id}"]`);
    await Promise.all([page.waitForNavigation(), page.click('form[action$="/reprocess"] .actions button')]);
    // The page refreshes itself until every packet has ended.
    await page.waitForFunction(() =>
      /3 of 3/.test(String((globalThis as any).document.querySelector('[role="status"]')?.textContent)),
    );
    const rows = await page.$$eval('table tbody tr', (all) =>
      all.map((row) =>
        String((row as unknown as { innerText: string }).innerText)
          .replace(/\s+/g, ' ')
          .trim(),
      ),
    );
    // Newest first, as in the list.
    expect(rows.map((row) => ids.find((id) => row.includes(id)))).toEqual(ids.toReversed());
    expect(rows.map((row) => /converted|not in the format/.exec(row)?.[0])).toEqual([
      'not in the format',
      'converted',
      'converted',
    ]);
    expect(await faultsOfPage(page)).toEqual([]);
  });
  expect((await retailer.api.get(`/receipts/${ids[0]}`)).body).toMatchObject({ transaction_id: 'K-1' });
  expect((await retailer.api.get(`/pos/packets/${left}`)).body).toMatchObject({ status: 'failed' });
});

it('still converts a single packet, also from within the form of the chosen ones', async () => {
  const id = await failedPacket('no JSON either');
  const fields = { csrf: user.csrf, ids: id, packet: id };
  const answer = await portal.submit('/portal/packets', fields, user.cookie);
  expect([answer.status, answer.headers.location]).toEqual([
    303,
    `/portal/packets?done=converting&packet=${id}`,
  ]);
});

it('says why a packet cannot be converted again', async () => {
  const post = (ids: string) =>
    portal.submit('/portal/packets/reprocess', { csrf: user.csrf, ids }, user.cookie);
  expect((await post('')).status).toBe(422);
  const unknown = await post('6a1f3c2b9d4e5f60718293a4');
  expect(unknown.status).toBe(303);
  expect(textOf(await portal.get(unknown.headers.location ?? '', user))).toContain(
    'could not be converted again',
  );
});

it('does not offer it to users who may not convert packets', async () => {
  const clerk = await portal.user(retailer.api, 'clerks');
  const page = textOf(await portal.get('/portal/packets', clerk));
  expect(page).not.toContain('name="ids"');
  const answer = await portal.submit(
    '/portal/packets/reprocess',
    { csrf: clerk.csrf, ids: 'x' },
    clerk.cookie,
  );
  expect(answer.status).toBe(403);
  expect((await portal.get('/portal/packets/reprocessed', clerk, { ids: 'x' })).status).toBe(403);
});
