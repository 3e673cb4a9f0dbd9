import { ServiceError, unavailable } from '@receipts/kernel';
import { until } from '@receipts/testing';
import { authorization, startHarness, type ErrorBody, type Harness } from '../testing/harness';
import { webContracts } from '../testing/web-contracts';

const fewParts = 3;
let partsCount = fewParts;
/** A quarter is reserved for small bodies. */
const budget = { bytesMax: 20_000, callerBytesMax: 20_000 };

let gateway: Harness;
let bodyOf: (part: number) => string;
const queries: unknown[] = [];

beforeEach(async () => {
  gateway = await startHarness({ contracts: [webContracts], bodies: budget });
  queries.length = 0;
  partsCount = fewParts;
  bodyOf = (part) => `[${part * 2},{"n":${part * 2 + 1}}]`;
  gateway.broker.answer = (_contract, request) => {
    queries.push(request.query);
    const { after: part = 0 } = (request.query ?? {}) as { after?: number };
    const next = part + 1 < partsCount ? part + 1 : undefined;
    return { meta: { contentType: 'text/csv', next }, body: Buffer.from(bodyOf(part)) };
  };
});
afterEach(() => gateway.close());

const get = (path: string, init: RequestInit = {}) =>
  fetch(`${gateway.url}${path}`, { ...init, headers: authorization() });
const logged = (status: number) =>
  until('the line of the log', () =>
    Promise.resolve(
      gateway.lines.some(({ msg, fields }) => msg === 'request' && fields['status'] === status),
    ),
  );

test('streams parts of an array as one array', async () => {
  const answer = await get('/web/all?count=7');
  expect(await answer.json()).toEqual([0, { n: 1 }, 2, { n: 3 }, 4, { n: 5 }]);
  expect(answer.headers.get('content-length')).toBeNull();
  expect(queries).toEqual([{ count: 7 }, { count: 7, after: 1 }, { count: 7, after: 2 }]);
});

test('indents parts like one array', async () => {
  const text = await (await get('/web/all?pretty=true')).text();
  expect(text).toBe(`${JSON.stringify([0, { n: 1 }, 2, { n: 3 }, 4, { n: 5 }], null, 2)}\n`);
});

test('ignores empty parts', async () => {
  bodyOf = () => '[]';
  expect(await (await get('/web/all')).text()).toBe('[]');
  bodyOf = (part) => (part === 2 ? '[5]' : '[]');
  expect(await (await get('/web/all')).text()).toBe('[5]');
});

test('concatenates parts of any other type', async () => {
  bodyOf = (part) => `line ${part}\n`;
  const answer = await get('/web/all.csv');
  expect(answer.headers.get('content-type')).toBe('text/csv');
  expect(await answer.text()).toBe('line 0\nline 1\nline 2\n');
});

test('continues after a first part without content', async () => {
  bodyOf = (part) => (part === 2 ? 'line\n' : '');
  const answer = await get('/web/all.csv');
  expect([answer.headers.get('content-type'), await answer.text()]).toEqual(['text/csv', 'line\n']);
});

test('stops when the caller disconnects', async () => {
  partsCount = 1_000_000;
  bodyOf = () => 'x'.repeat(1_000);
  const aborting = new AbortController();
  expect((await get('/web/all.csv', { signal: aborting.signal })).status).toBe(200);
  aborting.abort();
  await logged(499);
  expect(queries.length).toBeLessThan(partsCount);
});

test('does not allow callers to request a part', async () => {
  const answer = await get('/web/all?after=1');
  expect([answer.status, ((await answer.json()) as ErrorBody).code]).toEqual([400, 'invalid_parameter']);
});

test('requests only the first part for HEAD', async () => {
  const answer = await get('/web/all', { method: 'HEAD' });
  expect([answer.status, await answer.text(), queries.length]).toEqual([200, '', 1]);
});

test('closes the connection before the end of the body if a part fails', async () => {
  bodyOf = (part) => {
    if (part === 1) throw new ServiceError(unavailable);
    return '[1]';
  };
  const answer = await get('/web/all');
  expect(answer.status).toBe(200);
  await expect(answer.text()).rejects.toThrow();
  await logged(503);
});

test('reserves memory for two parts until the end', async () => {
  bodyOf = () => `["${'x'.repeat(3_000)}"]`;
  expect((await get('/web/all')).status).toBe(503);
  bodyOf = () => `["${'x'.repeat(2_000)}"]`;
  for (let n = 0; n < 3; n++) expect(await (await get('/web/all')).json()).toHaveLength(partsCount);
});

test('reserves more memory for a larger part', async () => {
  bodyOf = (part) => `["${'x'.repeat(part === 0 ? 10 : 3_000)}"]`;
  const answer = await get('/web/all');
  expect(answer.status).toBe(200);
  await expect(answer.text()).rejects.toThrow();
  await logged(503);
  bodyOf = (part) => `["${'x'.repeat(part === 0 ? 10 : 2_000)}"]`;
  for (let n = 0; n < 3; n++) expect(await (await get('/web/all')).json()).toHaveLength(partsCount);
});

test('releases the memory of the request’s body as well', async () => {
  bodyOf = () => 'line\n';
  for (let n = 0; n < 4; n++) {
    const init = { method: 'POST', headers: authorization(), body: 'x'.repeat(2_000) };
    const answer = await fetch(`${gateway.url}/web/these.csv`, init);
    expect(answer.status).toBe(200);
    await answer.text();
  }
});
