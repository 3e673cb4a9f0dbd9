import { ServiceError } from '@receipts/kernel';
import { applyPatch } from './index';

function codeOf(run: () => unknown): string | undefined {
  try {
    run();
  } catch (error) {
    if (error instanceof ServiceError) return `${error.status} ${error.code}`;
    throw error;
  }
  return undefined;
}

const successes: readonly [what: string, document: unknown, patch: unknown, expected: unknown][] = [
  ['nothing to do', { a: 1 }, [], { a: 1 }],
  ['add a member', { a: 1 }, [{ op: 'add', path: '/b', value: null }], { a: 1, b: null }],
  ['add replaces a member', { a: 1 }, [{ op: 'add', path: '/a', value: [2] }], { a: [2] }],
  ['add into an array', { a: [1, 3] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2, 3] }],
  ['add behind the last index', { a: [1] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2] }],
  ['add at the end', { a: [1] }, [{ op: 'add', path: '/a/-', value: 2 }], { a: [1, 2] }],
  ['an empty key', { a: 1 }, [{ op: 'add', path: '/', value: 2 }], { a: 1, '': 2 }],
  [
    'escaped keys',
    { 'a/b': { 'm~n': 1 } },
    [{ op: 'replace', path: '/a~1b/m~0n', value: 2 }],
    { 'a/b': { 'm~n': 2 } },
  ],
  ['~01 is ~1, not /', { '~1': 1 }, [{ op: 'remove', path: '/~01' }], {}],
  ['remove from an array', { a: [1, 2, 3] }, [{ op: 'remove', path: '/a/0' }], { a: [2, 3] }],
  ['replace with false', { a: true }, [{ op: 'replace', path: '/a', value: false }], { a: false }],
  ['replace the root', { a: 1 }, [{ op: 'replace', path: '', value: [1] }], [1]],
  ['move within an array', { a: [1, 2, 3] }, [{ op: 'move', from: '/a/0', path: '/a/2' }], { a: [2, 3, 1] }],
  ['move onto itself', { a: 1 }, [{ op: 'move', from: '/a', path: '/a' }], { a: 1 }],
  ['move null', { a: null }, [{ op: 'move', from: '/a', path: '/b' }], { b: null }],
  ['move upwards', { a: { b: 1 } }, [{ op: 'move', from: '/a/b', path: '/a' }], { a: 1 }],
  [
    'a copy is a copy',
    { a: { x: 1 } },
    [
      { op: 'copy', from: '/a', path: '/b' },
      { op: 'add', path: '/b/x', value: 2 },
    ],
    { a: { x: 1 }, b: { x: 2 } },
  ],
  [
    'the value of an operation is not shared',
    {},
    [
      { op: 'add', path: '/a', value: {} },
      { op: 'add', path: '/a/x', value: 1 },
    ],
    { a: { x: 1 } },
  ],
  [
    'test regardless of the order of members',
    { a: { x: 1, y: [1, { z: null }] } },
    [{ op: 'test', path: '/a', value: { y: [1, { z: null }], x: 1.0 } }],
    { a: { x: 1, y: [1, { z: null }] } },
  ],
  ['test of negative zero', { a: 0 }, [{ op: 'test', path: '/a', value: -0 }], { a: 0 }],
  [
    'test of a member called hasOwnProperty',
    { a: { hasOwnProperty: 1 } },
    [{ op: 'test', path: '/a', value: { hasOwnProperty: 1 } }],
    { a: { hasOwnProperty: 1 } },
  ],
  [
    'constructor as data',
    {},
    [
      { op: 'add', path: '/constructor', value: { x: 1 } },
      { op: 'replace', path: '/constructor/x', value: 2 },
    ],
    { constructor: { x: 2 } },
  ],
  ['members that RFC 6902 does not know', { a: 1 }, [{ op: 'remove', path: '/a', spurious: true }], {}],
];

