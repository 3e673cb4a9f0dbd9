import { Secret, TOTP } from 'otpauth';
import type { TestRetailer } from './harness/client';
import { locationOf, portalPassword, PortalVisitor, textOf, type PortalUser } from './harness/portal-visitor';
import { aRetailer } from './harness/shared-platform';

let portal: PortalVisitor;
let retailer: TestRetailer;

beforeAll(async () => {
  portal = new PortalVisitor();
  retailer = await aRetailer({
    portal_groups: ['managers'],
    portal_permissions: { managers: ['view.*'] },
  });
});

const account = (who: PortalUser, fields: Record<string, string>) =>
  portal.submit('/portal/account', { csrf: who.csrf, ...fields }, who.cookie, { accept: 'text/html' });
const hidden = (name: string, page: string) =>
  new RegExp(`name="${name}" value="([^"]+)"`).exec(page)?.[1] ?? '';

/** Codes of different periods, which are accepted around the current one. */
function codesOf(secret: string) {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  return (periods: number) => totp.generate({ timestamp: Date.now() + periods * 30_000 });
}

async function withFactor(): Promise<{
  user: PortalUser;
  codeAt: (periods: number) => string;
  recovery: string[];
}> {
  const user = await portal.user(retailer.api, 'managers');
  const begun = textOf(await account(user, { action: 'begin' }));
  expect(begun).toContain('<svg');
  const secret = (/<code>([A-Z2-7 ]+)<\/code>/.exec(begun)?.[1] ?? '').replaceAll(' ', '');
  const codeAt = codesOf(secret);
  const setup = hidden('setup', begun);
  const wrong = await account(user, { action: 'confirm', setup, code: '000000' });
  expect(wrong.status).toBe(422);
  const confirmed = await account(user, { action: 'confirm', setup, code: codeAt(-1) });
  expect(confirmed.status).toBe(200);
  const recovery = [...textOf(confirmed).matchAll(/<code>([a-z2-7-]{19})<\/code>/g)].map(
    ([, code = '']) => code,
  );
  expect(recovery).toHaveLength(10);
  return { user, codeAt, recovery };
}

const password = (email: string) => portal.submit('/portal/sign-in', { email, password: portalPassword });

async function sendCode(email: string, code: string) {
  const asked = await password(email);
  expect([asked.status, asked.headers['set-cookie']]).toEqual([200, undefined]);
  return portal.submit('/portal/sign-in/code', { step: hidden('step', textOf(asked)), code });
}

it('asks for a code after the password, and accepts each code once', async () => {
  const { user, codeAt } = await withFactor();
  const code = codeAt(0);
  expect(locationOf(await sendCode(user.email, code))).toEqual([303, '/portal/']);
  expect((await sendCode(user.email, code)).status).toBe(403);
  expect((await sendCode(user.email, '123')).status).toBe(403);
  expect(locationOf(await sendCode(user.email, codeAt(1)))).toEqual([303, '/portal/']);
});

it('accepts each recovery code once', async () => {
  const { user, recovery } = await withFactor();
  const [first = '', second = ''] = recovery;
  expect(locationOf(await sendCode(user.email, first.toUpperCase()))).toEqual([303, '/portal/']);
  expect((await sendCode(user.email, first)).status).toBe(403);
  expect(locationOf(await sendCode(user.email, second))).toEqual([303, '/portal/']);
});

it('does not accept the step of another password, or a changed one', async () => {
  for (const step of ['', 'x', 's1.aaaa.bbbb']) {
    const answer = await portal.submit('/portal/sign-in/code', { step, code: '123456' });
    expect(locationOf(answer)).toEqual([303, '/portal/sign-in?done=expired']);
  }
});

it('limits guesses', async () => {
  const { user } = await withFactor();
  const asked = textOf(await password(user.email));
  const guess = () => portal.submit('/portal/sign-in/code', { step: hidden('step', asked), code: '000000' });
  const statuses = [];
  for (let n = 0; n < 11; n++) statuses.push((await guess()).status);
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 403), 429]);
});

it('is removed with a code, and by a manager for a user who has lost it', async () => {
  const { user, recovery } = await withFactor();
  expect((await account(user, { action: 'remove', code: '000000' })).status).toBe(403);
  const begun = await account(user, { action: 'begin' });
  expect([begun.status, textOf(begun)]).toEqual([409, expect.stringContaining('action="/portal/sign-out"')]);
  const removed = await account(user, { action: 'remove', code: recovery[0] ?? '' });
  expect(locationOf(removed)).toEqual([303, '/portal/account?done=removed']);
  expect(locationOf(await password(user.email))).toEqual([303, '/portal/']);

  const lost = (await withFactor()).user;
  const manager = await portal.user(retailer.api, 'managers');
  const list = textOf(await portal.get('/portal/users', manager));
  const path = new RegExp(`href="(/portal/users/\\d+)">${lost.email}<`).exec(list)?.[1] ?? '';
  expect(textOf(await portal.get(path, manager))).toContain('value="forget"');
  const forgotten = await portal.submit(path, { csrf: manager.csrf, action: 'forget' }, manager.cookie);
  expect(locationOf(forgotten)).toEqual([303, `${path}?done=forgotten`]);
  expect(locationOf(await password(lost.email))).toEqual([303, '/portal/']);
});

it("is not removed without a code by the user's own management of users", async () => {
  const { user } = await withFactor();
  const list = textOf(await portal.get('/portal/users', user));
  const path = new RegExp(`href="(/portal/users/\\d+)">${user.email}<`).exec(list)?.[1] ?? '';
  expect(path).not.toBe('');
  const refused = await portal.submit(path, { csrf: user.csrf, action: 'forget' }, user.cookie);
  expect(refused.status).toBe(403);
  expect((await sendCode(user.email, '000000')).status).toBe(403);
});
