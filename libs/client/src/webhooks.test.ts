import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { verifyWebhook } from './webhooks';

const key = Buffer.alloc(32, 7);
const secret = `whsec_${key.toString('base64')}`;
const body = JSON.stringify({
  type: 'receipt.created',
  timestamp: '2026-03-14T12:30:00Z',
  data: { id: 'r-1' },
});

function headers({ id = 'e-1', at = Math.floor(Date.now() / 1000), text = body } = {}) {
  const signature = createHmac('sha256', key).update(`${id}.${at}.${text}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': `v1,${signature}` };
}

it('returns the message of a signed request, from text or bytes, and from either kind of headers', () => {
  const message = {
    id: 'e-1',
    type: 'receipt.created',
    timestamp: '2026-03-14T12:30:00Z',
    data: { id: 'r-1' },
  };
  expect(verifyWebhook(secret, headers(), body)).toEqual(message);
  expect(verifyWebhook(secret, new Headers(headers()), Buffer.from(body))).toEqual(message);
});

it.each<[string, IncomingHttpHeaders, string]>([
  ['no headers', {}, body],
  ['another body', headers(), body.replace('r-1', 'r-2')],
  ['another id', { ...headers(), 'webhook-id': 'e-2' }, body],
  ['an old time', headers({ at: Math.floor(Date.now() / 1000) - 600 }), body],
  ['a repeated header', { ...headers(), 'webhook-signature': ['v1,a', 'v1,b'] }, body],
])('rejects %s', (_what, given, text) => {
  expect(() => verifyWebhook(secret, given, text)).toThrow();
});
