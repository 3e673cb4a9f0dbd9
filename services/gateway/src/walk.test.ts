import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(__dirname, '../../..');

it.each([
  ['receipt', 35],
  ['packet', 40],
])('the guide to the life of a %s lists only existing files, and not too many', (name, stepsMax) => {
  const guide = readFileSync(path.join(root, `docs/guides/life-of-a-${name}.md`), 'utf8');
  const files = [...guide.matchAll(/^\d+\. `((?:libs|services)\/\S+\.ts)`/gm)].map(([, file]) => file ?? '');
  expect(files.length).toBeGreaterThan(30);
  expect(files.length).toBeLessThanOrEqual(stepsMax);
  expect(new Set(files).size).toBe(files.length);
  expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
});
