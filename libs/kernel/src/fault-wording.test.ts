import { z } from 'zod';
import { faultsOf, parseBounded } from './validate';

type Case = readonly [schema: z.ZodType, value: unknown, path: string, code: string, message: string];

const object = (shape: z.core.$ZodLooseShape) => z.strictObject(shape);
const date = new Date('2024-01-01T00:00:00Z');

/** At least one case for each kind of issue; a test below compares them with all kinds. */
const cases: Readonly<Record<z.core.$ZodIssue['code'], readonly Case[]>> = {
  invalid_type: [
    [object({ a: z.string() }), {}, '/a', 'required', 'is required'],
    [z.string(), 1, '', 'invalid_type', 'must be a string'],
    [z.number(), 'x', '', 'invalid_type', 'must be a number'],
    [z.number(), NaN, '', 'invalid_type', 'must be a finite number'],
    [z.number(), Infinity, '', 'invalid_type', 'must be a finite number'],
    [z.int(), 1.5, '', 'invalid_type', 'must be an integer'],
    [z.boolean(), 1, '', 'invalid_type', 'must be true or false'],
    [z.null(), 1, '', 'invalid_type', 'must be null'],
    [z.strictObject({}), [], '', 'invalid_type', 'must be an object'],
    [z.record(z.string(), z.string()), 1, '', 'invalid_type', 'must be an object'],
    [z.array(z.string()), {}, '', 'invalid_type', 'must be an array'],
    [z.tuple([z.string()]), 1, '', 'invalid_type', 'must be an array'],
    [z.symbol(), 1, '', 'invalid_type', 'must be of another type'],
  ],
  invalid_value: [
    [object({ a: z.enum(['x']) }), {}, '/a', 'required', 'is required'],
    [z.enum(['thin', 'full']), 'x', '', 'invalid_value', 'must be one of thin, full'],
    [z.literal(true), false, '', 'invalid_value', 'must be true'],
    [z.literal(['a', 1]), 2, '', 'invalid_value', 'must be one of a, 1'],
  ],
  too_small: [
    [z.string().min(1), '', '', 'too_small', 'must be at least 1 character'],
    [z.string().min(2), '', '', 'too_small', 'must be at least 2 characters'],
    [z.string().length(20), 'x', '', 'too_small', 'must be exactly 20 characters'],
    [z.array(z.string()).min(1), [], '', 'too_small', 'must have at least 1 value'],
    [z.number().min(3), 2, '', 'too_small', 'must be at least 3'],
    [z.number().gt(0), 0, '', 'too_small', 'must be more than 0'],
  ],
  too_big: [
    [z.string().max(1), 'xx', '', 'too_big', 'must be at most 1 character'],
    [z.string().length(1), 'xx', '', 'too_big', 'must be exactly 1 character'],
    [z.array(z.string()).max(1), ['a', 'b'], '', 'too_big', 'must have at most 1 value'],
    [z.number().max(3), 4, '', 'too_big', 'must be at most 3'],
    [z.number().lt(3), 3, '', 'too_big', 'must be less than 3'],
    [z.int(), 2 ** 53, '', 'too_big', 'must be at most 9007199254740991'],
  ],
  invalid_format: [
    [z.string().regex(/^[a-z]+$/i), '1', '', 'invalid_format', 'must match ^[a-z]+$'],
    [z.jwt(), 'x', '', 'invalid_format', 'has an invalid format'],
  ],
  not_multiple_of: [[z.number().multipleOf(5), 4, '', 'not_multiple_of', 'is invalid']],
  unrecognized_keys: [[z.strictObject({}), { a: 1 }, '/a', 'unknown_field', 'is not a known field']],
  invalid_union: [
    [object({ a: z.union([z.string(), z.int()], 'must be so') }), {}, '/a', 'required', 'is required'],
    [z.union([z.string(), z.int()]), {}, '', 'invalid_type', 'must be a string or an integer'],
    [z.union([z.string(), z.int()], 'must be so'), {}, '', 'invalid_type', 'must be so'],
    [
      z.union([object({ a: z.string() }), object({ b: z.string() })]),
      {},
      '',
      'invalid_type',
      'must have one of the described forms',
    ],
    [z.union([z.string(), object({ a: z.string() })]), { a: 1 }, '/a', 'invalid_type', 'must be a string'],
    [
      z.discriminatedUnion('type', [object({ type: z.literal('a') }), object({ type: z.literal('b') })]),
      { type: 'c' },
      '/type',
      'invalid_type',
      'must be one of a, b',
    ],
  ],
  invalid_key: [
    [
      z.record(z.string().max(1), z.int()),
      { ab: 1 },
      '/ab',
      'invalid_key',
      'is not a valid name: it must be at most 1 character',
    ],
  ],
  invalid_element: [
    [
      z.map(z.date(), z.string()),
      new Map<unknown, unknown>([[date, 1]]),
      '',
      'invalid_element',
      'is invalid',
    ],
  ],
  custom: [
    [z.string().refine(() => false), 'x', '', 'invalid', 'is invalid'],
    [z.string().refine(() => false, 'must be so'), 'x', '', 'invalid', 'must be so'],
  ],
};

const listed = Object.values(cases).flat();

test.each(listed)('case %#: has one wording per fault', (schema, value, path, code, message) => {
  const { error } = parseBounded(schema, value);
  expect(error && faultsOf(error)).toEqual([{ path, code, message }]);
});

/** The sentences of the validation library are those that its locale returns for the issues in the cases. */
test('contains no sentence of the validation library, and covers every kind of issue', () => {
  const { localeError: sentenceOf } = z.locales.en();
  const sentences = new Set<unknown>();
  const codes = new Set<string>();
  const collect = (issue: z.core.$ZodRawIssue) => {
    codes.add(issue.code);
    sentences.add(sentenceOf(issue));
    return undefined;
  };
  const issues = listed.flatMap(
    ([schema, value]) => schema.safeParse(value, { error: collect }).error?.issues ?? [],
  );
  expect(issues.length).toBeGreaterThanOrEqual(listed.length);
  const messages = listed.map(([, , , , message]) => message);
  expect(messages.filter((message) => sentences.has(message))).toEqual([]);
  expect([...codes].sort()).toEqual(Object.keys(cases).sort());
});
