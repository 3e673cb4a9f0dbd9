import { nodeVersionHint } from './node-versions';

it('recommends Node.js 24 on older versions only', () => {
  expect(nodeVersionHint('20.19.0')).toContain('Node.js 24 is');
  expect(nodeVersionHint('20.19.0')).toContain('(20.19.0)');
  expect(nodeVersionHint('24.0.0')).toBeUndefined();
  expect(nodeVersionHint('26.1.0')).toBeUndefined();
});
