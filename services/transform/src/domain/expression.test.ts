import { cpuTimeMs } from './cpu-budget';
import { compileExpression } from './expression';

/** Evaluates an expression and returns the result as JSON, as the sandbox does. */
async function evaluate(source: string, input: unknown = {}): Promise<unknown> {
  const result = await compileExpression(source, 500).evaluate(input);
  return result === undefined ? undefined : JSON.parse(JSON.stringify(result));
}

test('helpers', async () => {
  expect(await evaluate('$money("1.234,50 €")')).toBe(1234.5);
  expect(await evaluate('$money(nothing)')).toBeUndefined();
  expect(await evaluate('$money(5)')).toBe(5);
  expect(
    await evaluate('$iso(d, t, "DD/MM/YYYY HH:mm")', { d: '01/02/2026', t: '3:04' }).catch(() => 'no'),
  ).toBe('no');
  expect(await evaluate('$iso(d, t, "DD/MM/YYYY H:mm")', { d: '01/02/2026', t: '3:04' })).toBe(
    '2026-02-01T03:04:00',
  );
  expect(await evaluate('$iso("20260102")')).toBe('2026-01-02T00:00:00');
  expect(await evaluate('$lookup({"CB": "card"}, " cb ", "other")')).toBe('card');
  expect(await evaluate('$lookup({"CB": "card"}, "XX", "other")')).toBe('other');
  expect(await evaluate('$lookup({}, "constructor")')).toBeUndefined();
  expect(await evaluate('$lookup([{"a": 1}, {"a": 2}], "a")')).toEqual([1, 2]);
});

test.each([
  ['{\n "total": $mony(1) }', 'there is no function $mony', 2],
  ['$iso2 ($iso("20260102"))', 'there is no function $iso2', 1],
  ['name(1)', 'there is no function name', 1],
  ['$sumof(items.total)', 'there is no function $sumof', 1],
])('%j: %s', async (source, message, line) => {
  const error = await evaluate(source).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ faults: [{ path: '/transform/expression', message, line }] });
});

test.each([
  [
    '$iso("25.11.2026 18h07", "foo")',
    '$iso cannot read "25.11.2026 18h07" as "foo": the format has no token',
  ],
  ['$iso("25.11.2026 18h07", "DD.MM.YYYY HHhmm")', 'as in HH[h]mm'],
  ['$iso("25.11.2026", "DD/MM/YYYY")', '$iso cannot read "25.11.2026" as "DD/MM/YYYY"'],
])('%s: %s', async (source, message) => {
  const error = await evaluate(source).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ faults: [{ message: expect.stringContaining(message) as string }] });
});

test('supports finding, splitting and replacing with regular expressions', async () => {
  expect(await evaluate('$match("a1b22", /[a-z](\\d+)/).groups')).toEqual(['1', '22']);
  expect(await evaluate('$replace("Ab ab", /AB/i, "x")')).toBe('x x');
  expect(await evaluate('$split("a, b;c", /[,;]\\s*/)')).toEqual(['a', 'b', 'c']);
  expect(await evaluate('$contains("x/y", /x\\/y/)')).toBe(true);
});

test('quickly evaluates a regular expression that would otherwise backtrack exponentially', async () => {
  const startedAtMs = cpuTimeMs();
  expect(await evaluate('$contains(text, /^(a+)+$/)', { text: `${'a'.repeat(20_000)}!` })).toBe(false);
  expect(cpuTimeMs() - startedAtMs).toBeLessThan(5_000);
});

test.each([
  ['$eval("1")', 'mapping_failed'],
  ['$money("free")', 'mapping_failed'],
  ['$iso("31/02/2026", "DD/MM/YYYY")', 'mapping_failed'],
  ['$contains("x", /(?=x)/)', 'mapping_failed'],
  ['($f := function($n) { 1 + $f($n) }; $f(1))', 'mapping_failed'],
  ['($f := function() { $f() }; $f())', 'timeout'],
])('%s fails with %s', async (source, reason) => {
  await expect(evaluate(source)).rejects.toMatchObject({ reason });
});

/** Known sandbox escapes of various interpreters. */
test.each([
  '"".constructor.constructor("return process")()',
  '$string.constructor("return process")()',
  '$string.constructor',
  '$string.implementation',
  '$string.implementation.constructor',
  '$string.__proto__',
  '$string.prototype',
  '$lookup($string, "constructor")',
  '$lookup($, "__proto__")',
  '$lookup([{}], "constructor")',
  '$lookup("x", "constructor")',
  '$.constructor',
  '$.__proto__',
  '$.toString',
  '[1].constructor',
  '[1].concat',
  '(1).toFixed',
  'true.constructor',
  '/a/.constructor',
  '/a/("a").next.constructor',
  '(function($x) { $x }).body',
  '(function($x) { $x }).environment',
  '(function($x) { $x }).input',
  '$substring(?, 1).constructor',
  '$match("a", /a/).constructor',
  '{"__proto__": {"polluted": true}}.polluted',
  '$merge([{"__proto__": {"polluted": true}}, {}]).polluted',
  '{} ~> |$|{"__proto__": {"polluted": true}}|',
  '$clone($string).constructor',
  '$eval("1")',
  '$process',
  '$globalThis',
  '$require("fs")',
  'process',
  'globalThis.process',
])('%s cannot access anything', async (source) => {
  const result = await evaluate(source).catch(() => undefined);
  expect([undefined, '{}']).toContain(JSON.stringify(result));
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});
