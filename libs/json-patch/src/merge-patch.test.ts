import { applyMergePatch } from './index';

describe('applyMergePatch', () => {
  // RFC 7396, appendix A.
  it.each([
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"a":"foo"}', 'null', 'null'],
    ['{"a":"foo"}', '"bar"', '"bar"'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  ])('merges %s with %s to %s', (document, patch, expected) => {
    expect(JSON.stringify(applyMergePatch(JSON.parse(document), JSON.parse(patch)))).toBe(expected);
  });

  it('treats __proto__ as a member like any other', () => {
    const merged = applyMergePatch({}, JSON.parse('{"__proto__":{"polluted":1}}')) as object;
    expect(Object.getPrototypeOf(merged)).not.toHaveProperty('polluted');
    expect(JSON.stringify(merged)).toBe('{"__proto__":{"polluted":1}}');
  });
});
