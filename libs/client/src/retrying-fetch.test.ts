import { defaultRetryLimits, retryingFetch } from './retrying-fetch';

const url = 'https://receipts.example/receipts';
const limits = { ...defaultRetryLimits, attemptsMax: 3 };

/** Responds to each attempt with the next of these, and records the requests. */
function service(...outcomes: (Response | Error)[]) {
  const seen: { key: string | null; body: string }[] = [];
  const pauses: number[] = [];
  const send = retryingFetch(
    async (request) => {
      seen.push({ key: request.headers.get('idempotency-key'), body: await request.text() });
      const outcome = outcomes.shift() ?? new Response('late', { status: 500 });
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
    limits,
    (ms) => Promise.resolve(void pauses.push(ms)),
  );
  return { send, seen, pauses };
}

const busy = (retryAfter?: string) =>
  new Response('', {
    status: 503,
    ...(retryAfter !== undefined && { headers: { 'retry-after': retryAfter } }),
  });
const post = (headers = {}) => new Request(url, { method: 'POST', body: '{"total":1}', headers });

it('resends a POST with one key and the whole body until it gets a response', async () => {
  const { send, seen } = service(new TypeError('fetch failed'), busy(), new Response('', { status: 201 }));
  expect((await send(post())).status).toBe(201);
  expect(seen).toHaveLength(3);
  expect(seen[0]?.key).toMatch(/^[0-9a-f-]{36}$/);
  expect(new Set(seen.map(({ key, body }) => `${key} ${body}`)).size).toBe(1);
});

it('uses two keys for two requests, and keeps the caller’s own key', async () => {
  const { send, seen } = service(new Response(), new Response(), new Response());
  await send(post());
  await send(post());
  await send(post({ 'Idempotency-Key': 'mine' }));
  expect(new Set(seen.map(({ key }) => key)).size).toBe(3);
  expect(seen[2]?.key).toBe('mine');
});

it('waits for the requested time, given in seconds or as a date', async () => {
  const date = new Date(Date.now() + 20_000).toUTCString();
  const { send, pauses } = service(busy('7'), busy(date), new Response());
  await send(new Request(url));
  expect(pauses[0]).toBe(7_000);
  expect(pauses[1]).toBeGreaterThan(7_000);
});

it('returns the response if it would have to wait too long', async () => {
  const { send, seen } = service(busy('3600'));
  expect((await send(new Request(url))).status).toBe(503);
  expect(seen).toHaveLength(1);
});

it('returns the last response, or throws the last error', async () => {
  const refused = service(busy(), busy(), new Response('', { status: 429 }));
  expect((await refused.send(new Request(url))).status).toBe(429);
  const failed = () => new TypeError('fetch failed');
  const broken = service(failed(), failed(), failed());
  await expect(broken.send(new Request(url))).rejects.toThrow('fetch failed');
  expect(broken.seen).toHaveLength(3);
});

it.each([400, 401, 403, 404, 409, 422, 500])('does not retry %i', async (status) => {
  const { send, seen } = service(new Response('', { status }));
  expect((await send(post())).status).toBe(status);
  expect(seen).toHaveLength(1);
});

it('sends a PATCH once, because applying it twice may have a different effect', async () => {
  const { send, seen } = service(busy());
  expect((await send(new Request(url, { method: 'PATCH', body: '[]' }))).status).toBe(503);
  expect(seen).toHaveLength(1);
});

it('stops when its caller aborts', async () => {
  const caller = new AbortController();
  const send = retryingFetch(() => {
    caller.abort(new Error('enough'));
    return Promise.reject(new TypeError('fetch failed'));
  }, limits);
  await expect(send(new Request(url, { signal: caller.signal }))).rejects.toThrow('enough');
});

it('stops when its caller aborts while the response is discarded', async () => {
  const caller = new AbortController();
  let attempts = 0;
  const send = retryingFetch(() => {
    attempts++;
    const body = new ReadableStream({ cancel: () => caller.abort(new Error('enough')) });
    return Promise.resolve(new Response(body, { status: 503, headers: { 'retry-after': '1' } }));
  }, limits);
  await expect(send(new Request(url, { signal: caller.signal }))).rejects.toThrow('enough');
  expect(attempts).toBe(1);
});

it('treats an attempt that takes too long as failed', async () => {
  let attempts = 0;
  const send = retryingFetch(
    (request) =>
      ++attempts > 1
        ? Promise.resolve(new Response('', { status: 200 }))
        : new Promise((_, reject) => {
            request.signal.addEventListener('abort', () => reject(request.signal.reason as Error));
          }),
    { ...limits, attemptTimeoutMs: 20, pauseMs: 1 },
  );
  expect((await send(new Request(url))).status).toBe(200);
});
