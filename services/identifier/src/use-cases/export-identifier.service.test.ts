import { identifierContracts } from '@receipts/contracts';
import { newId } from '@receipts/kernel';
import { storeRewards } from '../testing/rewards';
import { callOf, receiptEvent, refusalOf, startWorld, type World } from '../testing/world';

let world: World;
const retailer = `r-${newId()}`;

beforeAll(async () => {
  world = await startWorld();
  const rule = { spend: 10, value: 5, name: '5 off' };
  world.settings.set(retailer, { loyalty: [{ id: 1, name: 'Rewards', rule }] });
});
afterAll(() => world.close());

const exported = async (identifier: string, call = callOf(retailer), after?: string) => {
  const query = after === undefined ? {} : { after };
  const input = { params: { identifier }, query, headers: { accept: 'application/x-ndjson' as const } };
  const { body, meta } = await world.ask('exportIdentifier', input, call);
  const text = body as unknown as string;
  expect(meta.contentType).toBe('application/x-ndjson');
  return {
    meta,
    lines: text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line)),
  };
};

it('returns the identifier, its rewards and all of its receipts, one per line', async () => {
  const ids = Array.from({ length: 45 }, () => newId());
  world.receipts.push(...ids.map((id) => ({ id, retailer, identifier: 'jane' })));
  await world.deliver(receiptEvent(retailer, 1, { id: newId(), identifier: 'jane' }));
  const { lines, meta } = await exported('jane');
  expect(lines.slice(0, 2)).toMatchObject([
    { type: 'identifier', identifier: { identifier: 'jane', summary: { receipts: 1 } } },
    { type: 'reward', program_id: 1, reward: { name: '5 off' } },
  ]);
  expect(lines.slice(2).map(({ type, receipt }) => [type, receipt.id])).toEqual(
    ids.map((id) => ['receipt', id]),
  );
  expect(meta.next).toBeUndefined();
});

it('ends after a few megabytes and returns a cursor', async () => {
  // The ids alone exceed the maximum size of one reply.
  const ids = Array.from({ length: 100 }, (_, n) => `${n}-${'x'.repeat(100_000)}`);
  world.receipts.push(...ids.map((id) => ({ id, retailer, identifier: 'big/one' })));
  await world.deliver(receiptEvent(retailer, 1, { id: newId(), identifier: 'big/one' }));
  const seen: string[] = [];
  const pages: number[] = [];
  let after: string | undefined;
  do {
    const { lines, meta } = await exported(
      'big/one',
      callOf(retailer, { deadline: Date.now() + 30_000 }),
      after,
    );
    seen.push(...lines.filter(({ type }) => type === 'receipt').map(({ receipt }) => receipt.id));
    pages.push(lines.length);
    if (meta.next !== undefined) expect(meta.next).toMatch(/^\/identifiers\/big%2Fone\/export\?after=\d+$/);
    after = meta.next?.split('=')[1];
  } while (after !== undefined);
  expect(seen).toEqual(ids);
  expect(pages.length).toBeGreaterThan(1);
});

it('returns a large number of rewards in several parts', async () => {
  const count = 20_001;
  const identifier = 'jane';
  const other = `r-${newId()}`;
  await world.deliver(receiptEvent(other, 1, { id: newId(), identifier, total: 1 }));
  await storeRewards(world, other, identifier, count);
  const id = newId();
  world.receipts.push({ id, retailer: other, identifier });
  const lines = [];
  let after: string | undefined;
  do {
    const answer = await exported(identifier, callOf(other), after);
    lines.push(...answer.lines);
    after = answer.meta.next?.split('=')[1];
  } while (after !== undefined);
  expect(lines.filter(({ type }) => type === 'identifier')).toHaveLength(1);
  const ids = lines.filter(({ type }) => type === 'reward').map(({ reward }) => reward.id);
  expect([ids.length, new Set(ids).size]).toEqual([count, count]);
  expect(lines.at(-1)).toMatchObject({ type: 'receipt', receipt: { id } });
});

it('returns 404 for unknown identifiers, and for those that a restricted credential excludes', async () => {
  expect(await refusalOf(exported('never'))).toBe('404 identifier_not_found');
  const confined = callOf(retailer, { consumers: ['joe'] });
  expect(await refusalOf(exported('jane', confined))).toBe('404 identifier_not_found');
  expect(await refusalOf(exported('jane', callOf(`${retailer}-other`)))).toBe('404 identifier_not_found');
});

it('links to the next part in a header', () => {
  const { response: answer } = identifierContracts.exportIdentifier;
  const headers = answer?.({ contentType: '', next: '/next' }).headers;
  expect(headers).toMatchObject({ link: '</next>; rel="next"' });
});
