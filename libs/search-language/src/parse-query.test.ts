import { ServiceError } from '@receipts/kernel';
import { bindQuery } from './bind-query';
import type { BindOptions } from './bind-query';
import { identifierFields, parseQuery, receiptFields } from './index';

/** Parses and binds a query, as compilation and evaluation do. */
const understand = (text: string, options: BindOptions = {}) =>
  bindQuery(parseQuery(text), receiptFields(), options);

function faultOf(text: string, options: BindOptions = {}): string {
  try {
    understand(text, options);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    expect(error.toWire()).toMatchObject({ status: 400, code: 'invalid_query' });
    return error.description.replace(/^invalid query: /, '');
  }
  return 'none';
}

describe('rejected queries', () => {
  test.each([
    ['', 'a field (path:value) is expected'],
    ['   ', 'a field (path:value) is expected'],
    ['foo', 'a field (path:value) is expected'],
    ['"foo bar"', 'a field (path:value) is expected'],
    ['*:*', 'a field (path:value) is expected'],
    ['*x', 'a field (path:value) is expected'],
    ['((a+)+)$', 'a field (path:value) is expected'],
    ['(total:10)', 'a field (path:value) is expected'],
    ['total :10', 'a field (path:value) is expected'],
    ['.total:10', 'a field (path:value) is expected'],
    ['items..name:a', 'a field (path:value) is expected'],
    ['items.:a', 'a field (path:value) is expected'],
    ['total:10 foo', 'a field (path:value) is expected'],
    ['total:', 'a value is expected after total: at character 7'],
    ['total: 10', 'a value is expected after total: at character 7'],
    ['foo:bar', 'foo is not a valid field'],
    ['items.foo:bar', 'items.foo is not a valid field'],
    ['Total:1', 'Total is not a valid field'],
    ['constructor:*', 'constructor is not a valid field'],
    ['__proto__:*', '__proto__ is not a valid field'],
    ['items.name\\:de:rot', 'items.name:de is not a valid field'],
    ['dynamic.colour:red', 'dynamic.colour is not a valid field'],
    ['total:abc', 'total expects a number'],
    ['total:10,5', 'total expects a number'],
    ['total:0x10', 'total expects a number'],
    ['total:1e999', 'total expects a number'],
    ['total:Infinity', 'total expects a number'],
    ['total:[a TO 5]', 'total expects a number'],
    ['total:>abc', 'total expects a number'],
    ['total:>', 'total expects a number'],
    ['total:""', 'total expects a number'],
    ['total:1*', 'total does not support wildcards (*) at character 7'],
    ['total:1~', 'total does not support similar words (~) at character 7'],
    ['total:"1"~', 'total does not support similar words (~) at character 7'],
    ['items.quantity:0.5', 'items.quantity expects an integer'],
    ['items.quantity:[0.5 TO 3]', 'items.quantity expects an integer'],
    ['timestamp:yesterday', 'timestamp expects a date'],
    ['timestamp:2024-02-30', 'timestamp expects a date'],
    ['timestamp:2024-13', 'timestamp expects a date'],
    ['timestamp:2024-01-01T25', 'timestamp expects a date'],
    ['timestamp:2024-01-01+01:00', 'timestamp expects a date'],
    ['timestamp:24-01-01', 'timestamp expects a date'],
    ['payments:cash', 'payments only supports existence tests'],
    ['payments:"*"', 'payments only supports existence tests'],
    ['items.return:[1 TO 2]', 'items.return only supports existence tests'],
    ['payments.method:[a TO b]', 'payments.method does not support ranges at character 17'],
    ['payments.method:>a', 'payments.method does not support ranges at character 17'],
    ['payments.method:card~', 'payments.method does not support similar words (~) at character 17'],
    ['items.name:[a TO b]', 'items.name does not support ranges at character 12'],
    ['items.name:re^d', 'boosts (^) are not supported at character 14'],
    ['items.name:red^2', 'boosts (^) are not supported at character 15'],
    ['items.name:r?d', 'the wildcard ? is not supported at character 13'],
    ['items.name:r*d', '* is allowed only alone or at the end of a word at character 13'],
    ['items.name:*red', '* is allowed only alone or at the end of a word at character 12'],
    ['items.name:**', '* is allowed only alone or at the end of a word at character 12'],
    ['items.name:/r.d/', 'regular expressions are not supported at character 12'],
    ['items.name:red~3', '~ supports only 0, 1 or 2 after a word at character 15'],
    ['items.name:red~0.5', '. is not expected at character 17'],
    ['items.name:"red', 'the quotation is not closed at character 12'],
    ['items.name:"red"x', 'x is not expected at character 17'],
    ['items.name:"red"*', '* is allowed only alone or at the end of a word at character 17'],
    ['items.name:"red shirt"~31', 'items.name supports a distance of at most 30 at character 12'],
    ['items.name:"red red"~1', 'items.name does not support the same word twice with ~ at character 12'],
    ['items.name:"1 2 3 4 5 6 7 8 9"~1', 'items.name supports at most 8 words with ~ at character 12'],
    ['items.name:1-2-3-4-5-6-7-8-9~', 'items.name supports at most 8 words with ~ at character 12'],
    ['items.name:a\\', 'a character is expected after \\ at character 13'],
    ['items.name:(red', 'the group is not closed at character 12'],
    ['items.name:(', 'the group is not closed at character 13'],
    ['items.name:()', 'a condition is expected at character 13'],
    ['items.name:(red))', ') is not expected at character 17'],
    ['items.name:(red)(blue)', '( is not expected at character 17'],
    ['items.name:(red"blue")', '" is not expected at character 16'],
    ['items.name:(a:b)', ': is allowed in a group only quoted or after \\ at character 14'],
    ['items.name:(+ red)', 'a condition is expected right after + at character 13'],
    ['items.name:(red AND)', 'a condition is expected after AND at character 17'],
    ['items.name:(AND red)', 'a condition is expected before AND at character 13'],
    ['items.name:(((((a)))))', 'groups are nested too deeply at character 16'],
    ['+ total:10', 'a condition is expected right after + at character 1'],
    ['total:10 AND', 'a condition is expected after AND at character 10'],
    ['OR total:10', 'a condition is expected before OR at character 1'],
    ['total:10 NOT', 'a condition is expected after NOT at character 10'],
    ['total:10 AND OR total:11', 'a field (path:value) is expected'],
    ['total:[* TO', 'the range is not closed at character 7'],
    ['total:[* TO 5', 'the range is not closed at character 7'],
    ['total:[*', 'the range is not closed at character 7'],
    ['total:[', 'the range is not closed at character 7'],
    ['total:[1 to 5]', 'TO is expected in the range at character 10'],
    ['total:[1]', 'TO is expected in the range at character 9'],
    ['total:["1"TO 5]', 'TO is expected in the range at character 11'],
    ['total:[]', 'a bound of the range is expected at character 8'],
    ['total:[1 TO 5 6]', '] or } is expected at character 15'],
    ['total:1 a:\0', 'the character U+0000 is not allowed at character 11'],
    ['items.name:😀"', '" is not expected at character 13'],
  ])('%s: %s', (text, description) => {
    expect(faultOf(text)).toBe(description);
  });

  test('include conditions on the identifier if the caller is restricted to a consumer', () => {
    const confined = { hasConsumer: true };
    const description = 'identifier can not be used together with consumer';
    expect(faultOf('identifier:1001', confined)).toBe(description);
    expect(faultOf('-identifier.exact:1001', confined)).toBe(description);
    expect(faultOf('total:10', confined)).toBe('none');
  });

  test('the limits', () => {
    const conditions = (count: number) => Array.from({ length: count }, () => 'total:1').join(' ');
    expect(faultOf(conditions(64))).toBe('none');
    expect(faultOf(conditions(65))).toBe('there are more than 64 conditions at character 519');
    expect(faultOf(`total:(${'1 '.repeat(65)})`)).toMatch('there are more than 64 conditions');
    expect(faultOf(`items.name:${'a'.repeat(4085)}`)).toBe('none');
    expect(faultOf(`items.name:${'ä'.repeat(2043)}`)).toBe('it is longer than 4096 bytes');
    expect(faultOf('items.name:((((a))))')).toBe('none');
    expect(faultOf(`items.name:${'a'.repeat(161)}*`)).toMatch('at most 160 characters');
    expect(faultOf(`payments.method:${'a'.repeat(161)}*`)).toMatch('at most 160 characters');
  });

  test('are rejected quickly, even if they are hostile', () => {
    const hostile = [
      '('.repeat(10_000),
      `items.name:${'('.repeat(4_000)}`,
      'total:1 '.repeat(5_000),
      'a:b '.repeat(1_000),
      `items.name:(${'shirt~ '.repeat(500)})`,
      `items.name:${'a'.repeat(4_000)}^`,
      `total:${'1'.repeat(4_000)}x`,
      `total:${'1'.repeat(2_000)}e`,
      `timestamp:${'2024-'.repeat(800)}`,
      `items.name:"${'\\"'.repeat(2_000)}`,
      '\\'.repeat(4_001),
      'a'.repeat(4_096),
      'a.'.repeat(2_000),
    ];
    const timeOf = (text: string) => {
      const before = performance.now();
      expect(faultOf(text)).not.toBe('none');
      return performance.now() - before;
    };
    // The minimum of two measurements, because the machine may be busy.
    for (const text of hostile) expect(Math.min(timeOf(text), timeOf(text))).toBeLessThan(5_000);
  });
});

