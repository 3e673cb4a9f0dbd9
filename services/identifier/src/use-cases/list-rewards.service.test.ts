import { loyaltyContracts } from '@receipts/contracts';
import { newId } from '@receipts/kernel';
import { storeRewards } from '../testing/rewards';
import { callOf, startWorld, type World } from '../testing/world';

let world: World;
const retailer = `r-${newId()}`;
const count = 20_001;

beforeAll(async () => {
  world = await startWorld();
  const rule = { spend: 10, value: 5, name: '5 off' };
  world.settings.set(retailer, { loyalty: [{ id: 1, name: 'Rewards', rule }] });
  await storeRewards(world, retailer, 'ann,joe', count);
});
afterAll(() => world.close());

/** A reply of one of the two contracts. */
interface Part {
  readonly body: unknown;
  readonly meta: unknown;
}

const newestFirst = Array.from({ length: count }, (_, n) => count - n);

async function allParts(query: object): Promise<number[]> {
  const ids: number[] = [];
  let more: object | undefined = {};
  do {
    const input = { params: { program_id: '1' }, query: { claimed: 'all' as const, ...query, ...more } };
    const { body, meta }: Part = await world.ask('listRewards', input, callOf(retailer));
    ids.push(...(body as { id: number }[]).map(({ id }) => id));
    more = loyaltyContracts.listRewards.nextPart?.(meta) as object | undefined;
  } while (more);
  return ids;
}

it.each([{}, { consumer: 'ann,joe' }, { from_timestamp: 0, to_timestamp: Date.now() }])(
  'returns all rewards in parts, newest first: %j',
  async (query) => expect(await allParts(query)).toEqual(newestFirst),
);

it('writes one header for all parts of the CSV', async () => {
  let lines = '';
  let more: object | undefined = {};
  do {
    const query = { claimed: 'all' as const, ...more };
    const input = { params: { program_id: '1' }, query, headers: { accept: 'text/csv' as const } };
    const { body, meta }: Part = await world.ask('exportRewards', input, callOf(retailer));
    lines += body as string;
    more = loyaltyContracts.exportRewards.nextPart?.(meta) as object | undefined;
  } while (more);
  const [header, ...rows] = lines.split('\r\n').slice(0, -1);
  expect(header).toMatch(/^id,/);
  expect(rows.map((row) => Number(row.split(',', 1)[0]))).toEqual(newestFirst);
});
