import type { BatchHandler, Call, Contract, Handler } from '@receipts/kernel';
import { countByTurn, silentLog } from '@receipts/testing';
import { createHandlerQueue, type Job } from './handler-queue';
import type { HandlerResult } from './outcome';

interface TestJob extends Job {
  readonly finish: (outcome: HandlerResult) => void;
}

const contract = { name: 'shop.keep', kind: 'command', body: {} } as unknown as Contract;

const reply = { body: {}, meta: undefined };

/** The bytes parsed in each turn of the event loop. */
function countParsed() {
  const bytes = countByTurn();
  const parse = JSON.parse.bind(JSON) as (text: string) => unknown;
  jest.spyOn(JSON, 'parse').mockImplementation((text: string) => {
    bytes.add(text.length);
    return parse(text);
  });
  return bytes.sums;
}

afterEach(() => jest.restoreAllMocks());

function handle(
  handler: Handler | BatchHandler,
  bodies: readonly string[],
  { forStores, call = {} }: Pick<Contract, 'forStores'> & { readonly call?: Partial<Call> } = {},
): Promise<unknown[]> {
  const metrics = {};
  const queue = createHandlerQueue<TestJob>({
    contract: { ...contract, ...(forStores && { forStores }) },
    handler,
    metrics,
    log: silentLog,
    now: () => 0,
    destination: { exchange: '', key: '' },
    start: () => true,
    finish: (job, outcome) => job.finish(outcome),
  });
  const outcomes = bodies.map(
    (body) =>
      new Promise((finish) => {
        const header = { type: contract.name, args: {} };
        queue.add({ header, body: Buffer.from(body), call, finish } as unknown as TestJob);
      }),
  );
  return Promise.all(outcomes);
}

const bodyOf = (bytes: number) => JSON.stringify({ text: 'x'.repeat(bytes - 11) });

test.each<[string, Handler | BatchHandler]>([
  ['one by one', () => Promise.resolve(reply)],
  ['as a batch', { batch: (items) => Promise.resolve(items.map(() => reply)) }],
])(
  'parses long bodies that are handled %s over several turns, each with its own outcome',
  async (_, handler) => {
    const bodies = [
      ...Array.from({ length: 8 }, () => bodyOf(100 * 1024)),
      bodyOf(1024 * 1024),
      '{"text":',
      '{}',
    ];
    const parsed = countParsed();
    const outcomes = await handle(handler, bodies);
    const longest = 1024 * 1024;
    expect(Math.max(...parsed())).toBeGreaterThanOrEqual(longest);
    expect(parsed().length).toBeGreaterThanOrEqual(5);
    expect(parsed().filter((bytes) => bytes > 256 * 1024 && bytes < longest)).toEqual([]);
    expect(outcomes.map((outcome) => Object.keys(outcome as object))).toEqual([
      ...Array.from({ length: 9 }, () => ['reply']),
      ['error'],
      ['reply'],
    ]);
  },
);

test('parses short bodies that arrive together in one turn', async () => {
  const parsed = countParsed();
  const batch: BatchHandler = { batch: (items) => Promise.resolve(items.map(() => reply)) };
  await handle(
    batch,
    Array.from({ length: 200 }, () => bodyOf(2_000)),
  );
  expect(parsed()).toEqual([400_000]);
});

test.each<[Contract['forStores'] | undefined, Partial<Call>, string]>([
  [undefined, {}, 'reply'],
  [undefined, { stores: ['1'] }, 'error'],
  ['confined', { stores: ['1'] }, 'reply'],
  ['unrelated', { stores: [] }, 'reply'],
])('answers a contract with forStores %j to a caller with %j by: %s', async (forStores, call, expected) => {
  const handler = jest.fn(() => Promise.resolve(reply));
  const [outcome] = await handle(handler, ['{}'], { ...(forStores && { forStores }), call });
  expect(Object.keys(outcome as object)).toEqual([expected]);
  expect(handler).toHaveBeenCalledTimes(expected === 'reply' ? 1 : 0);
  if (expected === 'error')
    expect(outcome).toMatchObject({ error: { status: 403, code: 'permission_denied' } });
});
