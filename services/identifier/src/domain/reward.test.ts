import { decimalOf } from '@receipts/kernel';
import type { Reward } from '@receipts/contracts';
import { programmeNamed, rewardChoice, thresholdsPassed } from './reward';
import { printRewards } from './rewards-csv';

const rule = (spend: number) => ({ rule: { spend, value: 5, name: 'n' } });

it.each([
  [0, 100, 0],
  [99.99, 100, 0],
  [100, 100, 1],
  [199.9999, 100, 1],
  [250, 100, 2],
  [-250, 100, 0],
  [0.3, 0.1, 3],
  [0.00009, 0.0001, 0],
  [1, 0.00001, 100_000],
])('a total of %d with a `spend` of %d reaches %d thresholds', (total, spend, times) =>
  expect(thresholdsPassed(decimalOf(total), rule(spend))).toBe(times),
);

it('accepts only plain digits as the number of a programme', () => {
  const programmes = [{ id: 1, name: 'one', ...rule(1) }];
  expect(programmeNamed(programmes, '1')?.name).toBe('one');
  for (const text of ['', '0', '2', '01', '1.0', '1e0', ' 1', 'x']) {
    expect(programmeNamed(programmes, text)).toBeUndefined();
  }
});

it('treats the consumer as one identifier, and shows a restricted caller the rewards of all its consumers', () => {
  const consumersOf = (consumer: string | undefined, confined: string[] | undefined) =>
    rewardChoice({ claimed: 'all', ...(consumer && { consumer }) }, confined).consumers;
  expect(consumersOf(undefined, undefined)).toBeUndefined();
  expect(consumersOf('a,b', undefined)).toEqual(['a,b']);
  expect(consumersOf(undefined, ['b'])).toEqual(['b']);
  expect(consumersOf('a,b', ['a', 'b'])).toEqual(['a', 'b']);
});

describe('CSV', () => {
  const reward: Reward = {
    id: 1,
    identifier: 'joe@example.com',
    name: '5 off',
    claimed: false,
    value: -2.5,
    timestamp: '2026-01-01T10:00:00.000+00:00',
    receipt_timestamp: '2026-01-01T09:00:00+00:00',
  };
  const head = 'id,identifier,name,claimed,value,timestamp,receipt_timestamp\r\n';

  it('has a header line and ends every line with CR LF', () => {
    expect(printRewards([])).toBe(head);
    expect(printRewards([reward])).toBe(
      `${head}1,joe@example.com,5 off,false,-2.5,2026-01-01T10:00:00.000+00:00,2026-01-01T09:00:00+00:00\r\n`,
    );
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['+33612345678', "'+33612345678"],
    ['-x', "'-x"],
    ['@x', "'@x"],
    ['\tx', "'\tx"],
    ['\rx', '"\'\rx"'],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['two\nlines', '"two\nlines"'],
    ['=HYPERLINK("x","y")', '"\'=HYPERLINK(""x"",""y"")"'],
  ])('writes %j as %j', (identifier, cell) => {
    expect(printRewards([{ ...reward, identifier }])).toContain(`\r\n1,${cell},5 off,`);
  });
});
