import { until } from '@receipts/testing';
import type { TestRetailer } from './harness/client';
import type { HttpResponse } from './harness/http';
import { locationOf, olderIn, PortalVisitor, textOf, type PortalUser } from './harness/portal-visitor';
import { aRetailer } from './harness/shared-platform';

const workbench = '/portal/mappings/workbench';

let retailer: TestRetailer;
let portal: PortalVisitor;
let user: PortalUser;

beforeAll(async () => {
  const settings = {
    portal_groups: ['managers', 'clerks'],
    portal_permissions: { managers: ['view.*'], clerks: ['view.get_packet'] },
  };
  retailer = await aRetailer(settings);
  portal = new PortalVisitor();
  user = await portal.user(retailer.api, 'managers');
});

const slip = JSON.stringify({ no: 'W-1', sum: '12,50', day: '2026-03-14T12:30:00', what: 'Tea <b>' });
const rules = JSON.stringify({ match: { source_id: ['kiosk'] }, decode: { type: 'json' } });
const expression = `{
  "transaction_id": doc.no, "localtime": doc.day, "store_reference": "1", "total": $money(doc.sum),
  "items": [{ "name": doc.what, "quantity": 1, "total": $money(doc.sum) }]
}`;

/** Sends the form of the workbench. */
const sent = (fields: Record<string, string>, as = user, file?: Buffer): Promise<HttpResponse> =>
  portal.upload(workbench, { action: 'run', id: 'kiosk', rules, expression, slip, ...fields }, as, file);

const newest = async (id: string) => (await retailer.api.get(`/pos/mappings/${id}`)).body;

/** A packet that matches no mapping, or the mapping of the tests. */
async function packetOf(body: string): Promise<{ id: string; status: string; content_type: string }> {
  const headers = { 'content-type': 'application/json', 'service-source-id': 'kiosk' };
  const posted = await retailer.api.call('/pos/receipts', { method: 'POST', body, headers });
  const id = (posted.headers.location as string).split('/').pop() as string;
  return until('the end of the packet', async () => {
    const found = await retailer.api.get(`/pos/packets/${id}`);
    return found.status === 200 && found.body.status !== 'accepted' && found.body;
  });
}

