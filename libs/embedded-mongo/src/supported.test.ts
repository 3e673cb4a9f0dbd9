import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { accumulators, fieldOperators, logicalOperators, pushClauses, updateOperators } from './supported';

const root = join(__dirname, '../../..');
const skipped = new Set(['node_modules', 'dist', 'embedded-mongo', 'generated']);

function* sourcesIn(folder: string): Generator<string, void, void> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !skipped.has(entry.name)) yield* sourcesIn(path);
    else if (entry.name.endsWith('.ts')) yield readFileSync(path, 'utf8');
  }
}

/**
 * The parsers reject everything that is not listed, so a service cannot send anything else. This test finds listed
 * operators that no service sends.
 */
test('supports only operators that a service, a library or one of their tests uses', () => {
  const sources = ['services', 'libs', 'test-e2e']
    .flatMap((folder) => [...sourcesIn(join(root, folder))])
    .join();
  const listed = [
    ...logicalOperators,
    ...fieldOperators,
    ...updateOperators,
    ...pushClauses,
    ...accumulators,
  ];
  expect(listed.filter((operator) => !sources.includes(`${operator}:`))).toEqual([]);
});
