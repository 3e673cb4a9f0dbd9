import fc from 'fast-check';
import { canonicalJson, fingerprint } from './request-key';

function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, shuffled(member)]),
  );
}

describe('canonical JSON', () => {
  test('is the same regardless of the order of members', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(shuffled(value))).toBe(canonicalJson(value));
      }),
      { numRuns: 200 },
    );
  });

  test('keeps the order of arrays and omits undefined members', () => {
    expect(canonicalJson({ b: [2, 1], a: undefined, c: { z: null } })).toBe('{"b":[2,1],"c":{"z":null}}');
    expect(canonicalJson(undefined)).toBe('null');
  });
});

describe('a fingerprint', () => {
  const params = { id: '1' };

  test('is the same for a value and for its JSON text', () => {
    const value = fingerprint({ params, body: { a: 1, b: 'x' } }, true);
    expect(fingerprint({ params, body: Buffer.from('{ "b": "x", "a": 1.0 }') }, true)).toBe(value);
    expect(fingerprint({ params, query: {}, body: { a: 1, b: 'x' } }, true)).not.toBe(value);
    expect(fingerprint({ params: { id: '2' }, body: { a: 1, b: 'x' } }, true)).not.toBe(value);
    expect(fingerprint({ params, body: { a: 1, b: 'y' } }, true)).not.toBe(value);
  });

  test('of bytes depends on each byte', () => {
    const bytes = (text: string) => fingerprint({ body: Buffer.from(text) }, false);
    expect(bytes('{"a":1}')).not.toBe(bytes('{"a": 1}'));
    expect(bytes('{"a":1}')).not.toBe(fingerprint({ body: { a: 1 } }, true));
  });
});