it.each(['text', 'escpos', 'json', 'xml', 'csv'])(
  'creates a new mapping for %s from an example',
  async (template) => {
    const answer = await portal.get(workbench, user, { template });
    expect([answer.status, textOf(answer)]).toEqual([200, expect.stringContaining('1 receipt in')]);
    expect(textOf(answer)).toContain('4711');
    expect(textOf(answer)).not.toContain('class="faults"');
    expect(answer.headers['content-security-policy']).toMatch(/style-src 'self' 'sha256-/);
  },
);

it('shows the receipt of a slip as data and as its consumer sees it, without storing it', async () => {
  const answer = await sent({});
  const page = textOf(answer);
  expect(answer.status).toBe(200);
  expect(page).toContain('1 receipt in');
  expect(page).toContain('&quot;transaction_id&quot;: &quot;W-1&quot;');
  expect(page).toContain('srcdoc=');
  expect(page).not.toContain('Tea <b>');
  expect((await retailer.api.get('/pos/mappings/kiosk')).status).toBe(404);
});

it('shows errors at their positions in plain words', async () => {
  const faults: readonly (readonly [Record<string, string>, string])[] = [
    [{ expression: '{\n "total": $mony(doc.sum) }' }, 'there is no function $mony'],
    [{ rules: '{\n "decode": ' }, 'must be JSON: the text ends too early'],
    [{ rules: '{\n "a": "\\S" }' }, 'must be JSON: \\S is not an escape in JSON: double the backslash'],
    [{ rules: '{"decode": {"type": "json"}, "samples": []}' }, 'must not contain “samples”'],
    [{ rules: '[]' }, 'must be a JSON object'],
    [{ rules: '{"decode": {"type": "morse"}}' }, '/decode/type'],
    [
      { rules: '{"decode": {"type": "text"}, "extract": {"fields": {"a": {"line": "("}}}}' },
      '/extract/fields/a',
    ],
    [{ expression: '{ "total": 1 }' }, '/0/items'],
    [{ slip: 'no JSON' }, '/decode'],
  ];
  for (const [fields, expected] of faults) {
    const page = textOf(await sent(fields));
    expect(page).toContain('class="faults"');
    expect(page).toContain(expected);
    expect(page).not.toMatch(/Invalid input|Zod/);
  }
  const missing = textOf(await sent(faults[0]?.[0] ?? {}));
  expect(missing).toContain('data-editor="expression" data-line="2"');
  expect(missing).toContain('0 receipts, 1 error in');
});

it('shows the line of a pattern that does not compile, and what can be read without it', async () => {
  const broken = `{
    "decode": { "type": "text" },
    "extract": { "fields": {
      "number": { "line": "^No ([0-9]+)" },
      "total": { "line": "(" }
    } }
  }`;
  const page = textOf(await sent({ rules: broken, expression: '{', slip: 'No 4711' }));
  expect(page).toContain('data-editor="rules" data-line="5"');
  expect(page).toContain('&quot;number&quot;: &quot;4711&quot;');
});

it('lists errors with the same message together', async () => {
  const page = textOf(await sent({ expression: '{ "total": 1 }' }));
  expect(page.match(/is required/g)).toHaveLength(1);
  expect(page).toMatch(/<code>\/0\/items<\/code>/);
});

it('runs a mapping without a valid id, but explains the required form of an id when the mapping is saved', async () => {
  for (const id of ['', '-']) {
    expect(textOf(await sent({ id }))).toContain('1 receipt in');
    const page = textOf(await sent({ id, action: 'save' }));
    expect(page).toContain('1 receipt in');
    expect(page.match(/must be at most 100 letters, digits/g)).toHaveLength(1);
  }
});

it('replaces the test of a slip, lists tests with their results, opens and removes them', async () => {
  const id = 'tested';
  const elsewhere = rules.replace('kiosk', 'elsewhere');
  const other = slip.replace('12,50', '3,00');
  const to = (version: number, done: string, test: string) => [
    303,
    `${workbench}?mapping=${id}&version=${version}&done=${done}${test}`,
  ];
  expect(locationOf(await sent({ action: 'keep', id, rules: elsewhere }))).toEqual(to(1, 'keep', '&test=1'));
  const described = { id, rules: elsewhere, description: 'Kiosks' };
  const second = await sent({ ...described, action: 'keep', version: '1', slip: other });
  expect(locationOf(second)).toEqual(to(2, 'keep', '&test=2'));
  const changed = { ...described, version: '2', expression: expression.replace('"1"', '"2"') };
  expect(textOf(await sent(changed)).match(/badge bad">fails/g)).toHaveLength(2);
  expect(locationOf(await sent({ ...changed, action: 'keep' }))).toEqual(to(3, 'keep', '&test=2'));
  expect(await newest(id)).toMatchObject({
    description: 'Kiosks',
    samples: [
      { input_base64: Buffer.from(other).toString('base64'), expect: { store_reference: '1', total: 3 } },
      { input_base64: Buffer.from(slip).toString('base64'), expect: { store_reference: '2' } },
    ],
  });
  const opened = textOf(await sent({ ...changed, version: '3', open: '1' }));
  expect(opened).toContain('Test 1 of this mapping');
  expect(opened).toContain('&quot;total&quot;: 3');
  expect([opened.match(/badge bad">fails/g), opened.match(/badge good">passes/g)]).toMatchObject([
    { length: 1 },
    { length: 1 },
  ]);
  const removed = await sent({ ...changed, version: '3', remove: '1', action: '' });
  expect(locationOf(removed)).toEqual(to(4, 'removed', ''));
  expect((await newest(id)).samples).toHaveLength(1);
  expect((await sent({ ...changed, version: '4', action: 'activate' })).status).toBe(303);
  const page = textOf(await portal.get(workbench, user, { mapping: id }));
  expect(page).not.toContain('Activate version');
  expect(page).not.toContain('Newest: version');
  expect((await sent({ ...changed, version: '4', action: 'save' })).status).toBe(303);
  const list = textOf(await portal.get('/portal/mappings', user));
  expect(list).toMatch(/tested[\s\S]*>5 <span class="badge plain">draft<[\s\S]*?<span>4<\/span>/);
  expect(textOf(await portal.get(workbench, user, { mapping: id }))).toContain('Active: version 4');
});

it('lists all mappings with their active versions, page by page', async () => {
  const busy = await aRetailer({
    portal_groups: ['managers'],
    portal_permissions: { managers: ['view.*'] },
  });
  const manager = await portal.user(busy.api, 'managers');
  const ids = Array.from({ length: 101 }, (_, index) => `m-${String(index).padStart(3, '0')}`);
  const transform = { language: 'jsonata', expression };
  for (const id of ids)
    expect((await busy.api.post('/pos/mappings', { id, decode: { type: 'json' }, transform })).status).toBe(
      201,
    );
  expect((await busy.api.post('/pos/mappings/m-100/_activate', {})).status).toBe(200);
  const first = textOf(await portal.get('/portal/mappings', manager));
  const second = textOf(await portal.get(olderIn(first), manager));
  const idsIn = (page: string) => [...page.matchAll(/>(m-\d+)</g)].map(([, id]) => id);
  expect([...idsIn(first), ...idsIn(second)]).toEqual(ids);
  expect(second).toMatch(/>m-100<[\s\S]*?<span>1<\/span>/);
});

it('compares with nothing if no version is active', async () => {
  expect((await sent({ action: 'save', id: 'new-one' })).status).toBe(303);
  const page = textOf(await sent({ action: 'compare', id: 'new-one', version: '1' }));
  expect(page).not.toContain('Compared with the active version');
});

it('accepts a file, and names printer commands', async () => {
  const bytes = Buffer.from('\x1b@TOTAL 12.50\n\x1dV\x00', 'latin1');
  const escpos = { rules: '{"decode": {"type": "escpos"}}', expression: '{ "total": 1 }', slip: '' };
  const page = textOf(await sent(escpos, user, bytes));
  expect(page).toContain('ESC @: Initialise printer');
  expect(page).toContain('GS V: Cut paper');
  expect(page).toContain('TOTAL 12.50');
  // The next form sends the same bytes.
  const kept = /name="slip_base64" value="([^"]+)"/.exec(page)?.[1] ?? '';
  expect(Buffer.from(kept, 'base64')).toEqual(bytes);
  expect(textOf(await sent({ ...escpos, slip_base64: kept }))).toContain('GS V: Cut paper');
});

it('saves the slip as a test, activates a version, reverts it, and converts failed packets', async () => {
  const failed = await packetOf(slip);
  expect(failed.status).toBe('failed');
  const packets = textOf(await portal.get('/portal/packets', user));
  expect(packets).toContain(`packet=${failed.id}`);
  // The list says where the data comes from and shows its beginning, without opening each packet.
  expect(packets).toContain('W-1');
  expect(packets).toContain(failed.content_type);
  const opened = textOf(await portal.get(workbench, user, { packet: failed.id }));
  expect(opened).toContain('W-1');

  const kept = await sent({ action: 'keep', packet: failed.id });
  expect(locationOf(kept)).toEqual([
    303,
    `${workbench}?mapping=kiosk&version=1&done=keep&packet=${failed.id}`,
  ]);
  expect(await newest('kiosk')).toMatchObject({
    version: 1,
    status: 'draft',
    samples: [
      { input_base64: Buffer.from(slip).toString('base64'), expect: { transaction_id: 'W-1', total: 12.5 } },
    ],
  });
  const activated = await sent({ action: 'activate', version: '1' });
  expect(locationOf(activated)).toEqual([303, `${workbench}?mapping=kiosk&version=1&done=activate`]);
  expect((await newest('kiosk')).status).toBe('active');

  const reprocessed = await portal.submit(
    '/portal/packets',
    { csrf: user.csrf, packet: failed.id },
    user.cookie,
  );
  expect(locationOf(reprocessed)).toEqual([303, `/portal/packets?done=converting&packet=${failed.id}`]);
  const done = textOf(await portal.get('/portal/packets', user, { done: 'converting', packet: failed.id }));
  expect(done).toContain(`href="/portal/receipts/${failed.id}"`);
  await until('the receipt', async () => (await retailer.api.get(`/receipts/${failed.id}`)).status === 200);

  // A version that fails the test is saved but not activated.
  const broken = expression.replace('doc.no', '"X"');
  expect((await sent({ action: 'save', version: '1', expression: broken })).status).toBe(303);
  expect((await newest('kiosk')).version).toBe(2);
  const refused = await sent({ action: 'activate', version: '2', expression: broken });
  expect([refused.status, textOf(refused)]).toEqual([
    422,
    expect.stringContaining('/samples/0/expect/transaction_id'),
  ]);
  const compared = textOf(await sent({ action: 'compare', version: '2', expression: broken }));
  expect(compared).toContain('0 of 1 packets produce the same receipts.');
  expect(compared).toContain('/0/transaction_id');
  expect(textOf(await sent({ action: 'compare', version: '2' }))).toContain(
    '1 of 1 packets produce the same receipts.',
  );
  const before = textOf(await portal.get(workbench, user, { mapping: 'kiosk' }));
  expect(before).toContain('version=1');
  expect((await sent({ action: 'activate', version: '1' })).status).toBe(303);
});

it('links a slip that was sent twice to the existing receipt', async () => {
  expect((await packetOf(slip)).status).toBe('failed');
  const page = textOf(await portal.get('/portal/packets', user));
  expect(page).toContain('href="/portal/?query=%22W-1%22"');
  expect(page).not.toContain('>/0<');
});

it('does not save invalid mappings', async () => {
  const refused = await sent({ action: 'save', id: 'not valid', expression: '{' });
  expect([refused.status, textOf(refused)]).toEqual([422, expect.stringContaining('href="#id"')]);
  const noReceipt = await sent({ action: 'keep', id: 'kept', expression: '{}' });
  expect(noReceipt.status).toBe(422);
  expect((await retailer.api.get('/pos/mappings/kept')).status).toBe(404);
});

it('is available only to users who may write mappings', async () => {
  const clerk = await portal.user(retailer.api, 'clerks');
  const pages = ['/portal/mappings', workbench].map(async (path) => (await portal.get(path, clerk)).status);
  expect(await Promise.all(pages)).toEqual([403, 403]);
  expect(textOf(await portal.get('/portal/mappings', clerk))).not.toContain('New: ');
  expect((await sent({ action: 'save' }, clerk)).status).toBe(403);
  expect((await sent({}, { ...user, csrf: clerk.csrf })).status).toBe(403);
  const packets = await portal.get('/portal/packets', clerk);
  expect([packets.status, textOf(packets).includes('Convert')]).toEqual([200, false]);
  expect(textOf(packets)).not.toContain('Action');
  const again = await portal.submit('/portal/packets', { csrf: clerk.csrf }, clerk.cookie);
  expect(again.status).toBe(403);
  for (const path of ['/portal/mappings', '/portal/packets', workbench])
    expect(locationOf(await portal.client.get(path))).toEqual([303, '/portal/sign-in']);
});

it('shows no data of another retailer', async () => {
  const other = await aRetailer({
    portal_groups: ['managers'],
    portal_permissions: { managers: ['view.*'] },
  });
  const stranger = await portal.user(other.api, 'managers');
  const { id } = await packetOf('{"no": "secret"}');
  expect((await portal.get(workbench, stranger, { mapping: 'kiosk' })).status).toBe(404);
  expect((await portal.get(workbench, stranger, { packet: id })).status).toBe(404);
  expect(textOf(await portal.get('/portal/packets', stranger))).not.toContain(id);
});
