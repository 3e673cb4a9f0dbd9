import { randomBytes } from 'node:crypto';
import { newRetailer, type Client, type TestRetailer } from '../harness/client';
import { bearerToken } from '../harness/credentials';
import { request, type HttpResponse, type RequestOptions } from '../harness/http';
import { discard, ownPlatform } from '../harness/own-platform';
import { aReceipt, uniqueId } from '../harness/receipts';
import type { Print } from './scenario';

/** A hostile request and its acceptable statuses. */
interface Probe {
  readonly expect: readonly number[];
  readonly send: () => Promise<HttpResponse>;
}

/** The probes by class of hostile input. */
type Probes = Readonly<Record<string, readonly Probe[]>>;

interface Victims {
  readonly baseUrl: string;
  readonly retailer: TestRetailer;
  /** The id of a receipt of another retailer. */
  readonly foreignId: string;
  readonly ownId: string;
}

const deepest = 400_000;
const oneTooDeep = 33;
const concurrent = 50;
const dayS = 24 * 60 * 60;
const missingId = '0'.repeat(24);
const json = { 'content-type': 'application/json' };
const nowS = () => Math.floor(Date.now() / 1_000);

const probe = (send: Probe['send'], ...expect: number[]): Probe => ({ send, expect });
const raw = (api: Client, path: string, body: string, options: RequestOptions = {}) =>
  api.call(path, { method: 'POST', body, headers: json, ...options });
const posted = (api: Client, overrides: Record<string, unknown>, ...expect: number[]) =>
  probe(() => api.post('/receipts', aReceipt(overrides)), ...expect);

function credentials({ baseUrl, retailer }: Victims): Probes {
  const withToken = (token: string) =>
    request(baseUrl, '/receipts', { headers: { authorization: `Bearer ${token}` } });
  const token = (overrides: { header?: object; payload?: object }) =>
    probe(() => withToken(bearerToken(retailer.bearer, overrides)), 401);
  const signed = (expires: number | string) =>
    probe(() => retailer.signed({ expires }).get('/receipts'), 403);
  const signature = (value: string) =>
    probe(() => retailer.signed().get('/receipts', { signature: value }), 403);
  return {
    'no credentials': [probe(() => request(baseUrl, '/receipts'), 401)],
    'tokens of other algorithms, keys and claims': [
      ...['none', 'RS256', 'HS512', 'hs256'].map((alg) => token({ header: { alg } })),
      ...[{ $ne: null }, '../../etc/passwd', '', 7].map((kid) => token({ header: { kid } })),
      ...['tomorrow', 1, -1, null].map((exp) => token({ payload: { exp } })),
      token({ header: { crit: ['exp'] } }),
      probe(() => withToken(`${randomBytes(7_000).toString('base64url')}.x.y`), 401, 413),
    ],
    'signatures: broken, expired, with a long lifetime': [
      ...['', 'x', 'AAAA', '%%%', 'a'.repeat(2_000)].map(signature),
      ...[nowS() - 1, nowS() + dayS + 60, '1e10', ` ${nowS() + 60}`, `+${nowS() + 60}`, 'NaN'].map(signed),
    ],
  };
}

function isolation({ retailer: { api, clientWith }, foreignId }: Victims): Probes {
  const patch = (id: string) =>
    probe(() => api.patch(`/receipts/${id}`, [{ op: 'add', path: '/properties/a', value: 1 }]), 404);
  return {
    "another retailer's receipts: read, change, delete, assign, send": [
      probe(() => api.get(`/receipts/${foreignId}`), 404),
      patch(foreignId),
      patch(missingId),
      probe(() => api.post('/receipts/_assign', { id: foreignId, identifier: 'a' }), 422),
      probe(() => api.post('/receipts/_send', { id: foreignId, channel: 'email' }), 422),
    ],
    'a client without the permission creates clients': [
      probe(async () => {
        const weak = await clientWith({ permissions: ['view.get_receipt'] });
        return weak.post('/clients/hmac', { description: 'mine', permissions: ['view.*'] });
      }, 403),
    ],
    "another consumer's receipts": [
      probe(() => api.get('/receipts', { consumer: 'x'.repeat(5_000) }), 400, 414),
      probe(() => api.get('/receipts', { consumer: 'a,b,c,d,e,f,g,h,i,j,k,l' }), 400),
    ],
  };
}

