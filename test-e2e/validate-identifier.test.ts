import type { TestRetailer } from './harness/client';
import { uniqueId } from './harness/receipts';
import { anonymous, aRetailer } from './harness/shared-platform';

let retailer: TestRetailer;

beforeAll(async () => {
  retailer = await aRetailer();
});

const validate = (body: unknown, headers?: Record<string, string>) =>
  retailer.api.post('/identifiers/_validate', body, headers);

it('returns 200 with status, provider, suggestions and details', async () => {
  const { status, body } = await validate({ identifier: 'joe.smith@gamil.com', timeout: 3 });
  expect(status).toBe(200);
  expect(body).toEqual({
    status: expect.stringMatching(/^(in)?valid$/) as string,
    provider: 'local',
    suggestions: ['joe.smith@gmail.com'],
    details: {
      accept_all: false,
      did_you_mean: 'joe.smith@gmail.com',
      disposable: false,
      domain: 'gamil.com',
      email: 'joe.smith@gamil.com',
      free: false,
      message: null,
      // The result of DNS queries depends on where the test runs.
      reason: expect.any(String) as string,
      result: expect.stringMatching(/^(deliverable|undeliverable|unknown)$/) as string,
      role: false,
      sendex: expect.any(Number) as number,
      success: true,
      user: 'joe.smith',
    },
  });
  expect(body.status).toBe(body.details.result === 'undeliverable' ? 'invalid' : 'valid');
});

it.each([
  '990000000001',
  'joe',
  'joe@',
  'joe@example',
  'joe@@example.com',
  'jo e@example.com',
  'joe@example.com.',
])('returns invalid, undeliverable and invalid_email for "%s"', async (identifier) => {
  const { status, body } = await validate({ identifier });
  expect([status, body.status, body.details.result, body.details.reason, body.details.sendex]).toEqual([
    200,
    'invalid',
    'undeliverable',
    'invalid_email',
    0,
  ]);
});

it('recognizes disposable and free domains, and role addresses', async () => {
  const details = async (identifier: string) => (await validate({ identifier, timeout: 3 })).body.details;
  expect(await details('joe@mailinator.com')).toMatchObject({ disposable: true, free: false, role: false });
  expect(await details('joe@gmail.com')).toMatchObject({ disposable: false, free: true, role: false });
  expect(await details('info@example.org')).toMatchObject({ disposable: false, free: false, role: true });
});

it('returns international domains in ASCII', async () => {
  const { body } = await validate({ identifier: 'joe@müller.example', timeout: 3 });
  expect(body.details).toMatchObject({
    domain: 'xn--mller-kva.example',
    email: 'joe@xn--mller-kva.example',
    user: 'joe',
  });
});

it.each<[string, unknown, string]>([
  ['no identifier', {}, '/identifier'],
  ['an empty identifier', { identifier: '' }, '/identifier'],
  ['a number', { identifier: 7 }, '/identifier'],
  ['an identifier of 256 characters', { identifier: 'a'.repeat(256) }, '/identifier'],
  ['a timeout of 2', { identifier: 'joe', timeout: 2 }, '/timeout'],
  ['a timeout of 16', { identifier: 'joe', timeout: 16 }, '/timeout'],
  ['a timeout of 3.5', { identifier: 'joe', timeout: 3.5 }, '/timeout'],
  ['a timeout that is a string', { identifier: 'joe', timeout: '3' }, '/timeout'],
  ['an unknown field', { identifier: 'joe', email: 'x' }, '/email'],
])('returns 422 for %s', async (_what, body, path) => {
  const answer = await validate(body);
  expect([answer.status, answer.body.code]).toEqual([422, 'schema_validation_failed']);
  expect(answer.body.errors.map((fault: { path: string }) => fault.path)).toEqual([path]);
});

it('accepts timeouts of 3 and 15', async () => {
  for (const timeout of [3, 15]) expect((await validate({ identifier: 'joe', timeout })).status).toBe(200);
});

it('repeats the original response for a retry with the same Idempotency-Key', async () => {
  const key = { 'idempotency-key': uniqueId('key') };
  const first = await validate({ identifier: 'joe' }, key);
  const again = await validate({ identifier: 'joe' }, key);
  expect([again.body, again.headers['idempotent-replayed']]).toEqual([first.body, 'true']);
  expect((await validate({ identifier: 'ann' }, key)).body.code).toBe('idempotency_mismatch');
});

it('requires view.validate_identifier', async () => {
  const without = await retailer.clientWith({ permissions: ['view.get_identifier'] });
  expect((await without.post('/identifiers/_validate', { identifier: 'joe' })).status).toBe(403);
  const holder = await retailer.clientWith({ permissions: ['view.validate_identifier'] });
  expect((await holder.post('/identifiers/_validate', { identifier: 'joe' })).status).toBe(200);
  expect((await (await anonymous()).post('/identifiers/_validate', { identifier: 'joe' })).status).toBe(401);
});
