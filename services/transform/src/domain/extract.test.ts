import { ConversionError } from './faults/conversion-fault';
import { compileExtract } from './extract';

const lines = [
  'Date: 31/12/2026 Time: 10:11:12',
  'TOTAL  1.00',
  '=====',
  'Red shirt        2  10.00',
  '     2 @ 5.00',
  '     blue @ 1',
  'Socks               3.00',
  '-----',
  'Hat              1   9.99',
  'TOTAL 13.00',
];

test('extracts fields: groups by name, one group, several, none, the last match', () => {
  const { fields } = compileExtract({
    fields: {
      date: { line: '^Date: (\\S+) Time: (\\S+)', groups: ['d', 't'] },
      named: { line: '^Date: (?<day>\\d+)/(?<month>\\d+)' },
      both: { line: '^Date: (\\S+) Time: (\\S+)' },
      first: { line: '^TOTAL +(\\S+)' },
      last: { line: '^TOTAL +(\\S+)', last: true },
      whole: { line: '^=+$' },
      missing: { line: 'nowhere' },
    },
  }).extract(lines);
  expect(fields).toEqual({
    date: { d: '31/12/2026', t: '10:11:12' },
    named: { day: '31', month: '12' },
    both: ['31/12/2026', '10:11:12'],
    first: '1.00',
    last: '13.00',
    whole: '=====',
  });
});

test('extracts tables: rows between two lines, with continuations appended to the previous row', () => {
  const row = '^(?<name>.{1,16}?)\\s{2,}(?<qty>\\d+)?\\s+(?<amount>[\\d.]+)$';
  const { tables } = compileExtract({
    tables: {
      items: { from: '^=+$', to: '^-+$', row, continuation: '^\\s+(?<detail>.+@.+)$' },
      all: { row },
    },
  }).extract(lines);
  expect(tables['items']).toEqual([
    { name: 'Red shirt', qty: '2', amount: '10.00', detail: ['2 @ 5.00', 'blue @ 1'] },
    { name: 'Socks', amount: '3.00' },
  ]);
  expect(tables['all']?.map(({ name }) => name)).toEqual(['Red shirt', 'Socks', 'Hat']);
});

test('ends a table before the line that `to` matches, even if the line is like a row', () => {
  const { tables } = compileExtract({
    tables: { items: { to: '^TOTAL', row: '^(?<name>.+?)\\s{2,}(?<amount>[\\d.]+)$' } },
  }).extract(['Socks     3.00', 'TOTAL     3.00', 'CASH      5.00']);
  expect(tables['items']).toEqual([{ name: 'Socks', amount: '3.00' }]);
});

test('reports every pattern that does not compile', () => {
  const compile = () =>
    compileExtract({
      fields: { a: { line: '(' }, b: { line: '(x)', groups: ['one', 'two'] } },
      tables: { t: { row: 'no groups', from: '\\1' } },
    });
  expect(compile).toThrow(ConversionError);
  try {
    compile();
  } catch (error) {
    expect((error as ConversionError).faults.map(({ path }) => path)).toEqual([
      '/extract/fields/a/line',
      '/extract/fields/b/groups',
      '/extract/tables/t/row',
      '/extract/tables/t/from',
    ]);
    expect((error as ConversionError).faults[0]?.message).toBe(
      'is not a valid regular expression: missing closing ): `(`',
    );
  }
});

test('quickly evaluates a pattern that would otherwise backtrack exponentially', () => {
  const startedAt = performance.now();
  const { fields } = compileExtract({ fields: { x: { line: '^(a+)+$' } } }).extract([
    `${'a'.repeat(50_000)}!`,
  ]);
  expect(fields).toEqual({});
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});