function bodies({ retailer: { api } }: Victims): Probes {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const text = (member: string, value: string) =>
    JSON.stringify(aReceipt({ [member]: 0 })).replace(`"${member}":0`, `"${member}":${value}`);
  const total = (value: string, ...expect: number[]) =>
    probe(() => raw(api, '/receipts', text('total', value)), ...expect);
  return {
    'broken and deep JSON, wrong media types': [
      ...['', '{', '[1,]', '\u0000', nested(deepest), `{"properties":${nested(oneTooDeep)}}`].map((body) =>
        probe(() => raw(api, '/receipts', body), 400),
      ),
      probe(() => raw(api, '/receipts', '{}', { headers: { 'content-type': 'text/plain' } }), 415),
      probe(() => raw(api, '/receipts', `"${'a'.repeat(3 * 1024 * 1024)}"`), 413),
    ],
    prototypes: [
      probe(() => raw(api, '/receipts', text('__proto__', '{"admin":true}')), 422),
      probe(() => raw(api, '/receipts', text('constructor', '{"prototype":{}}')), 422),
      probe(() => raw(api, '/receipts', text('properties', '{"__proto__":{"a":1}}')), 201, 422),
    ],
    'invalid numbers and times': [
      total('1e400', 400, 422),
      total('"1"', 422),
      total('null', 422),
      total('NaN', 400),
      ...['2024-02-30T25:61:00', '+275760-09-13T00:00:00', '2024-01-01T00:00:00+99:99', 'now', ''].map(
        (localtime) => posted(api, { localtime }, 422),
      ),
      posted(api, { external_id: 'not-a-uuid' }, 422),
    ],
    'queries in place of values': [
      probe(() => api.post('/receipts/_assign', { id: { $ne: null }, identifier: 'a' }), 422),
      probe(() => api.post('/receipts/_send', { id: { $gt: '' }, channel: 'email' }), 422),
      probe(() => api.get('/receipts', { 'id[$ne]': '1' }), 400),
      probe(
        () => api.post('/receipts/_assign', { id: missingId, transaction_id: 'x', identifier: 'a' }),
        422,
      ),
    ],
    'markup and control characters in texts': [
      '<script>alert(1)</script>',
      '" onerror="x',
      '\u202eabc',
      '=cmd|/c calc',
    ].map((name) => posted(api, { items: [{ name, quantity: 1, total: 1 }] }, 201)),
  };
}

function excess({ retailer: { api } }: Victims): Probes {
  const many = <T>(count: number, of: (n: number) => T) => Array.from({ length: count }, (_, n) => of(n));
  const members = (count: number) => Object.fromEntries(many(count, (n) => [`k${n}`, n]));
  const item = { name: 'x', quantity: 1, total: 1 };
  return {
    'too much, and thousands of faults': [
      { items: many(5_001, () => item) },
      { properties: members(10_001) },
      { properties: { list: many(20_001, (n) => n) } },
      { properties: { lists: many(20_001, () => []) } },
      { items: many(5_000, () => ({ ...item, total: '1' })) },
      { items: many(5_000, () => ({})) },
      members(19_000),
      { items: [{ ...item, name: '漢字'.repeat(340_000) }] },
    ].map((overrides) => posted(api, overrides, 422)),
  };
}

function changes({ retailer: { api }, ownId }: Victims): Probes {
  const patch = (operation: object) => probe(() => api.patch(`/receipts/${ownId}`, [operation]), 422);
  const racing = async () => {
    const one = (n: number) =>
      api.patch(`/receipts/${ownId}`, [{ op: 'add', path: '/properties/n', value: n }]);
    const answers = await Promise.all(Array.from({ length: concurrent }, (_, n) => one(n)));
    return answers.find(({ status }) => status !== 200 && status !== 409) ?? (answers[0] as HttpResponse);
  };
  const sameTransaction = async () => {
    const receipt = aReceipt({ transaction_id: uniqueId('same') });
    const answers = await Promise.all(
      Array.from({ length: concurrent }, () => api.post('/receipts', receipt)),
    );
    const created = answers.filter(({ status }) => status === 201);
    const ids = new Set(answers.map(({ body }) => body.id as string));
    if (created.length !== 1 || ids.size !== 1) throw new Error(`${created.length} created, ${ids.size} ids`);
    return created[0] as HttpResponse;
  };
  return {
    'patches of immutable members': [
      ...['', '/id', '/transaction_id', '/timestamp', '/total'].map((path) =>
        patch({ op: 'replace', path, value: {} }),
      ),
      patch({ op: 'add', path: '/retailer', value: 'other' }),
    ],
    [`${concurrent} patches of one receipt at once`]: [probe(racing, 200, 409)],
    [`${concurrent} posts of one transaction at once`]: [probe(sameTransaction, 201)],
  };
}

