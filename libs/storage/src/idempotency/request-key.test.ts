import { bytes, defineCommand, newId, ServiceError, type Call } from '@receipts/kernel';
import { isRepetition, requestKeyOf } from './request-key';

const commandOf = (name: `${string}.${string}`) =>
  defineCommand({ name, summary: 'Adds', description: 'For the test.', body: bytes('body') });
const add = commandOf('till.add');

const asked = (body: string, call: Partial<Call> = {}, contract = add, at = new Date(0)) => {
  const principal = { kind: 'client', id: 'bearer:1' } as const;
  const key = requestKeyOf(contract, { body: Buffer.from(body) }, { principal, ...call }, at);
  if (!key) throw new Error('there is no key');
  return key;
};

const idempotencyKey = newId();

test('returns no key for a request that has none', () => {
  expect(() => asked('x')).toThrow('there is no key');
});

test('limits a key to one principal and one contract', () => {
  const keys = [
    asked('x', { idempotencyKey }),
    asked('x', { idempotencyKey: `${idempotencyKey} ` }),
    asked('x', { idempotencyKey, principal: { kind: 'client', id: 'bearer:2' } }),
    asked('x', { idempotencyKey, principal: { kind: 'operator', id: 'bearer:1' } }),
    asked('x', { idempotencyKey }, commandOf('till.remove')),
  ];
  expect(new Set(keys.map(({ key }) => key)).size).toBe(keys.length);
});

test('treats the same request as a retry, and a different request as a mismatch', () => {
  const first = asked('x', { idempotencyKey });
  expect(isRepetition(asked('x', { idempotencyKey }), first)).toBe(true);
  expect(() => isRepetition(asked('y', { idempotencyKey }), first)).toThrow(ServiceError);
});

test('releases a key after 24 hours', () => {
  const day = 24 * 60 * 60_000;
  const first = asked('x', { idempotencyKey });
  const at = (ms: number, body = 'x') => asked(body, { idempotencyKey }, add, new Date(ms));
  expect(isRepetition(at(day), first)).toBe(true);
  expect(isRepetition(at(day + 1), first)).toBe(false);
  expect(isRepetition(at(day + 1, 'y'), first)).toBe(false);
});
