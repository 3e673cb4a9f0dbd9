import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { brandedSettings, fullReceipt } from '../../testing/rendered-samples';
import { viewOf } from '../view/view';
import { googlePassLink, googleWallet } from './google-pass';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const given = {
  issuer_id: '3388000000012345678',
  client_email: 'wallet@shop.iam.gserviceaccount.com',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
};
const issuer = googleWallet.parse(given);
const issued = { id: '6a1f3c2b9d4e5f60718293a4', timestamp: '2026-03-14T11:30:45.000Z' };
const page = `https://receipts.example/r/${'t'.repeat(80)}`;

function claimsOf(link: string) {
  const [, header = '', body = '', signature = ''] =
    /^https:\/\/pay\.google\.com\/gp\/v\/save\/([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(link) ?? [];
  const input = Buffer.from(`${header}.${body}`);
  expect(verify('sha256', input, createPublicKey(privateKey), Buffer.from(signature, 'base64url'))).toBe(
    true,
  );
  const decoded = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  expect(decoded(header)).toEqual({ alg: 'RS256', typ: 'JWT' });
  return decoded(body);
}

it('is a signed link with the pass, and the same link for the same receipt', () => {
  const view = viewOf(fullReceipt(), brandedSettings);
  const link = googlePassLink(view, { ...issued, page }, issuer);
  expect(googlePassLink(view, { ...issued, page }, issuer)).toBe(link);
  const { payload, ...claims } = claimsOf(link);
  expect(claims).toEqual({
    iss: given.client_email,
    aud: 'google',
    typ: 'savetowallet',
    iat: Date.parse(issued.timestamp) / 1000,
  });
  expect(payload.genericClasses).toEqual([{ id: '3388000000012345678.receipt' }]);
  expect(payload.genericObjects).toHaveLength(1);
  expect(payload.genericObjects[0]).toMatchObject({
    id: '3388000000012345678.6a1f3c2b9d4e5f60718293a4',
    classId: '3388000000012345678.receipt',
    state: 'ACTIVE',
    cardTitle: { defaultValue: { language: 'en-GB', value: 'Maison Lumière' } },
    header: { defaultValue: { value: '€71.96' } },
    hexBackgroundColor: '#8a1538',
    barcode: { type: 'QR_CODE', value: page },
    textModulesData: expect.arrayContaining([expect.objectContaining({ header: 'Date' })]),
  });
});

it.each(['en', 'ja', 'ar'])('is not longer than browsers accept, in %s', (lang) => {
  const name = '店'.repeat(100);
  const brand = { ...brandedSettings.brand, name, logo: `https://shop.example/${'l'.repeat(500)}.png` };
  const view = viewOf(
    fullReceipt({ transaction_id: '番'.repeat(100) }),
    { ...brandedSettings, brand },
    { lang },
  );
  const link = googlePassLink(view, { ...issued, page }, issuer);
  expect(link.length).toBeLessThanOrEqual(1_800);
  expect(claimsOf(link).payload.genericObjects[0].barcode.value).toBe(page);
});

it('accepts only RSA keys of at least 2048 bits', () => {
  const pem = { type: 'pkcs8', format: 'pem' } as const;
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export(pem);
  const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export(pem);
  for (const key of [ec.toString(), short.toString(), 'x']) {
    expect(googleWallet.safeParse({ ...given, private_key: key }).success).toBe(false);
  }
});
