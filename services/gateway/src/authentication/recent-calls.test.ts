import type { Caller } from './caller';
import { RecentCalls } from './recent-calls';

const caller = (id: string, kind: 'client' | 'operator' = 'client'): Caller => ({
  principal: { kind, id },
  retailer: 'shop',
  permissions: [],
  limitedAs: `shop/${id}`,
});
const call = (n: number) => ({ at: n, method: 'GET', route: '/receipts', status: 200, request_id: `r${n}` });

it('keeps the last 50 calls of each client, oldest first, until they are taken', () => {
  const recent = new RecentCalls();
  for (let n = 1; n <= 120; n++) recent.note(caller('bearer:1'), call(n));
  recent.note(caller('hmac:2'), call(7));
  recent.note(caller('operator', 'operator'), call(8));
  const [busy, quiet, ...others] = recent.take();
  expect([busy?.client, busy?.calls.length, busy?.calls[0]?.at, busy?.calls.at(-1)?.at]).toEqual([
    'bearer:1',
    50,
    71,
    120,
  ]);
  expect(quiet).toEqual({ retailer: 'shop', client: 'hmac:2', calls: [call(7)] });
  expect(others).toEqual([]);
  expect(recent.take()).toEqual([]);
});
