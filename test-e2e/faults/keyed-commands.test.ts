import { randomUUID } from 'node:crypto';
import type { Platform } from '@receipts/local';
import { until } from '@receipts/testing';
import { newRetailer, type TestRetailer } from '../harness/client';
import type { HttpResponse } from '../harness/http';
import { discard, ownPlatform } from '../harness/own-platform';
import { aReceipt } from '../harness/receipts';
import { isBrokenConnection, readAll } from '../harness/traffic';

const atOnce = 40;

let platform: Platform;
let retailer: TestRetailer;
beforeAll(async () => {
  platform = await ownPlatform();
  retailer = await newRetailer(platform.baseUrl, platform.secrets.operatorToken);
});
afterAll(() => discard(platform));

/** A request with a separate Idempotency-Key, and what it has changed. */
interface Keyed {
  readonly path: string;
  readonly body: object;
}

const expectCreated = (answer: HttpResponse): HttpResponse => {
  expect(answer.status).toBe(201);
  return answer;
};

/** The response body of a request, which is retried while its outcome is unknown. */
const untilAnswered = (send: () => Promise<HttpResponse | Error>): Promise<unknown> =>
  until('an answer', async () => {
    const answer = await send();
    if (answer instanceof Error) {
      if (isBrokenConnection(answer)) return false;
      throw answer;
    }
    expect([200, 201, 503]).toContain(answer.status);
    return answer.status < 300 && (answer.body as object);
  });

const kinds: readonly (readonly [string, () => Promise<Keyed>])[] = [
  [
    'a void',
    async () => {
      const { body } = expectCreated(await retailer.api.post('/receipts', aReceipt()));
      return { path: `/receipts/${String(body.id)}/_void`, body: { reason: 'wrong customer' } };
    },
  ],
  [
    'a gift receipt',
    async () => {
      const { body } = expectCreated(await retailer.api.post('/receipts', aReceipt()));
      return { path: `/receipts/${String(body.id)}/_gift`, body: { message: 'for you' } };
    },
  ],
  [
    'a receipt with a link',
    async () => {
      const { body } = expectCreated(await retailer.api.post('/receipts/_link', {}));
      return {
        path: '/receipts',
        body: { ...aReceipt(), link: (body.links as { link: string }[])[0]?.link },
      };
    },
  ],
  ['an allotment', () => Promise.resolve({ path: '/receipts/_link', body: { count: 100 } })],
];

it.each(kinds)(
  'receipt-store, killed during %s: the retry gets the response to the first attempt',
  async (_what, prepare) => {
    const requests = await Promise.all(Array.from({ length: atOnce }, prepare));
    const before = (await readAll(retailer.api)).length;
    const sent = requests.map(({ path, body }) => {
      const headers = { 'idempotency-key': randomUUID() };
      return () => retailer.api.post(path, body, headers).catch((error: unknown) => error as Error);
    });
    const first = sent.map((send) => send());
    // Some requests have a response, and others are in progress.
    await Promise.race(first);
    const [child] = platform.instances('receipt-store');
    await child?.kill();
    await child?.start();
    const answered = await Promise.all(first);

    const repeated = () => Promise.all(sent.map(untilAnswered));
    const final = await repeated();
    answered.forEach((answer, n) => {
      if (answer instanceof Error || answer.status >= 300) return;
      expect(final[n]).toEqual(answer.body);
    });
    expect(await repeated()).toEqual(final);
    const added = (await readAll(retailer.api)).length - before;
    expect(added).toBe(requests.filter(({ path }) => path === '/receipts').length);
  },
);
