import { differingPaths } from './compare-packets';

it.each([
  [{ a: 1 }, { a: 1 }, []],
  [{ a: 1, b: { c: 2 } }, { a: 1, b: { c: 3 } }, ['/b/c']],
  [[{ items: [1, 2] }], [{ items: [1] }], ['/0/items/1']],
  [{ a: 1 }, { b: 1 }, ['/a', '/b']],
  [{ 'a/b': 1 }, { 'a/b': 2 }, ['/a~1b']],
  [{ a: [] }, { a: {} }, ['/a']],
  [1, 2, ['/']],
  [null, { a: 1 }, ['/']],
])('%j and %j differ at %j', (before, after, paths) => expect(differingPaths(before, after)).toEqual(paths));
