import fc from 'fast-check';
import type { Document } from 'bson';
import type { BsonValue } from '../bson/value';
import { parseSort, sortKey } from '../query/sort';
import { doc } from '../testing/documents';
import { BareCollection, startBareEngine, type BareEngine } from '../testing/collection';

/** Every plan of a query must return the same results as a scan of the whole collection. */

/** Set EMBEDDED_MONGO_RUNS=200 for more runs. */
const runs = Number(process.env.EMBEDDED_MONGO_RUNS ?? 10);
const cannotIndexParallelArrays = 171;

const indexes: Document[] = [
  { key: { a: 1 }, name: 'a' },
  { key: { b: -1, a: 1 }, name: 'b_a' },
  { key: { a: 1, b: 1, c: -1 }, name: 'a_b_c' },
  { key: { l: 1, a: -1 }, name: 'l_a' },
  { key: { a: 1, l: 1, b: 1 }, name: 'a_l_b' },
  { key: { 'd.x': 1, b: 1 }, name: 'dx_b' },
  { key: { c: 1 }, name: 'c_sparse', sparse: true },
  { key: { b: 1, c: 1 }, name: 'b_c_partial', partialFilterExpression: { a: { $gt: 1 } } },
  { key: { n: 1 }, name: 'n_unique', unique: true },
  { key: { r: 1, a: -1 }, name: 'r_a' },
];

/** Indexes that contain every document, so that a hint may force any query to use them. */
const hints = ['a', 'b_a', 'a_b_c', 'l_a', 'a_l_b', 'dx_b', 'r_a'];

const scalar = fc.constantFrom<unknown>(
  null,
  0,
  1,
  2,
  2.5,
  3,
  -1,
  'a',
  'ab',
  'abc',
  'b',
  '',
  true,
  new Date(5),
  NaN,
);
const small = fc.oneof(scalar, fc.integer({ min: 0, max: 4 }));
const maybeArray = fc.oneof(
  small,
  fc.array(small, { maxLength: 3 }),
  fc.constant([[1]]),
  fc.array(fc.array(small, { maxLength: 2 }), { maxLength: 2 }),
  fc.constant({ x: 1 }),
);
const smalls = fc.array(small, { maxLength: 3 });
const leaf = fc.oneof({ weight: 3, arbitrary: small }, { weight: 1, arbitrary: smalls });
const part = fc.record({ x: leaf, y: small }, { requiredKeys: [] });
const deep = fc.oneof(
  small,
  part,
  fc.array(fc.oneof(small, part, fc.array(part, { maxLength: 2 }), smalls), { maxLength: 3 }),
);

/** Always an array, unlike `l`. */
const array = fc.array(fc.oneof({ weight: 4, arbitrary: small }, smalls), { maxLength: 4 });

const documents = fc.array(
  fc.record({ a: small, b: small, c: small, l: maybeArray, d: deep, r: array }, { requiredKeys: [] }),
  { minLength: 25, maxLength: 40 },
);

const comparable = fc.constantFrom<unknown>(0, 1, 2, 2.5, 3, 'a', 'ab', 'b', true, new Date(5), null, NaN);
const range = fc.record({ $gte: comparable, $lt: comparable });
const test_ = (): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 4, arbitrary: small },
    fc.record({ $gt: comparable }),
    fc.record({ $gte: comparable }),
    fc.record({ $lt: comparable }),
    fc.record({ $lte: comparable }),
    range,
    { weight: 3, arbitrary: fc.record({ $in: fc.array(small, { maxLength: 4 }) }) },
    fc.record({ $ne: small }),
    fc.record({ $in: fc.array(fc.oneof(small, fc.constantFrom(/^a/, /^ab/, /b/)), { maxLength: 4 }) }),
    fc.record({ $nin: fc.array(small, { maxLength: 2 }) }),
    fc.record({ $exists: fc.boolean() }),
    fc.record({ $all: fc.array(small, { minLength: 1, maxLength: 2 }) }),
    fc.record({ $elemMatch: range }),
    fc.record({ $elemMatch: fc.record({ $elemMatch: range }) }),
    fc.record({ $elemMatch: fc.record({ $in: smalls }) }),
    fc.constantFrom({ $regex: '^a' }, { $regex: '^ab' }, { $regex: '^ab?' }, { $regex: 'b' }),
    fc.constantFrom<unknown>([1], [], { x: 1 }),
  );

const condition = fc.oneof(
  ...['a', 'b', 'c', 'l', 'r', 'd.x', 'd.y', 'n', 'd', 'l.0'].map((path) =>
    test_().map((t) => ({ [path]: t })),
  ),
);

