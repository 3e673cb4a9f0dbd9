import type { Platform } from '@receipts/local';
import { Client, newRetailer, type TestRetailer } from './harness/client';
import type { HttpResponse } from './harness/http';
import { startIdentityProvider, type IdentityProvider } from './harness/identity-provider';
import { discard, ownPlatform, sharedInfrastructure } from './harness/own-platform';
import { portalAddress } from './harness/portal-visitor';

const client = { clientId: 'receipts', clientSecret: 'a secret for tests' };
const operatorEmail = 'ann@operator.example';
const tokens = { bob: 'the-token-of-bob-alone' };

let provider: IdentityProvider;
let platform: Platform;
let retailer: TestRetailer;
let other: TestRetailer;
let browser: Client;

beforeAll(async () => {
  provider = await startIdentityProvider();
  const { clientId: client_id, clientSecret: client_secret } = client;
  platform = await ownPlatform(
    {},
    {
      ...sharedInfrastructure(),
      IDENTITY_PROVIDERS: JSON.stringify({ office: { issuer: provider.issuer, client_id, client_secret } }),
      OPERATOR_TOKENS: JSON.stringify(tokens),
      OPERATOR_SIGN_IN: JSON.stringify({ identity_provider: 'office', emails: [operatorEmail] }),
    },
  );
  const { baseUrl } = platform;
  await provider.register({
    ...client,
    redirectUris: ['/portal/oidc/callback', '/operator/oidc/callback'].map((path) => baseUrl + path),
  });
  const settings = { portal_sign_in: { identity_provider: 'office' } };
  retailer = await newRetailer(baseUrl, platform.secrets.operatorToken, settings);
  other = await newRetailer(baseUrl, platform.secrets.operatorToken, settings);
  browser = new Client(baseUrl, {});
});
afterAll(async () => {
  provider.stop();
  await discard(platform);
});

const cookieOf = ({ headers }: HttpResponse, name: string) =>
  headers['set-cookie']?.map((line) => line.split(';')[0] ?? '').find((pair) => pair.includes(`${name}=`)) ??
  '';

/** Goes to the provider, signs in there, and returns. */
async function signInAs(
  email: string,
  path: string,
  kept: string,
): Promise<{ answer: HttpResponse; returned: URL; cookie: string }> {
  const begun = await browser.get(path);
  expect(begun.status).toBe(303);
  const cookie = cookieOf(begun, kept);
  const returned = await provider.signIn(String(begun.headers.location), email);
  const query = Object.fromEntries(returned.searchParams);
  const answer = await browser.get(returned.pathname, query, { cookie });
  return { answer, returned, cookie };
}

const portalSignIn = (email: string, of = retailer) =>
  signInAs(email, `/portal/oidc?retailer=${of.id}`, 'portal-oidc');
const invite = async (status = 'active') => {
  const email = portalAddress();
  const body = { group: '', status, send_password_reset_on_create: false };
  expect((await retailer.api.put(`/portal/user/${email}`, body)).status).toBe(201);
  return email;
};

describe('the portal', () => {
  it('offers the identity provider of the retailer', async () => {
    const page = (await browser.get('/portal/sign-in', { retailer: retailer.id })).bytes.toString();
    expect(page).toContain(`/portal/oidc?retailer=${retailer.id}`);
    for (const query of [{}, { retailer: 'nobody' }])
      expect((await browser.get('/portal/sign-in', query)).bytes.toString()).not.toContain('/portal/oidc');
    expect((await browser.get('/portal/oidc?retailer=nobody')).status).toBe(404);
  });

  it('signs in an invited user whom the provider has confirmed', async () => {
    const email = await invite();
    const { answer } = await portalSignIn(email);
    expect([answer.status, answer.headers.location]).toEqual([303, '/portal/']);
    const home = await browser.get('/portal/', {}, { cookie: cookieOf(answer, 'portal') });
    expect(home.bytes.toString()).toContain(email);
  });

  it('signs in nobody else', async () => {
    const email = await invite();
    const inactive = await invite('inactive');
    for (const [who, of] of [
      ['stranger@demo.example', retailer],
      [email, other],
      [inactive, retailer],
    ] as const) {
      const { answer } = await portalSignIn(who, of);
      expect([answer.status, cookieOf(answer, 'portal')]).toEqual([403, '']);
    }
    const unverified = `unverified.${email}`;
    const body = { group: '', status: 'active', send_password_reset_on_create: false };
    expect((await retailer.api.put(`/portal/user/${unverified}`, body)).status).toBe(201);
    expect((await portalSignIn(unverified)).answer.status).toBe(403);
  });

  it('accepts an answer once, from the browser that has asked, and unchanged', async () => {
    const email = await invite();
    const { returned, cookie } = await portalSignIn(email);
    const query = Object.fromEntries(returned.searchParams);
    const again = await browser.get(returned.pathname, query, { cookie });
    expect(again.status).toBe(403);
    const elsewhere = await browser.get(returned.pathname, query);
    expect([elsewhere.status, elsewhere.headers.location]).toEqual([303, '/portal/sign-in?done=expired']);
    const changed = await browser.get(returned.pathname, { ...query, state: 'another' }, { cookie });
    expect(changed.status).toBe(403);
    const cancelled = await browser.get(
      returned.pathname,
      { error: 'access_denied', foreign: 'x' },
      { cookie },
    );
    expect(cancelled.status).toBe(403);
  });
});

describe('the operations pages', () => {
  const signIn = (email: string) => signInAs(email, '/operator/oidc', 'operator-oidc');
  const audit = async (cookie: string) =>
    (await browser.get('/operator/pages/audit', {}, { cookie })).bytes.toString();

  it('sign in an operator whom the provider has confirmed, and nobody else', async () => {
    expect((await browser.get('/operator/sign-in')).bytes.toString()).toContain('/operator/oidc');
    const { answer } = await signIn(operatorEmail.toUpperCase());
    expect(answer.status).toBe(200);
    expect(answer.bytes.toString()).toContain('http-equiv="refresh"');
    expect(await audit(cookieOf(answer, 'operations'))).toContain(operatorEmail);
    const stranger = await signIn(await invite());
    expect([stranger.answer.status, cookieOf(stranger.answer, '__Host-operations')]).toEqual([403, '']);
    const again = await browser.get(
      stranger.returned.pathname,
      Object.fromEntries(stranger.returned.searchParams),
    );
    expect(again.status).toBe(403);
  });

  it('know whose token was used', async () => {
    const form = (token: string) =>
      browser.call('/operator/sign-in', {
        method: 'POST',
        body: new URLSearchParams({ token }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
    const answer = await form(tokens.bob);
    expect(answer.status).toBe(303);
    expect(await audit(cookieOf(answer, 'operations'))).toContain('bob');
    expect((await form(`${tokens.bob}x`)).status).toBe(403);
    const api = new Client(platform.baseUrl, { headers: { authorization: `Bearer ${tokens.bob}` } });
    expect((await api.get('/operator/retailers')).status).toBe(200);
  });
});
