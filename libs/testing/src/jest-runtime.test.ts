import { readFileSync } from 'node:fs';

/** If this fails, check whether `libs/testing/jest-runtime.js` still has to replace `compile`. */
it('Jest compiles for the realm of a context, and fails without a context', () => {
  const source = readFileSync(require.resolve('jest-runtime'), 'utf8');
  const [, compile = ''] =
    /\n {2}compile\(scriptSource, filename\) \{\n([\s\S]*?)\n {2}\}\n/.exec(source) ?? [];
  expect(compile).toMatch(/if \(vmContext == null\) \{\s+return null;/);
  expect(compile).toContain('parsingContext: vmContext');
});
