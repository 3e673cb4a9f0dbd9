import { compileFastCheck, check, ServiceError } from '@receipts/kernel';
import { z } from 'zod';
import { fullReceipt } from '../testing/full-receipt';
import { postedReceipt } from '.';

type JsonSchema = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

interface ObjectSchema {
  readonly path: Path;
  readonly members: readonly string[];
  /** True if unknown members are rejected. */
  readonly closed: boolean;
}

const list = (value: unknown) => (Array.isArray(value) ? (value as JsonSchema[]) : []);

/** Every object of a schema, with its path in a sample that contains all of them. */
function objectsOf(schema: JsonSchema, sample: unknown, path: Path): ObjectSchema[] {
  const alternatives = [...list(schema['anyOf']), ...list(schema['oneOf'])].flatMap((alternative) =>
    objectsOf(alternative, sample, path),
  );
  if (schema['type'] === 'array') {
    const [first] = Array.isArray(sample) ? (sample as unknown[]) : [];
    return [...alternatives, ...objectsOf(schema['items'] as JsonSchema, first, [...path, 0])];
  }
  if (schema['type'] !== 'object') return alternatives;
  if (typeof sample !== 'object' || sample === null) {
    throw new Error(`the full receipt has no object at ${path.join('.')}`);
  }
  const members = sample as Readonly<Record<string, unknown>>;
  const named = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>);
  const { additionalProperties: others } = schema;
  const free = typeof others === 'object' && others !== null ? Object.keys(members).slice(0, 1) : [];
  return [
    ...alternatives,
    { path, members: named.map(([name]) => name), closed: others === false },
    ...named.flatMap(([name, member]) => objectsOf(member, members[name], [...path, name])),
    ...free.flatMap((name) => objectsOf(others as JsonSchema, members[name], [...path, name])),
  ];
}

const objects = objectsOf(
  z.toJSONSchema(postedReceipt, { io: 'input', unrepresentable: 'any', reused: 'inline' }),
  fullReceipt,
  [],
);
const closed = objects.filter((object) => object.closed);
const open = objects.filter((object) => !object.closed);

/** Only the name of an item supports alternatives (docs/interface.md, "Translation alternatives"). */
const supportsAlternatives = ({ path }: ObjectSchema, member: string) =>
  member === 'name' && path.join('/') === 'items/0';

const pointer = (path: Path) => path.map((part) => `/${part}`).join('');

/** The full receipt with further members in some of its objects. */
function receiptWith(additions: readonly (readonly [ObjectSchema, Readonly<Record<string, unknown>>])[]) {
  const receipt = JSON.parse(JSON.stringify(fullReceipt)) as object;
  for (const [{ path }, members] of additions) {
    const object = path.reduce<unknown>((value, part) => (value as Record<string, unknown>)[part], receipt);
    Object.assign(object as object, members);
  }
  return receipt;
}

function refusal(receipt: unknown): ServiceError | undefined {
  try {
    check(postedReceipt, receipt);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  return undefined;
}

const faultsOf = (receipt: unknown) =>
  refusal(receipt)
    ?.errors?.map(({ path, code }) => `${path} ${code}`)
    .sort();

/**
 * Alternatives for every member and for an unknown member, with valid and invalid tags, and a member that is not an
 * alternative.
 */
function additionsTo({ members }: ObjectSchema): Record<string, unknown> {
  const names = [...members, 'nothing'].flatMap((member) => [`${member}:es`, `${member}:DE_at`]);
  return Object.fromEntries([...names, 'unknown'].map((name) => [name, 'x']));
}

function faultsExpected(object: ObjectSchema): string[] {
  const faultOf = (name: string) => {
    const [member = '', tag] = name.split(':');
    if (!supportsAlternatives(object, member)) return 'unknown_field';
    return tag === 'es' ? undefined : 'invalid_alternative';
  };
  return Object.keys(additionsTo(object)).flatMap((name) => {
    const code = faultOf(name);
    return code === undefined ? [] : [`${pointer([...object.path, name])} ${code}`];
  });
}

test('accepts the full receipt, which uses every object of the schema', () => {
  expect(refusal(fullReceipt)).toBeUndefined();
  expect(closed.length).toBeGreaterThan(12);
  expect(open.length).toBeGreaterThan(8);
});

test.each(closed.map((object) => [pointer(object.path) || '/', object] as const))(
  'rejects every unsupported alternative in %s under its own path',
  (_, object) => {
    const receipt = receiptWith([[object, additionsTo(object)]]);
    expect(refusal(receipt)).toMatchObject({ status: 422, code: 'schema_validation_failed' });
    expect(faultsOf(receipt)).toEqual(faultsExpected(object).sort());
    for (const name of Object.keys(additionsTo(object))) {
      const path = pointer([...object.path, name]);
      const expected = faultsExpected(object).filter((fault) => fault.startsWith(`${path} `));
      const withOne = receiptWith([[object, { [name]: 'x' }]]);
      expect(faultsOf(withOne) ?? []).toEqual(expected);
      expect([path, compileFastCheck(postedReceipt)(withOne)]).toEqual([path, expected.length === 0]);
    }
  },
);

test('reports faults in all objects together', () => {
  const receipt = receiptWith(closed.map((object) => [object, additionsTo(object)]));
  expect(faultsOf(receipt)).toEqual(closed.flatMap(faultsExpected).sort());
});

test.each(
  open
    .filter(({ path }) => path[0] !== 'attachments')
    .map((object) => [pointer(object.path), object] as const),
)('accepts any member in the free-form object %s', (_, object) => {
  expect(faultsOf(receiptWith([[object, additionsTo(object)]]))).toBeUndefined();
});

test('does not treat attachment labels as fields', () => {
  const attachments = { ...fullReceipt.attachments, 'note:fr': { id: '6650f2c81b3c9a0012ab34cd' } };
  expect(faultsOf({ ...fullReceipt, attachments })).toEqual(['/attachments/note:fr invalid_key']);
});

test('does not report a valid translation of an item alongside faults in its nested objects', () => {
  const discounts = [{ name: 'Loyal', amount: -1, 'name:fr': 'Fidèle', nope: 1 }];
  const [item] = fullReceipt.items;
  expect(faultsOf({ ...fullReceipt, items: [{ ...item, discounts }] })).toEqual([
    '/items/0/discounts/0/name:fr unknown_field',
    '/items/0/discounts/0/nope unknown_field',
  ]);
});
