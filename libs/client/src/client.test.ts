import { ApiError, dataOf, createReceiptsClient, jsonPatch } from './index';

const secret = Buffer.alloc(32, 1).toString('base64');
const baseUrl = 'https://receipts.example/v1';

/** A client whose service returns this response, and the requests that it has sent. */
function recorded(answer: () => Response, options: object = {}) {
  const requests: Request[] = [];
  const send = (request: Request) => {
    requests.push(request);
    return Promise.resolve(answer());
  };
  return { client: createReceiptsClient({ baseUrl, send, ...options }), requests };
}
const json = (body: unknown, status = 200) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });

it('sends requests below the base URL, with lists separated by commas', async () => {
  const { client, requests } = recorded(() => json([]), { credential: { token: 't' } });
  const query = { consumer: ['jane@x.example', '1001'], count: 5 };
  expect((await client.GET('/receipts', { params: { query } })).data).toEqual([]);
  expect(requests[0]?.url).toBe(`${baseUrl}/receipts?consumer=jane%40x.example,1001&count=5`);
  expect(requests[0]?.headers.get('authorization')).toBe('Bearer t');
});

it('signs a token with its key, and reuses it for many requests', async () => {
  const { client, requests } = recorded(() => json({}), { credential: { kid: 'K', secret } });
  await client.GET('/stores');
  await client.GET('/stores');
  const [first, second] = requests.map((request) => request.headers.get('authorization'));
  expect(first).toMatch(/^Bearer ey[\w-]+\.ey[\w-]+\.[\w-]{43}$/);
  expect(second).toBe(first);
});

it('signs URLs, even for requests with a body', async () => {
  const credential = { key: 'K', secret, consumer: 'jane@x.example' };
  const { client, requests } = recorded(() => json({ id: '1' }, 201), { credential });
  const body = {
    transaction_id: 'T',
    localtime: '2026-03-14T12:30:00',
    store_reference: 1,
    total: 1,
    items: [],
  };
  await client.POST('/receipts', { body });
  const { searchParams } = new URL(requests[0]?.url ?? '');
  expect([...searchParams.keys()]).toEqual(['consumer', 'key', 'expires', 'signature']);
  expect(await requests[0]?.json()).toEqual(body);
});

it('sends a JSON Patch with its media type', async () => {
  const { client, requests } = recorded(() => json({}));
  await client.PATCH('/receipts/{id}', {
    params: { path: { id: 'a b' } },
    headers: jsonPatch,
    body: [{ op: 'replace', path: '/incomplete', value: false }],
  });
  expect(requests[0]?.url).toBe(`${baseUrl}/receipts/a%20b`);
  expect(requests[0]?.headers.get('content-type')).toBe('application/json-patch+json');
});

it('throws an error with all details of an error response', async () => {
  const body = {
    description: 'the body does not match the schema',
    status: 'unprocessable entity',
    code: 'schema_validation_failed',
    errors: [{ path: '/total', code: 'required', message: 'is required' }],
    request_id: 'r-1',
  };
  const { client } = recorded(() => json(body, 422));
  const refusal = await dataOf(client.GET('/stores')).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(ApiError);
  expect(refusal).toMatchObject({ status: 422, code: 'schema_validation_failed', requestId: 'r-1', body });
  expect((refusal as Error).message).toBe('422 the body does not match the schema; /total is required');
});

it('throws an error for an error response from an intermediary', async () => {
  const { client } = recorded(() => new Response('<h1>Bad gateway</h1>', { status: 502 }), {
    retries: { attemptsMax: 1 },
  });
  await expect(dataOf(client.GET('/stores'))).rejects.toMatchObject({ status: 502, code: undefined });
});
