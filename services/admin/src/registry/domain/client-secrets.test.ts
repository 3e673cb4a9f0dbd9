import { newClientKey, newClientSecret } from './client-secrets';

test('keys do not begin with a dash', () => {
  const bytes = [Buffer.alloc(15, 0xfb), Buffer.alloc(15, 7)];
  const [dashed, plain] = bytes.map((each) => each.toString('base64url'));
  expect(dashed).toMatch(/^-/);
  expect(newClientKey(() => bytes.shift() as Buffer)).toBe(plain);
});

test('keys have 20 characters, secrets 32 bytes', () => {
  expect(newClientKey()).toMatch(/^[\w-]{20}$/);
  expect(Buffer.from(newClientSecret(), 'base64')).toHaveLength(32);
});
