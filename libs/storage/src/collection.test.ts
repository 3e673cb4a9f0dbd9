import { silentLog } from '@receipts/testing';
import type { Db } from 'mongodb';
import { openCollection } from './collection';

test.each([[undefined], ['majority'], [2]] as const)(
  'creates indexes with the commit quorum %s',
  async (commitQuorum) => {
    const createIndexes = jest.fn((..._args: unknown[]) => Promise.resolve([]));
    const collection = { listIndexes: () => ({ toArray: () => Promise.resolve([]) }), createIndexes };
    const db = { collection: () => collection } as unknown as Db;
    const things = { name: 'things', indexes: [{ name: 'by_number', key: { number: 1 } }] } as const;
    await openCollection(db, things, { log: silentLog, commitQuorum });
    const [, options] = createIndexes.mock.calls[0] ?? [];
    expect((options as { commitQuorum?: unknown }).commitQuorum).toBe(commitQuorum);
  },
);
