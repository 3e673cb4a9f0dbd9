import { countByTurn } from '@receipts/testing';
import { z } from 'zod';
import { partNodesMax } from './collect-errors';
import { check, checkInTurns, faultsOf, parseBounded } from './validate';
import { ServiceError } from './errors';

let seen = 0;
const element = z.preprocess((value) => {
  seen++;
  return value;
}, z.number());
const schema = z.strictObject({
  list: z.array(element).min(1),
  other: z.array(z.number()).min(1).optional(),
});

const wrong = (count: number) => new Array<string>(count).fill('x');
const right = (count: number) => new Array<number>(count).fill(1);
const pathsOf = (value: unknown): string[] => {
  const result = parseBounded(schema, value);
  return result.success ? [] : faultsOf(result.error).map(({ path }) => path);
};

beforeEach(() => {
  seen = 0;
});

test('checks a valid value once, regardless of its size', () => {
  expect(parseBounded(schema, { list: right(30_000) })).toMatchObject({ success: true });
  expect(seen).toBe(30_000);
});

test('reports all faults of a value of ordinary size', () => {
  expect(pathsOf({ list: [1, 'x', 2, 'y'], other: [], more: 1 })).toEqual([
    '/list/1',
    '/list/3',
    '/other',
    '/more',
  ]);
});

test('checks only a part of a large number of faults', () => {
  expect(pathsOf({ list: wrong(100_000) })).toHaveLength(1000);
  expect(seen).toBeLessThan(25_000);
});

test('does not report unchecked members as missing', () => {
  expect(pathsOf({ list: [...right(30_000), 'x'], other: [1] })).toEqual(['/list/30000']);
  expect(pathsOf({ list: ['x', ...right(30_000)], other: [1] })).toEqual(['/list/0']);
});

test('converts a rejected value to the interface’s error', () => {
  const refuse = () => check(schema, { list: [] });
  expect(refuse).toThrow(ServiceError);
  expect(refuse).toThrow(expect.objectContaining({ status: 422, code: 'schema_validation_failed' }));
});

test('checks at most one part of concurrent large invalid values per turn', async () => {
  const looked = countByTurn();
  const item = z.unknown().refine(() => {
    looked.add(1);
    return false;
  });
  const schema = z.strictObject({ list: z.array(item) });
  const checks = Array.from({ length: 8 }, () => checkInTurns(schema, { list: new Array(5_000).fill(1) }));
  const outcomes = await Promise.allSettled(checks);
  expect(outcomes.map(({ status }) => status)).toEqual(new Array(8).fill('rejected'));
  const most = Math.max(...looked.sums());
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(2 * partNodesMax);
});