const failures: readonly [what: string, document: unknown, patch: unknown, code: string][] = [
  ['not an array', {}, { op: 'remove', path: '/a' }, '400 malformed_patch'],
  ['null', {}, null, '400 malformed_patch'],
  ['an operation that is not an object', {}, ['remove'], '400 malformed_patch'],
  ['an unknown op', {}, [{ op: 'merge', path: '/a', value: 1 }], '400 malformed_patch'],
  ['an op that every object inherits', {}, [{ op: 'toString', path: '/a' }], '400 malformed_patch'],
  ['no path', {}, [{ op: 'remove' }], '400 malformed_patch'],
  ['a path that is null', {}, [{ op: 'remove', path: null }], '400 malformed_patch'],
  ['a path without a slash', {}, [{ op: 'remove', path: 'a' }], '400 malformed_patch'],
  ['a path with a wrong escape', {}, [{ op: 'remove', path: '/~2' }], '400 malformed_patch'],
  ['no value', {}, [{ op: 'add', path: '/a' }], '400 malformed_patch'],
  ['no from', {}, [{ op: 'move', path: '/a' }], '400 malformed_patch'],
  [
    'a later operation that is malformed',
    { a: 1 },
    [
      { op: 'remove', path: '/b' },
      { op: 'x', path: '' },
    ],
    '400 malformed_patch',
  ],
  [
    'too many operations',
    { a: 1 },
    Array.from({ length: 101 }, () => ({ op: 'test', path: '/a', value: 1 })),
    '400 malformed_patch',
  ],
  ['remove what is not there', { a: 1 }, [{ op: 'remove', path: '/b' }], '422 patch_not_applicable'],
  ['replace what is not there', {}, [{ op: 'replace', path: '/b', value: 1 }], '422 patch_not_applicable'],
  ['test what is not there', {}, [{ op: 'test', path: '/b', value: null }], '422 patch_not_applicable'],
  ['copy from nowhere', {}, [{ op: 'copy', from: '/b', path: '/a' }], '422 patch_not_applicable'],
  ['add below what is not there', {}, [{ op: 'add', path: '/a/b', value: 1 }], '422 patch_not_applicable'],
  ['add below a string', { a: 'text' }, [{ op: 'add', path: '/a/0', value: 1 }], '422 patch_not_applicable'],
  ['add below null', { a: null }, [{ op: 'add', path: '/a/b', value: 1 }], '422 patch_not_applicable'],
  [
    'an index with a leading zero',
    { a: [1, 2] },
    [{ op: 'replace', path: '/a/01', value: 3 }],
    '422 patch_not_applicable',
  ],
  ['a negative index', { a: [1] }, [{ op: 'remove', path: '/a/-1' }], '422 patch_not_applicable'],
  ['an exponent as an index', { a: [1, 2] }, [{ op: 'remove', path: '/a/1e0' }], '422 patch_not_applicable'],
  [
    'an index beyond the end',
    { a: [1] },
    [{ op: 'add', path: '/a/2', value: 3 }],
    '422 patch_not_applicable',
  ],
  [
    'an index beyond 32 bits',
    { a: [1] },
    [{ op: 'add', path: '/a/4294967296', value: 3 }],
    '422 patch_not_applicable',
  ],
  [
    'the length of an array',
    { a: [1] },
    [{ op: 'test', path: '/a/length', value: 1 }],
    '422 patch_not_applicable',
  ],
  ['- as a source', { a: [1] }, [{ op: 'copy', from: '/a/-', path: '/b' }], '422 patch_not_applicable'],
  ['- for a replace', { a: [1] }, [{ op: 'replace', path: '/a/-', value: 1 }], '422 patch_not_applicable'],
  [
    'move into itself',
    { a: { b: {} } },
    [{ op: 'move', from: '/a', path: '/a/b/c' }],
    '422 patch_not_applicable',
  ],
  [
    'an inherited member',
    { a: {} },
    [{ op: 'copy', from: '/a/constructor', path: '/b' }],
    '422 patch_not_applicable',
  ],
  ['__proto__', { a: {} }, [{ op: 'add', path: '/a/__proto__/x', value: 1 }], '422 patch_not_applicable'],
  [
    '__proto__ as the last token',
    { a: {} },
    [{ op: 'add', path: '/__proto__', value: {} }],
    '422 patch_not_applicable',
  ],
  [
    'constructor/prototype',
    { constructor: { prototype: {} } },
    [{ op: 'add', path: '/constructor/prototype/x', value: 1 }],
    '422 patch_not_applicable',
  ],
  [
    'a path that is too deep',
    {},
    [{ op: 'add', path: '/a'.repeat(33), value: 1 }],
    '422 patch_not_applicable',
  ],
  ['another value', { a: 1 }, [{ op: 'test', path: '/a', value: '1' }], '409 patch_test_failed'],
  ['a shorter array', { a: [1, 2] }, [{ op: 'test', path: '/a', value: [1] }], '409 patch_test_failed'],
  ['an array for an object', { a: {} }, [{ op: 'test', path: '/a', value: [] }], '409 patch_test_failed'],
];