function questions({ baseUrl, retailer: { api } }: Victims): Probes {
  const search = (query: string, ...expect: number[]) =>
    probe(() => api.get('/receipts/_search', { query }), ...expect);
  const list = (query: Record<string, string>) => probe(() => api.get('/receipts', query), 400);
  return {
    'expensive and malformed searches': [
      search('('.repeat(2_000), 400),
      search('a '.repeat(900), 400),
      search('a:[* TO', 400),
      search('((a+)+)$', 200, 400),
      search('*x', 200, 400),
      search('x~ '.repeat(500), 400),
    ],
    'parameters out of bounds': [
      ...['0', '-1', '1e9', '5;', '', '0x10'].map((count) => list({ count })),
      list({ newer: 'zz' }),
      list({ older: '$ne' }),
      list({ nothing: '1' }),
      probe(() => api.get('/receipts', { consumer: 'a'.repeat(20_000) }), 414),
      probe(() => api.get('/receipts', {}, { 'x-long': 'a'.repeat(9_000) }), 413),
      probe(() => api.get('/receipts', {}, { 'service-api-version': '3' }), 400),
    ],
    'paths and methods': [
      ...['/nothing', '/receipts/%00', '//receipts', '/receipts/a/b/c'].map((path) =>
        probe(() => api.get(path), 404, 400),
      ),
      probe(() => api.get('/receipts/%zz'), 400),
      probe(() => request(baseUrl, '/receipts', { method: 'TRACE' }), 401, 405),
      probe(() => api.call('/receipts', { method: 'PUT', body: {} }), 405),
    ],
  };
}

function packets({ retailer: { api } }: Victims): Probes {
  const xml = { 'content-type': 'application/xml' };
  const packet = (body: string) => probe(() => raw(api, '/pos/receipts', body, { headers: xml }), 202);
  const entities = '<!DOCTYPE a [<!ENTITY b "bbbbbbbbbb"><!ENTITY c "&b;&b;&b;&b;&b;&b;">]><a>&c;&c;&c;</a>';
  return {
    'packets that are bombs: accepted, and failed separately': [
      packet(entities),
      packet('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'),
      packet(`<a>${'<b/>'.repeat(200_000)}</a>`),
      packet('<a>'.repeat(20_000)),
      // The client must still be served afterwards.
      posted(api, {}, 201),
    ],
  };
}

/** The fault in a response, if any. */
function faultOf({ expect }: Probe, { status, body }: HttpResponse): string | undefined {
  if (!expect.includes(status)) return `${status} for ${expect.join(' or ')}`;
  if (status < 400) return undefined;
  const { description, status: phrase, request_id: id } = (body ?? {}) as Record<string, unknown>;
  const isShaped = [description, phrase, id].every((member) => typeof member === 'string');
  return isShaped ? undefined : `${status} with an invalid body`;
}

/** Sends hostile requests. Each must get an expected status and, if it is an error, a body of the documented shape. */
export async function hostileInput(print: Print): Promise<boolean> {
  const platform = await ownPlatform();
  let failures = 0;
  try {
    const { baseUrl, secrets } = platform;
    const create = () => newRetailer(baseUrl, secrets.operatorToken);
    const [retailer, other] = await Promise.all([create(), create()]);
    const [own, foreign] = [
      await retailer.api.post('/receipts', aReceipt()),
      await other.api.post('/receipts', aReceipt()),
    ];
    const victims = { baseUrl, retailer, ownId: own.body.id, foreignId: foreign.body.id };
    print('| input | requests | held |\n| --- | --- | --- |');
    const kinds = [credentials, isolation, bodies, excess, changes, questions, packets];
    for (const [name, probes] of kinds.flatMap((kind) => Object.entries(kind(victims)))) {
      const faults: string[] = [];
      for (const one of probes) {
        const fault = await one.send().then((answer) => faultOf(one, answer), String);
        if (fault !== undefined) faults.push(fault);
      }
      failures += faults.length;
      print(
        `| ${name} | ${probes.length} | ${probes.length - faults.length}${faults.map((fault) => `; ${fault}`).join('')} |`,
      );
    }
  } finally {
    await discard(platform);
  }
  return failures === 0;
}
