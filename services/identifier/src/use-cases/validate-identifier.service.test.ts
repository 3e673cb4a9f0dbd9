import type { ServiceError } from '@receipts/kernel';
import type { MailRoute } from '../domain/validation';
import { callOf } from '../testing/world';
import { localProvider } from '../validation/local-provider';
import { validateIdentifier } from './validate-identifier';

const handlerFor = (route: MailRoute | Promise<MailRoute>) =>
  validateIdentifier({ provider: localProvider({ find: () => Promise.resolve(route) }) });
const validate = async (identifier: string, route: MailRoute = 'open') => {
  const body = { identifier };
  const input = { params: undefined, query: undefined, headers: undefined, body };
  return (await handlerFor(route)(input, callOf('demo'))).body as Exclude<
    Awaited<ReturnType<ReturnType<typeof handlerFor>>>['body'],
    Buffer | undefined
  >;
};

it('returns all results', async () => {
  expect(await validate('Joe.Smith@gamil.com')).toEqual({
    status: 'valid',
    provider: 'local',
    suggestions: ['Joe.Smith@gmail.com'],
    details: {
      accept_all: false,
      did_you_mean: 'Joe.Smith@gmail.com',
      disposable: false,
      domain: 'gamil.com',
      email: 'Joe.Smith@gamil.com',
      free: false,
      message: null,
      reason: 'accepted_email',
      result: 'deliverable',
      role: false,
      sendex: 1,
      success: true,
      user: 'Joe.Smith',
    },
  });
});

it.each<[string, MailRoute, string, string, string]>([
  ['joe@example.com', 'open', 'valid', 'deliverable', 'accepted_email'],
  ['joe@example.com', 'none', 'invalid', 'undeliverable', 'invalid_domain'],
  ['joe@example.com', 'timeout', 'valid', 'unknown', 'timeout'],
  ['joe@example.com', 'failed', 'valid', 'unknown', 'no_connect'],
  ['info@example.com', 'open', 'valid', 'risky', 'low_quality'],
  ['joe@mailinator.com', 'open', 'valid', 'risky', 'low_quality'],
  ['joe@mailinator.com', 'timeout', 'valid', 'unknown', 'timeout'],
  ['not an address', 'open', 'invalid', 'undeliverable', 'invalid_email'],
  ['990000000001', 'open', 'invalid', 'undeliverable', 'invalid_email'],
])('%s with the DNS result "%s" is %s', async (identifier, route, status, result, reason) => {
  const body = await validate(identifier, route);
  expect([body.status, body.details.result, body.details.reason]).toEqual([status, result, reason]);
});

it('recognizes free, disposable and role addresses', async () => {
  expect((await validate('joe@gmail.com')).details).toMatchObject({
    free: true,
    disposable: false,
    role: false,
  });
  expect((await validate('support@mailinator.com')).details).toMatchObject({
    free: false,
    disposable: true,
    role: true,
  });
});

it('suggests a correction for spaces around an address', async () => {
  expect(await validate(' joe@example.com')).toMatchObject({
    status: 'invalid',
    suggestions: ['joe@example.com'],
  });
});

it('limits concurrent validations of a retailer without affecting others', async () => {
  let tell: (route: MailRoute) => void = () => {};
  const handler = handlerFor(new Promise<MailRoute>((resolve) => (tell = resolve)));
  const ask = (retailer: string) =>
    handler(
      { params: undefined, query: undefined, headers: undefined, body: { identifier: 'joe@example.com' } },
      callOf(retailer),
    );
  const running = Array.from({ length: 24 }, () => ask('one'));
  await expect(ask('one')).rejects.toEqual(
    expect.objectContaining({ status: 429, code: 'rate_limited' }) as ServiceError,
  );
  running.push(ask('two'));
  tell('open');
  expect(await Promise.all(running)).toHaveLength(25);
  await expect(ask('one')).resolves.toBeDefined();
});