describe('applyPatch', () => {
  it.each(successes)('%s', (_what, document, patch, expected) => {
    expect(JSON.stringify(applyPatch(document, patch))).toBe(JSON.stringify(expected));
  });

  it.each(failures)('rejects %s', (_what, document, patch, code) => {
    const before = JSON.stringify(document);
    expect(codeOf(() => applyPatch(document, patch))).toBe(code);
    expect(JSON.stringify(document)).toBe(before);
  });

  it('leaves the document and the patch unchanged, so that it can be applied again', () => {
    const document = { a: [1] };
    const patch = [
      { op: 'add', path: '/b', value: { c: [] } },
      { op: 'add', path: '/b/c/-', value: 1 },
    ];
    expect(applyPatch(document, patch)).toEqual(applyPatch(document, patch));
    expect(document).toEqual({ a: [1] });
    expect(patch[0]).toEqual({ op: 'add', path: '/b', value: { c: [] } });
  });

  it('reaches the deepest position that a document can have', () => {
    const nested = (value: number) => `${'{"a":'.repeat(32)}${value}${'}'.repeat(32)}`;
    const patch = [{ op: 'replace', path: '/a'.repeat(32), value: 2 }];
    expect(JSON.stringify(applyPatch(JSON.parse(nested(1)), patch))).toBe(nested(2));
  });

  it('keeps the order of members', () => {
    const patched = applyPatch({ b: 1, a: 2 }, [{ op: 'add', path: '/0x', value: { z: 1, y: 2 } }]);
    expect(JSON.stringify(patched)).toBe('{"b":1,"a":2,"0x":{"z":1,"y":2}}');
  });

  it('keeps a member called __proto__ inside a value as data', () => {
    const patch = JSON.parse('[{"op":"add","path":"/a","value":{"__proto__":{"polluted":1}}}]') as unknown;
    expect(JSON.stringify(applyPatch({}, patch))).toBe('{"a":{"__proto__":{"polluted":1}}}');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('limits the growth of copies', () => {
    const doubling = Array.from({ length: 18 }, (_, n) => ({ op: 'copy', from: '', path: `/c${n}` }));
    const patch = [{ op: 'add', path: '/a', value: 'x'.repeat(200) }, ...doubling];
    expect(codeOf(() => applyPatch({}, patch))).toBe('422 patch_not_applicable');
  });

  it('limits the size and depth of a result', () => {
    const large = [{ op: 'add', path: '/a', value: 'x'.repeat(4 * 1024 * 1024) }];
    expect(codeOf(() => applyPatch({}, large))).toBe('422 patch_not_applicable');
    const nested: unknown = JSON.parse('['.repeat(31) + ']'.repeat(31));
    expect(codeOf(() => applyPatch({ a: {} }, [{ op: 'add', path: '/a/b', value: nested }]))).toBe(
      '422 patch_not_applicable',
    );
  });

  describe('with protected paths', () => {
    const rules = { isModifiable: (path: readonly string[]) => path[0] === 'free' };
    const document = { id: 1, free: {} };
    it.each([
      [{ op: 'replace', path: '/id', value: 1 }],
      [{ op: 'replace', path: '', value: {} }],
      [{ op: 'move', from: '/id', path: '/free/id' }],
      [{ op: 'copy', from: '/free', path: '/id' }],
    ])('rejects %j', (operation) => {
      expect(codeOf(() => applyPatch(document, [operation], rules))).toBe('422 field_not_modifiable');
    });

    it('allows reading them', () => {
      const patch = [
        { op: 'test', path: '/id', value: 1 },
        { op: 'copy', from: '/id', path: '/free/id' },
      ];
      expect(applyPatch(document, patch, rules)).toEqual({ id: 1, free: { id: 1 } });
    });
  });
});
