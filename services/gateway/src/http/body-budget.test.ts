import { ServiceError } from '@receipts/kernel';
import { BodyBudget, bodyBudgetLimits } from './request-limits';

const MiB = 1024 * 1024;
const status = (act: () => unknown) => {
  try {
    act();
    return 'taken';
  } catch (error) {
    return error instanceof ServiceError ? error.status : error;
  }
};
let budget: BodyBudget;
beforeEach(() => {
  budget = new BodyBudget(bodyBudgetLimits);
});

test('limits a caller to its share, and lets it continue once it has released some memory', () => {
  const first = budget.reserve('a', 10 * MiB);
  budget.reserve('a', 10 * MiB);
  expect(status(() => budget.reserve('a', 1))).toBe(429);
  first.release();
  expect(status(() => budget.reserve('a', 10 * MiB))).toBe('taken');
});

test('limits all callers together to the budget, with a reserve for small bodies', () => {
  for (const caller of ['a', 'b', 'c']) budget.reserve(caller, 10 * MiB);
  expect(status(() => budget.reserve('d', 10 * MiB))).toBe(503);
  expect(status(() => budget.reserve('d', 2_000))).toBe('taken');
  for (let n = 0; n < 155; n++) budget.reserve(`e${n}`, 64 * 1024);
  expect(status(() => budget.reserve('f', 64 * 1024))).toBe('taken');
  for (let n = 0; n < 10; n++) status(() => budget.reserve(`g${n}`, 64 * 1024));
  expect(status(() => budget.reserve('h', 64 * 1024))).toBe(503);
});

test('reserves memory for a body without a declared length as the body arrives', () => {
  const body = budget.reserve('a', 0);
  body.grow(15 * MiB);
  expect(status(() => body.grow(6 * MiB))).toBe(429);
  expect(budget.taken).toBe(15 * MiB);
  body.release();
  expect(budget.taken).toBe(0);
});

test('reserves nothing more after the release', () => {
  const body = budget.reserve('a', 1_000);
  body.release();
  body.grow(1_000);
  expect(budget.taken).toBe(0);
});

test('allows a single body of the maximum size', () => {
  const small = new BodyBudget({ bytesMax: 4 * MiB, callerBytesMax: 2 * MiB });
  expect(status(() => small.reserve('a', 10 * MiB))).toBe('taken');
});
