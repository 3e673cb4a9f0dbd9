import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(__dirname, '../../..');

it.each([
  ['a-receipt', 35],
  ['a-packet', 40],
  ['an-event', 30],
])('the guide life-of-%s lists only existing files, and not too many', (name, stepsMax) => {
  const guide = readFileSync(path.join(root, `docs/guides/life-of-${name}.md`), 'utf8');
  const files = [...guide.matchAll(/^\d+\. `((?:libs|services)\/\S+\.ts)`/gm)].map(([, file]) => file ?? '');
  expect(files.length).toBeGreaterThanOrEqual(30);
  expect(files.length).toBeLessThanOrEqual(stepsMax);
  expect(new Set(files).size).toBe(files.length);
  expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
});
