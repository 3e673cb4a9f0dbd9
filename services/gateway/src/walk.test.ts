import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(__dirname, '../../..');
const stepsMax = 60;

it('the guide to the life of a receipt names existing files, and not too many', () => {
  const guide = readFileSync(path.join(root, 'docs/guides/life-of-a-receipt.md'), 'utf8');
  const files = [...guide.matchAll(/^\d+\. `((?:libs|services)\/\S+\.ts)`/gm)].map(([, file]) => file ?? '');
  expect(files.length).toBeGreaterThan(40);
  expect(files.length).toBeLessThanOrEqual(stepsMax);
  expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
});
