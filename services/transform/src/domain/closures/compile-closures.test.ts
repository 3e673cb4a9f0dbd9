import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import jsonata from 'jsonata';
import type { PostedMapping } from '@receipts/contracts';
import { mappingFunctions } from '../mapping-functions';
import type { Closure } from './closure';
import { compileClosures } from './compile-closures';
import { libraryFunctions, type LibraryFunction } from './library-functions';
import { fallBack, InterpreterFallback, sequenceLengthMax } from './sequences';

let library: ReadonlyMap<string, LibraryFunction>;
beforeAll(async () => {
  library = await libraryFunctions();
});

function parse(source: string): jsonata.Expression {
  const parsed = jsonata(source, { sequence: sequenceLengthMax, stack: 500 } as jsonata.JsonataOptions);
  for (const [name, implementation] of mappingFunctions()) parsed.registerFunction(name, implementation);
  return parsed;
}

function closureOf(source: string): Closure | undefined {
  return compileClosures(parse(source).ast(), { library, helpers: mappingFunctions() });
}

const failed = 'failed';
const printed = (value: unknown): string => JSON.stringify(value) ?? 'nothing';
const copy = (input: unknown): unknown => JSON.parse(JSON.stringify(input));

async function interpreted(source: string, input: unknown): Promise<string> {
  return parse(source)
    .evaluate(copy(input))
    .then(printed, () => failed);
}

function evaluated(closure: Closure, input: unknown, tick = () => {}): string {
  const root = copy(input);
  try {
    return printed(closure(root, { root, slots: [], tick }));
  } catch {
    return failed;
  }
}

const examples = path.resolve(__dirname, '../../../../../deploy/examples/mappings');
const expressions = readdirSync(examples).map((file) => {
  const mapping = JSON.parse(readFileSync(path.join(examples, file), 'utf8')) as PostedMapping;
  return [file, mapping.transform.expression] as const;
});

const hasPositions = (expression: string) => expression.includes('#$');

test.each(expressions)('supports the language of %s, except for the positions of rows', (_, expression) => {
  expect(closureOf(expression) !== undefined).toBe(!hasPositions(expression));
});

const document = {
  name: 'Joe',
  empty: [],
  one: [{ a: 1 }],
  list: [
    { a: 1, b: 'x', tags: ['p', 'q'] },
    { a: 2, b: 'y', tags: 'r' },
    { a: null, b: 'x', tags: [['s'], []] },
  ],
  nested: { list: [[1, 2], [3]], 'x y': { '@z': '5', '#text': 'T' } },
};

test.each([
  ['name', '"Joe"'],
  ['list.a', '[1,2,null]'],
  ['list.tags', '["p","q","r",["s"],[]]'],
  ['list[b = "y"].a', '2'],
  ['list[b = "y"].a[]', '[2]'],
  ['list[b = "z"].a[]', 'nothing'],
  ['empty', '[]'],
  ['one', '[{"a":1}]'],
  ['one.{"c": a}', '{"c":1}'],
  ['one.{"c": a}[]', '[{"c":1}]'],
  ['list[-1].b', '"x"'],
  ['list[9]', 'nothing'],
  ['nested.list[0]', '[1,2]'],
  ['nested.`x y`.`@z`', '"5"'],
  ['{"a": missing, "b": name}', '{"b":"Joe"}'],
  ['[name, list.a, [1]]', '["Joe",1,2,null,[1]]'],
  ['name & 1 & missing & true', '"Joe1true"'],
  ['($x := name; $y := $x & "!"; {"y": $y})', '{"y":"Joe!"}'],
  ['list.($a := a; $$.name & $a)', '["Joe1","Joe2","Joenull"]'],
  ['list[a = 2] ? "yes" : "no"', '"yes"'],
  ['missing ?? name', '"Joe"'],
  ['name in ["Joe", "Ann"]', 'true'],
  ['$sum(list[a > 0].a) / 2', '1.5'],
  ['$substring(name, -2) & $uppercase(name)', '"oeJOE"'],
  ['list.$string(a)', '["1","2","null"]'],
  ['$money("1,50") + 1', '2.5'],
])('%s selects %s', async (source, expected) => {
  const input = { ...document, list: document.list.slice(0, source.includes('a > 0') ? 2 : 3) };
  expect(evaluated(closureOf(source) as Closure, input)).toBe(expected);
  expect(await interpreted(source, input)).toBe(expected);
});

/** Unsupported constructs, and constructs whose result depends on the interpreter's order of evaluation. */
test.each([
  'a.*',
  '**.a',
  'a.%.b',
  'a^(b)',
  'a@$x.b',
  'a#$i',
  'a{b: c}',
  '$map(a, $f)',
  '[1..3]',
  'a ~> $sum()',
  'function($x) { $x }',
  '$substring(?, 1)',
  '/a/',
  '$unbound',
  '$eval("1")',
  '$now()',
  '$random()',
  '{"a": $x := 1}',
  '(a ? $x := 1; $x)',
  '{a: 1}',
  '{"a": 1, "a": 2}',
  '{"__proto__": 1}',
  '[a].b',
  '($sum := 1; $sum(a))',
  '$string',
  '$.a.[b]',
])('leaves %s to the interpreter', (source) => {
  expect(closureOf(source)).toBeUndefined();
});

test.each([
  'name + 1',
  'list.a < "x"',
  '-name',
  '1/0 + 1',
  '$money("free")',
  '$number("x")',
  '$iso("yesterday")',
  '$sum(list.b)',
  'list ? 1/0 & "" : 1',
  '$substring(1, 1)',
  '$substring()',
  '[1] + 1',
  '1 > "1"',
])('leaves reporting the fault in %s to the interpreter', async (source) => {
  expect(evaluated(closureOf(source) as Closure, document)).toBe(failed);
  expect(await interpreted(source, document)).toBe(failed);
});

