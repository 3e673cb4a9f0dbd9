import { newId } from '@receipts/kernel';
import { Collection, type FindCursor } from 'mongodb';
import { callOf, refusalOf, startWorld, type World } from '../testing/world';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

async function retailerWith(names: readonly string[], stepMs = 1): Promise<string> {
  const retailer = `r-${newId()}`;
  for (const identifier of names) {
    world.now = new Date(world.now.getTime() + stepMs);
    await world.ask('createIdentifier', { body: { identifier } }, callOf(retailer));
  }
  return retailer;
}

async function pagesOf(retailer: string, count: number, consumers?: string[]): Promise<string[][]> {
  const pages: string[][] = [];
  let older: string | undefined;
  do {
    const query = { count, ...(older !== undefined && { older }) };
    const call = callOf(retailer, { ...(consumers && { consumers }) });
    const { body } = await world.ask('listIdentifiers', { query }, call);
    pages.push(body.identifiers.map(({ identifier }) => identifier));
    const link = body._links.next?.href;
    older = link === undefined ? undefined : (new URL(link, 'http://base').searchParams.get('older') ?? '');
  } while (older !== undefined);
  return pages;
}

it('pages newest first, with every identifier once', async () => {
  const retailer = await retailerWith(['a', 'b', 'c', 'd', 'e']);
  expect(await pagesOf(retailer, 2)).toEqual([['e', 'd'], ['c', 'b'], ['a']]);
});

it('also lists identifiers with the same timestamp once', async () => {
  const names = Array.from({ length: 9 }, (_, n) => `c${n}`);
  const retailer = await retailerWith(names, 0);
  expect((await pagesOf(retailer, 2)).flat().sort()).toEqual(names);
});

it('shows a restricted credential only its consumers', async () => {
  const retailer = await retailerWith(['a', 'b', 'c']);
  expect(await pagesOf(retailer, 1, ['c', 'a', 'x'])).toEqual([['c'], ['a']]);
  const hidden = world.ask(
    'getIdentifier',
    { params: { identifier: 'b' } },
    callOf(retailer, { consumers: ['a'] }),
  );
  expect(await refusalOf(hidden)).toBe('404 identifier_not_found');
});

it('rejects an unknown cursor', async () => {
  const answer = world.ask('listIdentifiers', { query: { older: 'x' } }, callOf('demo'));
  expect(await refusalOf(answer)).toBe('400 unknown_cursor /older');
});

it.each([undefined, ['c1', 'c2', 'c3']])(
  'reads no more index keys than necessary (consumers %j)',
  async (consumers) => {
    const retailer = await retailerWith(Array.from({ length: 60 }, (_, n) => `c${n}`));
    const { body } = await world.ask('listIdentifiers', { query: { count: 50 } }, callOf(retailer));
    const older = new URL(body._links.next?.href ?? '', 'http://base').searchParams.get('older') ?? '';

    const cursors: FindCursor[] = [];
    const find = Collection.prototype.find;
    const spy = jest.spyOn(Collection.prototype, 'find').mockImplementation(function (
      this: Collection,
      ...args: unknown[]
    ) {
      const cursor = find.apply(this, args as never) as FindCursor;
      if (this.collectionName === 'identifiers') cursors.push(cursor);
      return cursor;
    } as never);
    const call = callOf(retailer, { ...(consumers && { consumers }) });
    await world.ask('listIdentifiers', { query: { count: 5, older } }, call);
    spy.mockRestore();

    const [cursor] = cursors as unknown as [{ findOptions: { signal?: unknown }; cursorFilter: object }];
    const { signal: _signal, ...options } = cursor.findOptions;
    const { executionStats } = (await world.database.db
      .collection('identifiers')
      .find(cursor.cursorFilter, options)
      .explain('executionStats')) as { executionStats: { totalKeysExamined: number } };
    expect(executionStats.totalKeysExamined).toBeLessThanOrEqual(8);
  },
);
