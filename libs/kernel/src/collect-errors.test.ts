import { z } from 'zod';
import { collectErrors, faultsMax, partNodesMax, withInputs, type Issue } from './collect-errors';

let looked = 0;
const counted = z.unknown().refine((value) => {
  looked++;
  return typeof value === 'number';
});
const item = z.strictObject({ a: counted, b: counted, tags: z.array(counted).optional() });
const schema = z.strictObject({
  first: z.array(item).min(1).optional(),
  second: z.array(z.number()).max(3).optional(),
  third: z.number().optional(),
});

/** All reported issues, and the largest number of values checked between two turns. */
function run(value: unknown) {
  const steps = collectErrors(schema, value);
  let most = 0;
  for (let turns = 1; ; turns++) {
    looked = 0;
    const { done, value: result } = steps.next();
    most = Math.max(most, looked);
    if (done) return { turns, most, issues: result.error?.issues ?? ([] as Issue[]) };
  }
}
const pathsOf = (issues: readonly Issue[]) => issues.map(({ path }) => path.join('.'));
const items = (count: number, one: object = { a: 1, b: 1 }) => Array.from({ length: count }, () => one);

test('checks a value of ordinary size as a whole, and reports its faults in schema order', () => {
  const value = { first: [...items(99), { a: 'x', c: 1 }], second: [1, 2, 3, 'x'], third: 'x', fourth: 1 };
  const { turns, issues } = run(value);
  expect(turns).toBe(1);
  expect(issues).toEqual(schema.safeParse(value, withInputs).error?.issues);
});

test.each([
  ['faulty items', items(5_000, { a: 'x', b: 'x' })],
  ['items without members', items(20_000, {})],
  ['items with one fault at the end', [...items(4_999), { a: 'x', b: 1 }]],
  [
    'an item with a large number of elements',
    [{ a: 1, b: 1, tags: [...new Array<number>(19_000).fill(1), 'x'] }],
  ],
])('checks %s in parts', (_, first) => {
  const { most, issues } = run({ first });
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(2 * partNodesMax);
  expect(issues.length).toBeGreaterThan(0);
  expect(issues.length).toBeLessThanOrEqual(faultsMax);
});

test('reports faults with their full path, regardless of the part that contains them', () => {
  const first = [...items(4_998), { a: 1, b: 1, tags: [1, 'x'] }, { a: 'x', b: 1, c: 1 }];
  expect(pathsOf(run({ first, third: 'x' }).issues).sort()).toEqual([
    'first.4998.tags.1',
    'first.4999',
    'first.4999.a',
    'third',
  ]);
  const tags = [...new Array<number>(5_000).fill(1), 'x'];
  expect(pathsOf(run({ first: [...items(2), { a: 1, b: 1, tags }] }).issues)).toEqual(['first.2.tags.5000']);
});

test('checks only as many unknown members as it reports, but all known members', () => {
  const others = Object.fromEntries(Array.from({ length: 19_000 }, (_, n) => [`k${n}`, 1]));
  const { issues } = run({ ...others, ['__proto__']: 1, third: 'x' });
  expect(pathsOf(issues)).toEqual(['third', '']);
  expect((issues[1] as { keys: string[] }).keys).toHaveLength(faultsMax);
  expect(run({ ...others, first: items(1) }).issues.map(({ code }) => code)).toEqual(['unrecognized_keys']);
});

test('accepts a valid value of any size', () => {
  expect(run({ first: items(5_000) }).issues).toEqual([]);
  expect(run({}).issues).toEqual([]);
});