test.each(['nested.list.($ ~> $sum)', 'nested.{"a": list}[0].a.{"b": $}', 'list[[0, 1]].a', 'list[a].b'])(
  'leaves rare features such as %s to the interpreter',
  async (source) => {
    const closure = closureOf(source);
    expect([undefined, failed]).toContain(closure && evaluated(closure, document));
    expect(await interpreted(source, document)).not.toBe(failed);
  },
);

test('leaves to the interpreter expressions that it may find too large', () => {
  expect(closureOf(`[${'a,'.repeat(150)}a]`)).toBeDefined();
  expect(closureOf(`[${'a,'.repeat(400)}a]`)).toBeUndefined();
});

test('stops an evaluation that takes too long at its next step', () => {
  const closure = closureOf('list.a') as Closure;
  expect(() => closure(document, { root: document, slots: [], tick: fallBack })).toThrow(InterpreterFallback);
});

test('creates sequences with as many members as in the interpreter', () => {
  const members = (count: number) => ({ list: Array.from({ length: count }, () => ({ a: 1 })) });
  const closure = closureOf('$count(list.a)') as Closure;
  expect(evaluated(closure, members(sequenceLengthMax))).toBe(String(sequenceLengthMax));
  expect(evaluated(closure, members(sequenceLengthMax + 1))).toBe(failed);
});

const name = fc.constantFrom('a', 'b', 'c', 'list', '`x y`', '`@z`');
const functions = fc.constantFrom(
  '$sum',
  '$count',
  '$string',
  '$number',
  '$lowercase',
  '$trim',
  '$length',
  '$exists',
  '$not',
  '$boolean',
  '$distinct',
  '$reverse',
  '$keys',
  '$merge',
  '$append',
  '$round',
  '$max',
  '$join',
  '$type',
  '$substring',
  '$money',
  '$lookup',
  '$iso',
);
const operator = fc.constantFrom(
  '+',
  '-',
  '*',
  '/',
  '%',
  '=',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  '&',
  'and',
  'or',
  'in',
);

const { source } = fc.letrec<{ source: string; step: string; path: string }>((tie) => ({
  step: fc.oneof(
    { weight: 8, arbitrary: name },
    { weight: 1, arbitrary: fc.tuple(name, fc.integer({ min: -2, max: 2 })).map(([n, i]) => `${n}[${i}]`) },
    { weight: 2, arbitrary: fc.tuple(name, tie('source')).map(([n, e]) => `${n}[${e}]`) },
    { weight: 1, arbitrary: tie('source').map((e) => `(${e})`) },
    {
      weight: 2,
      arbitrary: fc.tuple(name, tie('source')).map(([n, e]) => `{"${n.replaceAll('`', '')}": ${e}}`),
    },
    { weight: 1, arbitrary: fc.tuple(functions, tie('source')).map(([f, e]) => `${f}(${e})`) },
  ),
  path: fc
    .tuple(
      fc.constantFrom('', '', '', '$.', '$$.', '$v.'),
      fc.array(tie('step'), { minLength: 1, maxLength: 3 }),
      fc.constantFrom('', '', '', '[]', '[0]'),
    )
    .map(([start, steps, end]) => `${start}${steps.join('.')}${end}`),
  source: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.constantFrom(
      '1',
      '0',
      '2.5',
      '"x"',
      '""',
      '"7"',
      'true',
      'false',
      'null',
      '$',
      '$$',
      '$v',
      'a',
      'list',
    ),
    tie('path'),
    tie('path'),
    fc.tuple(tie('source'), operator, tie('source')).map(([l, o, r]) => `(${l} ${o} ${r})`),
    fc.tuple(tie('source'), tie('source'), tie('source')).map(([c, t, e]) => `(${c} ? ${t} : ${e})`),
    fc.tuple(tie('source'), tie('source')).map(([l, r]) => `(${l} ?? ${r})`),
    fc.tuple(tie('source'), tie('source')).map(([v, e]) => `($v := ${v}; ${e})`),
    fc.array(tie('source'), { maxLength: 3 }).map((members) => `[${members.join()}]`),
    fc.tuple(tie('source'), tie('source')).map(([l, r]) => `{"a": ${l}, "c": ${r}}`),
    fc.tuple(functions, fc.array(tie('source'), { maxLength: 2 })).map(([f, args]) => `${f}(${args.join()})`),
    tie('source').map((e) => `-${e}`),
  ),
}));

const key = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom('a', 'b', 'c', 'list', 'x y', '@z') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('tupleStream', 'outerWrapper', '_jsonata_function', 'sequence', 'next'),
  },
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium' },
    fc.constantFrom(0, 1, -2, 2.5, 'x', 'y', '7', '', true, false, null, '1,50'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4 }),
  ),
}));

/** A combination may not parse: a division after `]` begins a regular expression. */
function isExpression(text: string): boolean {
  try {
    return Boolean(parse(text));
  } catch {
    return false;
  }
}

test('returns the same results as the interpreter for all kinds of expressions and documents', async () => {
  let agreed = 0;
  await fc.assert(
    fc.asyncProperty(source, fc.dictionary(key, value, { maxKeys: 5 }), async (expression, input) => {
      const closure = isExpression(expression) && closureOf(`($v := list; ${expression})`);
      if (!closure) return;
      const found = evaluated(closure, input);
      if (found === failed) return;
      expect(found).toBe(await interpreted(`($v := list; ${expression})`, input));
      agreed++;
    }),
    { seed: 20_261_122, numRuns: 500 },
  );
  expect(agreed).toBeGreaterThan(150);
});
