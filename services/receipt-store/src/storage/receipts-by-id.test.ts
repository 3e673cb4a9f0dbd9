import { BSON, type Collection } from 'mongodb';
import type { StoredReceipt } from './receipt-document';
import { ReceiptsById } from './receipts-by-id';

interface Query {
  readonly retailer: string;
  readonly ids: readonly string[];
}

/** A collection that contains every receipt whose id does not begin with "no", and counts the queries. */
function fakeCollection(fails?: Error) {
  const asked: Query[] = [];
  const find = ({ retailer, _id }: { retailer: string; _id: string | { $in: string[] } }) => ({
    toArray: async () => {
      const ids = typeof _id === 'string' ? [_id] : _id.$in;
      asked.push({ retailer, ids });
      if (fails) throw fails;
      const found = ids.filter((id) => !id.startsWith('no'));
      return found.map((id) => BSON.serialize({ _id: id, text: `${retailer} ${id}` }));
    },
  });
  return { asked, byId: new ReceiptsById({ find } as unknown as Collection<StoredReceipt>) };
}

const timeLimit = { deadline: Date.now() + 600_000 };

test('combines the reads of one turn into one command per retailer, and returns its own result to each caller', async () => {
  const { asked, byId } = fakeCollection();
  const wanted = [
    ['a', '1'],
    ['a', 'none'],
    ['b', '1'],
    ['a', '2'],
    ['a', '1'],
  ] as const;
  const found = await Promise.all(wanted.map(([retailer, id]) => byId.find(retailer, id, timeLimit)));
  expect(found.map((receipt) => receipt && 'text' in receipt && receipt.text.toString())).toEqual([
    'a 1',
    undefined,
    'b 1',
    'a 2',
    'a 1',
  ]);
  expect(asked).toEqual([
    { retailer: 'a', ids: ['1', 'none', '2'] },
    { retailer: 'b', ids: ['1'] },
  ]);
  await byId.find('a', '3', timeLimit);
  expect(asked.at(-1)).toEqual({ retailer: 'a', ids: ['3'] });
});

test('reads at most 64 receipts with one command', async () => {
  const { asked, byId } = fakeCollection();
  await Promise.all(Array.from({ length: 130 }, (_, n) => byId.find('a', String(n), timeLimit)));
  expect(asked.map(({ ids }) => ids.length)).toEqual([64, 64, 2]);
});

test('fails for all callers of a failed command, and starts afresh with the next command', async () => {
  const { asked, byId } = fakeCollection(new Error('broken'));
  const outcomes = await Promise.allSettled(['1', '2'].map((id) => byId.find('a', id, timeLimit)));
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(byId.find('a', '3', timeLimit)).rejects.toThrow('broken');
  expect(asked).toHaveLength(2);
});
