import { ServiceError } from '@receipts/kernel';
import { adminWorld, callOf, operatorToken, refusalOf, type AdminWorld } from '../../testing/admin-world';

let world: AdminWorld;

beforeAll(async () => {
  world = await adminWorld();
});
afterAll(() => world.close());
beforeEach(() => world.reset());

const formType = 'application/x-www-form-urlencoded';
const anybody = () =>
  callOf({ retailer: '', principal: { kind: 'service', id: 'gateway' }, permissions: [] });
const address = { 'caller-address': '192.0.2.7' };

type Name = Parameters<AdminWorld['ask']>[0];

/** A page as received by a browser: its status, its text, and its redirect. */
async function shown(name: Name, input: object, headers: object = {}) {
  const whole = { ...input, headers: { ...address, ...headers } };
  const { body, meta } = (await world.ask(name, whole as never, anybody())) as unknown as {
    body: Buffer;
    meta: { status: number; headers: Record<string, string>; cookies?: string[] };
  };
  return { text: body.toString(), ...meta };
}

const send = (name: Name, body: object, headers: object = {}) =>
  shown(name, { body, contentType: formType }, headers);

async function signedIn(token = operatorToken) {
  const { cookies = [] } = await send('operationsSignIn', { token });
  const cookie = cookies[0]?.split(';')[0] ?? '';
  const { text } = await shown('operationsOverview', {}, { cookie });
  return { cookie, csrf: /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? '' };
}

const queue = 'ingest.commands';
const message = (id: string) => ({
  id,
  queue,
  retailer: 'demo',
  type: 'receipt.created',
  reason: 'Error: broken',
  attempts: 4,
  firstFailedAt: undefined,
  lastFailedAt: undefined,
  traceId: undefined,
  requestId: 'r1',
  content: { id },
});

const deadLetterIds = () => world.deadLetters.get(queue)?.map(({ id }) => id);
const actions = async () => {
  const { body } = await world.ask('listOperatorActions', { query: {} });
  return body.actions.map(({ operation, operator, address: from, fields, status }) => [
    operation,
    operator,
    from,
    fields.join(' '),
    status,
  ]);
};

it('signing out everywhere also ends the current session', async () => {
  const [one, other] = [await signedIn(), await signedIn('bob')];
  const out = await send('operationsSignOut', { csrf: one.csrf, everywhere: 'true' }, { cookie: one.cookie });
  expect([out.status, out.headers['location']]).toEqual([303, '/operator/sign-in?done=everywhere']);
  for (const { cookie } of [one, other]) {
    expect((await shown('operationsOverview', {}, { cookie })).status).toBe(303);
  }
});

it('encodes the path of a packet that the browser is redirected to', async () => {
  const { cookie, csrf } = await signedIn();
  const packet = { params: { retailer: '€', packet: 'a/b' }, body: { csrf, mapping: '' } };
  const { headers } = await shown('operationsDryRunPacket', { ...packet, contentType: formType }, { cookie });
  expect(headers['location']).toBe('/operator/pages/packets/%E2%82%AC/a%2Fb');
});

it('a script that refreshes a page does not extend the session', async () => {
  const { cookie } = await signedIn();
  const minutes = (count: number) => (world.now = new Date(world.now.getTime() + count * 60_000));
  const script = { cookie, 'sec-fetch-dest': 'empty' };
  minutes(20);
  expect((await shown('operationsOverview', {}, script)).status).toBe(200);
  minutes(11);
  expect((await shown('operationsOverview', {}, script)).status).toBe(303);
});

it('replays the selected messages and discards the rest after a confirmation, and records the operator', async () => {
  world.deadLetters.set(queue, [message('1'), message('2'), message('3')]);
  const { cookie, csrf } = await signedIn();
  const decide = (fields: object) =>
    send('operationsDecideDeadLetters', { csrf, queue, ...fields }, { cookie });
  const choice = { action: 'replay', ids: ['1', '3'] };
  const question = await decide(choice);
  expect([question.status, question.text.match(/name="ids"/g)?.length]).toEqual([200, 2]);
  expect(deadLetterIds()).toEqual(['1', '2', '3']);
  const done = await decide({ ...choice, confirmed: 'yes' });
  expect([done.status, done.headers['location']]).toEqual([
    303,
    '/operator/pages/dead-letters?done=replay&messages=2',
  ]);
  expect(deadLetterIds()).toEqual(['2']);
  expect((await decide({ action: 'discard-all', confirmed: 'yes' })).status).toBe(303);
  expect(deadLetterIds()).toEqual([]);
  expect((await decide({ queue: 'nowhere', action: 'replay-all', confirmed: 'yes' })).status).toBe(404);
  expect((await actions()).sort()).toEqual([
    ['discard-dead-letters', 'ann', '192.0.2.7', 'queue all', 200],
    ['replay-dead-letters', 'ann', '192.0.2.7', 'queue all', 404],
    ['replay-dead-letters', 'ann', '192.0.2.7', 'queue ids', 200],
    ['sign-in', 'ann', '192.0.2.7', '', 200],
  ]);
});

it('does nothing without a session, without its CSRF token, or for a form from another site', async () => {
  world.deadLetters.set(queue, [message('1')]);
  const { cookie, csrf } = await signedIn();
  const fields = { queue, action: 'discard-all', confirmed: 'yes' };
  const decide = (secret: string, headers: object) =>
    send('operationsDecideDeadLetters', { ...fields, csrf: secret }, headers);
  expect((await decide(csrf, {})).status).toBe(303);
  expect(await refusalOf(decide('x', { cookie }))).toBe('403 permission_denied');
  await expect(decide(csrf, { cookie, 'sec-fetch-site': 'cross-site' })).rejects.toThrow(ServiceError);
  expect(deadLetterIds()).toEqual(['1']);
});