describe('the tree', () => {
  const words = (text: string) => {
    const node = understand(text).members[0]!.node;
    return node.kind === 'condition' ? node.test : node;
  };

  test('contains the position of each node', () => {
    const text = ' +items.name:(red -"blue 😀")  NOT total:[1 TO 2]';
    const query = parseQuery(text);
    const slice = ({ start, end }: { start: number; end: number }) => text.slice(start, end);
    expect(query.clauses.map(({ at }) => slice(at))).toEqual([
      '+items.name:(red -"blue 😀")',
      'NOT total:[1 TO 2]',
    ]);
    expect(query.clauses.map(({ value }) => slice(value.at))).toEqual(['(red -"blue 😀")', '[1 TO 2]']);
    const group = query.clauses[0]!.value;
    expect(group.kind === 'group' && group.clauses.map(({ at }) => slice(at))).toEqual(['red', '-"blue 😀"']);
  });

  test.each([
    ['items.name:AND', ['and']],
    ['items.name:a+b&&c', ['a', 'b', 'c']],
    ['items.name:-red', ['red']],
    ['items.name:+red', ['red']],
    ['items.name:>red', ['red']],
    ['items.name:\\(red\\)', ['red']],
    ['items.name:red\\ shirt', ['red', 'shirt']],
    ['items.name:"say \\"hi\\""', ['say', 'hi']],
    ['items.name:/path/to', ['path', 'to']],
    ['items.name:İSTANBUL', ['istanbul']],
    ['items.name:ＦＵＬＬ①', ['full1']],
    ['items.name:ΟΔΟΣ', ['οδοσ']],
    ['items.name:東京の天気', ['東京', 'の', '天気']],
    ['items\\.name:red', undefined],
  ])('splits %s into the words %j', (text, expected) => {
    if (expected) expect(words(text)).toMatchObject({ kind: 'words', words: expected });
    else expect(words(text)).toMatchObject({ kind: 'words', words: ['red'] });
  });

  test('increases the distance of similar words with their length', () => {
    expect(words('items.name:ab-abcde-abcdef~')).toMatchObject({ edits: [0, 1, 2] });
    expect(words('items.name:ab-abcde-abcdef~1')).toMatchObject({ edits: [1, 1, 1] });
    expect(words('items.name:ab-abcde*~')).toMatchObject({ edits: [0, 0], lastIsPrefix: true });
  });

  test('parses a literal, a quoted asterisk and the empty string', () => {
    expect(words('items.name:"*"')).toEqual({ kind: 'literal', text: '*' });
    expect(words('items.name:"€ "')).toEqual({ kind: 'literal', text: '€' });
    expect(words('items.name:>')).toEqual({ kind: 'literal', text: '>' });
    expect(words('items.name:""')).toEqual({ kind: 'exists' });
    expect(words('payments.method:"*"')).toEqual({ kind: 'equals', text: '*' });
    expect(words('payments.method:""')).toEqual({ kind: 'equals', text: '' });
    expect(words('total:[* TO *]')).toEqual({ kind: 'exists' });
    expect(words('payments:{* TO *}')).toEqual({ kind: 'exists' });
  });

  const occurs = (text: string, operator: 'or' | 'and') =>
    understand(text, { operator })
      .members.map(({ occur }) => ({ must: '+', must_not: '-', should: '.' })[occur])
      .join('');

  test.each([
    ['total:1 total:2', '..', '++'],
    ['+total:1 total:2', '+.', '++'],
    ['total:1 -total:2', '.-', '+-'],
    ['total:1 AND total:2', '++', '++'],
    ['total:1 && total:2 total:3', '++.', '+++'],
    ['total:1 OR total:2', '..', '..'],
    ['total:1 || total:2 total:3', '...', '..+'],
    ['total:1 OR total:2 AND total:3', '.++', '.++'],
    ['total:1 AND total:2 OR total:3', '++.', '+..'],
    ['-total:1 AND total:2', '-+', '-+'],
    ['total:1 AND NOT total:2', '+-', '+-'],
    ['total:1 OR -total:2', '.-', '.-'],
    ['total:1 !total:2', '.-', '+-'],
  ])('parses %s as %s if the default operator is OR, and as %s if it is AND', (text, or, and) => {
    expect(occurs(text, 'or')).toBe(or);
    expect(occurs(text, 'and')).toBe(and);
  });
});

test('supports the fields of identifiers', () => {
  const paths = [...identifierFields.keys()];
  expect(paths).toContain('properties.house_number.exact');
  expect(paths).not.toContain('properties.gender.exact');
  const query = parseQuery('properties.name.first:jo properties.birthdate:[1980 TO 1989] -properties.opt:x');
  expect(() => bindQuery(query, identifierFields)).toThrow('properties.opt is not a valid field');
});
