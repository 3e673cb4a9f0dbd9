import { notFound, ServiceError } from '@receipts/kernel';
import { authorization, credential, startHarness, type Harness } from '../testing/harness';
import { webContracts } from '../testing/web-contracts';

let gateway: Harness;

beforeEach(async () => {
  gateway = await startHarness({ contracts: [webContracts] });
});
afterEach(() => gateway.close());

const formHeaders = { 'content-type': 'application/x-www-form-urlencoded' };
const signIn = (body: string | Buffer, headers: Record<string, string> = {}) =>
  fetch(`${gateway.url}/web/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { ...formHeaders, ...headers },
    body,
  });

describe('forms and cookies', () => {
  beforeEach(() => {
    gateway.broker.answer = () => ({
      meta: { cookies: ['a=1; Secure', 'b=2; HttpOnly'] },
      body: Buffer.alloc(0),
    });
  });

  test('passes a form to the owner as JSON, with cookies and language', async () => {
    const answer = await signIn('email=a%40b.example&groups=x&groups=y+z', {
      cookie: 'session=1; theme=dark',
      'accept-language': 'fr',
    });
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe('/web/home');
    expect(answer.headers.getSetCookie()).toEqual(['a=1; Secure', 'b=2; HttpOnly']);
    const { request } = gateway.broker.last;
    expect(JSON.parse(request.body.toString())).toEqual({ email: 'a@b.example', groups: ['x', 'y z'] });
    expect(request.contentType).toBe('application/x-www-form-urlencoded');
    expect(request.headers).toEqual({ cookie: 'session=1; theme=dark', 'accept-language': 'fr' });
  });

  test.each([
    ['another type', '{"email":"x"}', { 'content-type': 'application/json' }, 415],
    ['a missing field', 'groups=x', {}, 422],
    ['an unknown field', 'email=a&__proto__=x', {}, 422],
    ['bad encoding', 'email=%zz', {}, 400],
    ['bytes that are not text', Buffer.from([0x61, 0x3d, 0xff]), {}, 400],
    ['too many fields', Array.from({ length: 300 }, (_, i) => `f${i}=1`).join('&'), {}, 400],
    ['more than a person could fill in', `email=${'a'.repeat(70_000)}`, {}, 413],
  ])('rejects %s', async (_what, body, headers, status) => {
    expect((await signIn(body, headers as Record<string, string>)).status).toBe(status);
  });

  test('limits requests per address, and reports the remaining quota', async () => {
    for (const left of [2, 1, 0]) {
      const answer = await signIn('email=a');
      expect([answer.status, answer.headers.get('ratelimit-policy')]).toEqual([303, '"route";q=3;w=60']);
      expect(answer.headers.get('ratelimit')).toMatch(new RegExp(`^"route";r=${left};t=\\d+$`));
    }
    const refused = await signIn('email=a');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('ratelimit')).toMatch(/^"route";r=0;/);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

test('counts an IPv6 /64, and an address with any port, as one caller', async () => {
  const behindProxy = await startHarness({ contracts: [webContracts], trustedProxies: 1 });
  behindProxy.broker.answer = () => ({ meta: { cookies: [] }, body: Buffer.alloc(0) });
  const statusFrom = async (address: string) => {
    const headers = { ...formHeaders, 'x-forwarded-for': address };
    const body = 'email=a';
    const options = { method: 'POST', redirect: 'manual', headers, body } as const;
    return (await fetch(`${behindProxy.url}/web/sign-in`, options)).status;
  };
  const statusesFrom = async (addresses: readonly string[]) => {
    const statuses: number[] = [];
    for (const address of addresses) statuses.push(await statusFrom(address));
    return statuses;
  };
  const limited = [303, 303, 303, 429];
  const subscriber = ['2001:db8:1:2::1', '2001:db8:1:2::2', '[2001:db8:1:2:3::3]:4711', '[2001:db8:1:2::4]'];
  expect(await statusesFrom(subscriber)).toEqual(limited);
  expect(await statusesFrom(['192.0.2.7', '192.0.2.7:1', '192.0.2.7:2', '::ffff:192.0.2.7'])).toEqual(
    limited,
  );
  expect(await statusesFrom(['2001:db8:1:3::1', '192.0.2.8:2'])).toEqual([303, 303]);
  await behindProxy.close();
});

describe('representations', () => {
  const view = (accept?: string) =>
    fetch(`${gateway.url}/web/things/secret`, { headers: accept === undefined ? {} : { accept } });

  test.each([
    [undefined, 'text/html'],
    ['*/*', 'text/html'],
    ['application/pdf', 'application/pdf'],
    ['text/html;q=0.5, application/pdf', 'application/pdf'],
    ['application/*, text/html;q=0.9', 'application/pdf'],
    ['application/pdf, text/plain, */*', 'application/pdf'],
    ['text/html, application/pdf', 'text/html'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
  ])('%s selects %s', async (accept, expected) => {
    gateway.broker.answer = (_contract, { headers }) => ({
      meta: { contentType: (headers as { accept: string }).accept },
      body: Buffer.from('x'),
    });
    const answer = await view(accept);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe(expected);
  });

  test('returns 406 if no representation is acceptable', async () => {
    expect((await view('image/png')).status).toBe(406);
  });

  test('shows an error as a page without scripts on request', async () => {
    gateway.broker.answer = () => {
      throw new ServiceError({ status: 409, description: '<script>gone</script>' });
    };
    const page = await view('text/html');
    expect(page.status).toBe(409);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await page.text()).toContain('&lt;script&gt;gone');
  });

  test.each([
    [403, 'de-AT, en;q=0.5', 'de', 'Sie dürfen diese Seite nicht öffnen.'],
    [429, 'fr', 'fr', 'Il y a eu trop de demandes. Réessayez dans une minute.'],
    [503, 'ar', 'ar', 'هذه الصفحة غير متاحة حاليًا. يُرجى المحاولة مرة أخرى بعد دقيقة.'],
    [500, 'zh-TW', 'zh-Hant', '此頁面暫時無法使用。請於一分鐘後再試。'],
    [404, 'tlh', 'en', 'This page does not exist.'],
  ])('says in plain words what %s means, in %s', async (status, accepted, language, words) => {
    gateway.broker.answer = () => {
      throw new ServiceError({ status, description: 'for programs' });
    };
    const headers = { accept: 'text/html', 'accept-language': accepted };
    const page = await fetch(`${gateway.url}/web/things/secret`, { headers });
    expect([page.status, page.headers.get('content-language')]).toEqual([status, language]);
    const html = await page.text();
    expect(html).toContain(`<h1>${words}</h1>`);
    expect(html).toContain(page.headers.get('request-id'));
    expect(html).not.toContain('for programs');
  });

  test.each([undefined, '*/*', 'application/pdf', 'application/json, text/html;q=0.5'])(
    'returns an error for %s in the standard form',
    async (accept) => {
      gateway.broker.answer = () => {
        throw new ServiceError(notFound);
      };
      const answer = await view(accept);
      expect(answer.status).toBe(404);
      expect(answer.headers.get('content-type')).toBe('application/json');
      expect(await answer.json()).toMatchObject({
        status: 'not found',
        request_id: expect.any(String) as string,
      });
    },
  );
});

describe('bytes of certain types', () => {
  const put = (type: string) =>
    fetch(`${gateway.url}/web/things`, {
      method: 'PUT',
      headers: { ...authorization(), 'content-type': type },
      body: 'a,b',
    });

  test('reach the owner unchanged', async () => {
    gateway.broker.answer = () => ({ body: Buffer.alloc(0) });
    expect((await put('text/csv; charset=utf-8')).status).toBe(204);
    expect(gateway.broker.last.request.body.toString()).toBe('a,b');
    expect((await put('text/plain')).status).toBe(415);
  });
});

describe('long polls', () => {
  const follow = (wait: number, signal?: AbortSignal) =>
    fetch(`${gateway.url}/web/news?wait=${wait}`, { headers: authorization(), ...(signal && { signal }) });
  const nothing = (next: string) => ({
    meta: { next, isEmpty: true },
    body: Buffer.from('{"news":[]}'),
  });

  test('query the owner once if there is no wait', async () => {
    gateway.broker.answer = () => nothing('1');
    expect(await (await follow(0)).json()).toEqual({ news: [] });
    expect(gateway.broker.received).toHaveLength(1);
  });

  test('end when the credential is revoked', async () => {
    gateway.broker.answer = () => {
      const revoked = credential({ version: 2, revoked: true });
      gateway.book.follow({ retailer: 'demo', data: revoked });
      return nothing('1');
    };
    expect((await follow(10)).status).toBe(401);
    expect(gateway.broker.received).toHaveLength(1);
  });

  test('query the owner again from the end of the last reply until there is data', async () => {
    gateway.broker.answer = () =>
      gateway.broker.received.length < 3
        ? nothing(String(gateway.broker.received.length))
        : { meta: { next: '9', isEmpty: false }, body: Buffer.from('{"news":["x"]}') };
    expect(await (await follow(10)).json()).toEqual({ news: ['x'] });
    const asked = gateway.broker.received;
    expect(asked.map(({ request }) => (request.query as { after?: string }).after)).toEqual([
      undefined,
      '1',
      '2',
    ]);
    expect(new Set(asked.map(({ call }) => call.id)).size).toBe(3);
  });

  test('return the last empty reply when the time is up', async () => {
    gateway.broker.answer = () => nothing('1');
    const startedAt = performance.now();
    expect((await follow(1)).status).toBe(200);
    expect(performance.now() - startedAt).toBeGreaterThan(900);
    expect(gateway.broker.received.length).toBeGreaterThan(1);
  });

  test('limit the open requests of a caller', async () => {
    gateway.broker.answer = () => nothing('1');
    const abort = new AbortController();
    const open = Array.from({ length: 51 }, () => follow(20, abort.signal).catch(() => undefined));
    const first = await Promise.race(open);
    expect(first?.status).toBe(429);
    abort.abort();
    await Promise.all(open);
  });
});