const conjunction = fc.array(condition, { minLength: 1, maxLength: 3 }).map((list) => ({ $and: list }));
const filter: fc.Arbitrary<Document> = fc.oneof(
  { weight: 3, arbitrary: conjunction },
  { weight: 2, arbitrary: condition },
  fc
    .tuple(condition, fc.array(conjunction, { minLength: 1, maxLength: 3 }))
    .map(([c, or]) => ({ ...c, $or: or })),
  fc.array(condition, { minLength: 1, maxLength: 3 }).map((or) => ({ $or: or })),
  fc.array(condition, { minLength: 1, maxLength: 2 }).map((nor) => ({ $nor: nor })),
);

const direction = fc.constantFrom<1 | -1>(1, -1);
const sort: fc.Arbitrary<Document> = fc.oneof(
  fc.tuple(fc.constantFrom('a', 'b', 'l', 'd.x', 'n'), direction).map(([f, d]) => ({ [f]: d })),
  fc
    .tuple(fc.constantFrom('a', 'b'), direction, fc.constantFrom('a', 'b', 'c', 'n', 'l'), direction)
    .map(([f, d, g, e]) => ({ [f]: d, [g]: e })),
);

describe('plans', () => {
  let bare: BareEngine;

  beforeAll(async () => {
    bare = await startBareEngine();
  });
  afterAll(() => bare.stop());

  async function filled(docs: Document[]): Promise<BareCollection> {
    const c = new BareCollection(bare.engine);
    await c.createIndexes(indexes.slice(0, 5));
    await c.insert(docs.map((d, i) => ({ ...d, _id: i, n: i })));
    await c.createIndexes(indexes.slice(5));
    return c;
  }

  const ascending = (ids: number[]): number[] => ids.sort((x, y) => x - y);

  test('finds the same documents with the planner and every hint as with a collection scan', async () => {
    const queries = fc.array(filter, { minLength: 40, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(documents, queries, async (docs, filters) => {
        const c = await filled(docs);
        for (const f of filters) {
          const all = c.scannedIds(c.query(f));
          for (const hint of [undefined, ...hints]) {
            const q = c.query(f, hint === undefined ? {} : { hint });
            expect(ascending(c.ids(q))).toEqual(all);
            expect(await c.count(q)).toBe(all.length);
          }
        }
      }),
      { numRuns: runs },
    );
  });

  test('returns the same order with an index as with a sort of all documents, with and without skip and limit', async () => {
    const queries = fc.array(fc.tuple(filter, sort), { minLength: 40, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(documents, queries, async (docs, list) => {
        const c = await filled(docs);
        for (const [f, s] of list) {
          const parsed = parseSort(doc(s))!;
          const keysOf = (found: BsonValue[]): string[] =>
            found.map((d) => sortKey(parsed, d).toString('hex'));
          const keys = (options: object): string[] => keysOf(c.find(c.query(f, { sort: s, ...options })));
          const expected = keysOf(c.scan(c.query(f, { sort: s })));
          expect(expected).toEqual([...expected].sort());
          for (const hint of [undefined, ...hints]) {
            const hinted = hint === undefined ? {} : { hint };
            expect(keys(hinted)).toEqual(expected);
            expect(keys({ ...hinted, skip: 1, limit: 3 })).toEqual(expected.slice(1, 4));
          }
        }
      }),
      { numRuns: runs },
    );
  });

  test('keeps indexes up to date after updates and deletes', async () => {
    const change = fc.tuple(fc.nat(24), fc.constantFrom('a', 'b', 'c', 'l', 'd'), fc.option(maybeArray));
    await fc.assert(
      fc.asyncProperty(
        documents,
        fc.array(change, { maxLength: 30 }),
        fc.array(fc.nat(24), { maxLength: 6 }),
        fc.array(filter, { minLength: 15, maxLength: 15 }),
        async (docs, changes, removals, filters) => {
          const c = await filled(docs);
          for (const [_id, field, value] of changes) {
            const update = value === null ? { $unset: { [field]: 1 } } : { $set: { [field]: value } };
            await c.update({ _id }, update).catch((e: { code?: number }) => {
              if (e.code !== cannotIndexParallelArrays) throw e;
            });
          }
          await c.remove({ _id: { $in: removals } });
          for (const f of filters) {
            const all = c.scannedIds(c.query(f));
            for (const hint of [undefined, ...hints]) {
              expect(ascending(c.ids(c.query(f, hint === undefined ? {} : { hint })))).toEqual(all);
            }
          }
        },
      ),
      { numRuns: runs },
    );
  });
});
