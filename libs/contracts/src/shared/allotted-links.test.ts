import { newId } from '@receipts/kernel';
import { allottedLinks } from './allotted-links';

const at = Date.UTC(2026, 10, 24);
const links = allottedLinks('a secret');
const receiptId = newId(at);
const link = links.seal(receiptId, 'demo');

it('is opaque, short and URL-safe', () => {
  expect(link).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  expect(link).not.toContain(receiptId);
});

it('contains its receipt and its expiry after 30 days', () => {
  const expiresAtMs = at + 30 * 24 * 60 * 60_000;
  expect(links.open(link, 'demo')).toEqual({ receiptId, expiresAtMs });
});

it.each([
  ['from another retailer', link, 'other'],
  ['with a changed character', `${link.startsWith('A') ? 'B' : 'A'}${link.slice(1)}`, 'demo'],
  ['with padding', `${link}=`, 'demo'],
  ['that is empty', '', 'demo'],
  ['that is not base64', 'not a link!', 'demo'],
  ['made with another secret', allottedLinks('another').seal(receiptId, 'demo'), 'demo'],
])('rejects a link %s', (_case, given, retailer) => {
  expect(links.open(given, retailer)).toBeUndefined();
});
