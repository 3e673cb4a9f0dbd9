import { createHmac } from 'node:crypto';
import { bearerToken, signUrl } from './credentials';

const secret = Buffer.from('a shared secret of thirty-two b.').toString('base64');
const now = Date.UTC(2026, 2, 14, 12, 0, 0);
const expires = String(now / 1000 + 600);
const digest = (message: string) =>
  createHmac('sha256', 'a shared secret of thirty-two b.').update(message).digest('base64');
const queryOf = (url: string) => Object.fromEntries(new URL(url).searchParams);
const sign = (url: string, consumer?: string | string[]) =>
  queryOf(
    signUrl(
      url,
      { key: 'K', secret },
      { lifetimeSeconds: 600, ...(consumer !== undefined && { consumer }) },
      now,
    ),
  );

describe('a signed URL', () => {
  it('signs the key and the expiry', () => {
    expect(sign('https://r.example/receipts?count=5')).toEqual({
      count: '5',
      key: 'K',
      expires,
      signature: digest(`K\n${expires}`),
    });
  });

  it('signs the consumers as sent', () => {
    const signature = digest(`K\njane@x.example,+33 1\n${expires}`);
    expect(sign('https://r.example/receipts', ['jane@x.example', '+33 1'])).toMatchObject({
      consumer: 'jane@x.example,+33 1',
      signature,
    });
    expect(sign('https://r.example/receipts?consumer=jane%40x.example%2C%2B33+1').signature).toBe(signature);
  });
});

it('creates JSON Web Tokens with the key, no two of which are equal', () => {
  const token = bearerToken({ kid: 'K', secret }, 60, now);
  const [header = '', payload = '', signature] = token.split('.');
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as object;
  expect(read(header)).toEqual({ alg: 'HS256', typ: 'JWT', kid: 'K' });
  expect(read(payload)).toMatchObject({ iat: now / 1000, exp: now / 1000 + 60 });
  expect(Buffer.from(signature ?? '', 'base64url').toString('base64')).toBe(digest(`${header}.${payload}`));
  expect(bearerToken({ kid: 'K', secret }, 60, now)).not.toBe(token);
});
