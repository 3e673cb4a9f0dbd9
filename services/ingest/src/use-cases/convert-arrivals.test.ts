import type { ConversionOutcome } from '@receipts/contracts';
import { ServiceError, unavailable, type Call } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import { newPacketOf } from '../testing/samples';
import { convertArrivals } from './convert-arrivals';

const outcome: ConversionOutcome = { receiptIds: ['a'], mapping: { id: 'm', version: 1 }, failure: null };

/** A transform service that replies as the test tells it to, with a simulated clock. */
function world(answer: (retailer: string) => Promise<ConversionOutcome>) {
  let clockMs = 0;
  const queryOf: Call[] = [];
  const queue = { messages: 0 };
  const broker = {
    ask: (_: unknown, __: unknown, call: Call) => {
      queryOf.push(call);
      return answer(call.retailer).then((body) => ({ body, meta: undefined, replayed: false }));
    },
    depth: () => Promise.resolve([queue]),
  } as unknown as Pick<Broker, 'ask' | 'depth'>;
  const arrivals = convertArrivals({ broker, now: () => new Date(clockMs), clockMs: () => clockMs });
  return {
    queryOf,
    queue,
    outcomeOf: (retailer = 'acme', at = clockMs) =>
      arrivals.outcomeOf(newPacketOf({ retailer, at, requestId: 'request' })),
    pass: (ms: number) => (clockMs += ms),
  };
}

const refusal = () => Promise.reject(new ServiceError(unavailable));

test('requests the conversion on behalf of the retailer, with a deadline of a second', async () => {
  const { queryOf, outcomeOf } = world(() => Promise.resolve(outcome));
  expect(await outcomeOf()).toEqual(outcome);
  expect(queryOf[0]).toMatchObject({ retailer: 'acme', requestId: 'request', deadline: 1_000 });
});

test('stores packets of flooding retailers unconverted when there is a backlog in the queue, whatever clocks say', async () => {
  const { queryOf, queue, outcomeOf, pass } = world(() => Promise.resolve(outcome));
  const longAgo = -10_000;
  for (let n = 0; n < 200; n++) expect(await outcomeOf('flood', longAgo)).toEqual(outcome);
  expect(await outcomeOf('quiet', longAgo)).toEqual(outcome);
  expect(await outcomeOf('flood', longAgo)).toEqual(outcome);
  queue.messages = 5_000;
  pass(1_000);
  await outcomeOf('flood');
  expect(await outcomeOf('flood')).toBeUndefined();
  expect(await outcomeOf('quiet')).toEqual(outcome);
  queue.messages = 0;
  pass(1_000);
  await outcomeOf('flood');
  expect(await outcomeOf('flood')).toEqual(outcome);
  expect(queryOf.length).toBeGreaterThan(203);
});

test('treats a missing reply as unknown', async () => {
  const { outcomeOf } = world(refusal);
  expect(await outcomeOf()).toBeUndefined();
});

test('pauses requests for a retailer whose requests get no reply, without affecting others', async () => {
  const { queryOf, outcomeOf, pass } = world((retailer) =>
    retailer === 'bad' ? refusal() : Promise.resolve(outcome),
  );
  for (let n = 0; n < 20; n++) await outcomeOf('bad');
  expect(queryOf).toHaveLength(8);
  expect(await outcomeOf('good')).toEqual(outcome);
  pass(5_000);
  await outcomeOf('bad');
  await outcomeOf('bad');
  expect(queryOf).toHaveLength(10);
});

test('does not make packets wait while no request gets a reply', async () => {
  const { queryOf, outcomeOf, pass } = world(refusal);
  for (let n = 0; n < 200; n++) await outcomeOf(`retailer ${n}`);
  expect(queryOf).toHaveLength(64);
  pass(1_000);
  await outcomeOf('one');
  await outcomeOf('another');
  expect(queryOf).toHaveLength(65);
});

test('does not use the attempt after a pause for a retailer that is paused itself', async () => {
  const { queryOf, outcomeOf, pass } = world(refusal);
  for (let n = 0; n < 8; n++) await outcomeOf('bad');
  for (let n = 8; n < 64; n++) await outcomeOf(`retailer ${n}`);
  pass(1_000);
  await outcomeOf('bad');
  await outcomeOf('good');
  expect(queryOf.slice(64).map(({ retailer }) => retailer)).toEqual(['good']);
  pass(4_000);
  await outcomeOf('good');
  expect(queryOf).toHaveLength(66);
  await outcomeOf('bad');
  pass(1_000);
  await outcomeOf('bad');
  expect(queryOf.slice(66).map(({ retailer }) => retailer)).toEqual(['bad']);
});

test('reduces concurrent requests after late replies, and makes further requests wait', async () => {
  const answers: (() => void)[] = [];
  const { queryOf, outcomeOf, pass } = world(
    () => new Promise((resolve) => answers.push(() => resolve(outcome))),
  );
  const all = Array.from({ length: 400 }, () => outcomeOf());
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  await settled();
  expect(queryOf).toHaveLength(128);
  pass(1_100);
  for (const answer of answers.splice(0)) answer();
  await settled();
  expect(answers).toHaveLength(64);
  while (answers.length > 0) {
    for (const answer of answers.splice(0)) answer();
    await settled();
  }
  expect(await Promise.all(all)).toEqual(all.map(() => outcome));
});

test('makes no request for a packet that has waited too long', async () => {
  const answers: (() => void)[] = [];
  const { queryOf, outcomeOf, pass } = world(
    () => new Promise((resolve) => answers.push(() => resolve(outcome))),
  );
  const all = Array.from({ length: 129 }, () => outcomeOf());
  await new Promise((resolve) => setImmediate(resolve));
  pass(20_000);
  for (const answer of answers) answer();
  expect(await all[128]).toBeUndefined();
  expect(queryOf).toHaveLength(128);
});
