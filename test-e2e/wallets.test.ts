import { generateKeyPairSync } from 'node:crypto';
import type { Platform } from '@receipts/local';
import { passCertificate } from '@receipts/testing';
import { Client, newRetailer } from './harness/client';
import { discard, ownPlatform, sharedInfrastructure } from './harness/own-platform';
import { aReceipt } from './harness/receipts';
import { anonymous, aRetailer } from './harness/shared-platform';

const google = {
  issuer_id: '3388000000012345678',
  client_email: 'wallet@shop.iam.gserviceaccount.com',
  private_key: generateKeyPairSync('rsa', { modulusLength: 2048 })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString(),
};
const html = { accept: 'text/html' };
const pathOf = (href: string) => new URL(href).pathname;

async function postedPath(api: Client): Promise<string> {
  return pathOf((await api.post('/receipts', aReceipt())).body._links.webview.href);
}

describe('with the keys of the operator', () => {
  let platform: Platform;
  let anybody: Client;
  let path: string;

  beforeAll(async () => {
    const env = { APPLE_WALLET: JSON.stringify(passCertificate()), GOOGLE_WALLET: JSON.stringify(google) };
    platform = await ownPlatform({ env }, sharedInfrastructure());
    const retailer = await newRetailer(platform.baseUrl, platform.secrets.operatorToken, {
      response_links: true,
    });
    path = await postedPath(retailer.api);
    anybody = new Client(platform.baseUrl, {});
  });
  afterAll(() => discard(platform));

  it('the page links to both wallets in the language of the reader', async () => {
    const page = String((await anybody.get(`${path}?lang=de`, undefined, html)).bytes);
    const links = [...page.matchAll(/<a class="button wallet" href="([^"]+)" rel="noreferrer"\s*>([^<]+)</g)];
    expect(links.map(([, , text]) => text)).toEqual([
      'Zu Apple Wallet hinzufügen',
      'Zu Google Wallet hinzufügen',
    ]);
    const [apple, save] = links.map(([, href = '']) => href);
    expect(save).toMatch(/^https:\/\/pay\.google\.com\/gp\/v\/save\/[\w-]+\.[\w-]+\.[\w-]+$/);
    const pass = await anybody.get(`${pathOf(apple ?? '')}?lang=de`);
    expect(pass.status).toBe(200);
    expect(pass.headers['content-type']).toBe('application/vnd.apple.pkpass');
    expect(pass.headers['content-disposition']).toMatch(/^attachment; filename=".+\.pkpass"$/);
    expect(pass.bytes.subarray(0, 2).toString()).toBe('PK');
    expect(pass.bytes.includes('"label":"Summe"')).toBe(true);
  });

  it('keeps the ETag of the page, so that browsers can cache it', async () => {
    const [first, second] = [
      await anybody.get(path, undefined, html),
      await anybody.get(path, undefined, html),
    ];
    expect(second.headers['etag']).toBe(first.headers['etag']);
  });
});

it('without keys, there are no links and no pass', async () => {
  const path = await postedPath((await aRetailer({ response_links: true })).api);
  const anybody = await anonymous();
  expect(String((await anybody.get(path, undefined, html)).bytes)).not.toContain('Wallet');
  const pass = await anybody.get(`${path}/pass`);
  expect([pass.status, pass.body.code]).toEqual([404, 'pass_not_available']);
});
