import { startDnsServer } from '../testing/dns-server';
import { MailRoutes } from './mail-routes';

let dns: Awaited<ReturnType<typeof startDnsServer>>;

beforeAll(async () => {
  const mx = { preference: 10, exchange: 'mx.example' };
  dns = await startDnsServer({
    'mail.example': { MX: [mx] },
    'null.example': { MX: [{ preference: 0, exchange: '.' }], A: ['192.0.2.1'] },
    'address.example': { A: ['192.0.2.1'] },
    'address6.example': { AAAA: ['2001:db8::1'] },
    'empty.example': {},
    'silent.example': 'silent',
    'broken.example': 'broken',
  });
});
afterAll(() => dns.close());

const find = (domain: string, routes = new MailRoutes({ servers: [dns.server] }), ms = 30_000) =>
  routes.find(domain, AbortSignal.timeout(ms));

it.each([
  ['mail.example', 'open'],
  ['null.example', 'none'],
  ['address.example', 'open'],
  ['address6.example', 'open'],
  ['empty.example', 'none'],
  ['missing.example', 'none'],
  ['broken.example', 'failed'],
  ['silent.example', 'timeout'],
])('%s is %s', async (domain, route) => expect(await find(domain)).toBe(route));

it('ends at its time limit', async () => {
  const lasts = async (ms?: number) => {
    const began = performance.now();
    expect(await find('silent.example', undefined, ms)).toBe('timeout');
    return performance.now() - began;
  };
  expect(await lasts(100)).toBeLessThan(await lasts());
  const routes = new MailRoutes({ servers: [dns.server] });
  expect(await routes.find('mail.example', AbortSignal.abort())).toBe('timeout');
});

it('treats a server that is not running as not responding', async () => {
  expect(['timeout', 'failed']).toContain(
    await find('mail.example', new MailRoutes({ servers: ['127.0.0.1:1'] })),
  );
});

it('caches responses but not failures', async () => {
  const routes = new MailRoutes({ servers: [dns.server] });
  const asked = () => dns.questions.length;
  for (const domain of ['mail.example', 'missing.example']) {
    await find(domain, routes);
    const before = asked();
    await find(domain, routes);
    expect(asked()).toBe(before);
  }
  await find('broken.example', routes);
  const before = asked();
  await find('broken.example', routes);
  expect(asked()).toBeGreaterThan(before);
});
