import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(__dirname, '../../..');
const stepsMax = 60;

it('the way of a receipt in the README names files that are there, and not too many', () => {
  const readme = readFileSync(path.join(__dirname, '../README.md'), 'utf8');
  const files = [...readme.matchAll(/^\d+\. `((?:libs|services)\/\S+\.ts)`/gm)].map(([, file]) => file ?? '');
  expect(files.length).toBeGreaterThan(40);
  expect(files.length).toBeLessThanOrEqual(stepsMax);
  expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
});
