import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  accumulators,
  fieldOperators,
  indexFields,
  logicalOperators,
  partialIndexTests,
  pipelineStages,
  pushClauses,
  type serviceCommands,
  updateOperators,
} from './supported';

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
 * The parsers reject everything that is not listed, so a service cannot send anything else. These tests find what is
 * listed, but is sent by no service, library or test. They do not check the fields of commands, which were compared with
 * a recording of all commands in November 2026, nor what only the driver, mongosh and Compass send.
 */
const sources = ['services', 'libs', 'deploy/local', 'test-e2e']
  .flatMap((folder) => [...sourcesIn(join(root, folder))])
  .join();

const commandTexts: Readonly<Record<keyof typeof serviceCommands, string>> = {
  ping: 'ping: 1',
  buildInfo: 'buildInfo: 1',
  find: '.find(',
  count: '.estimatedDocumentCount(',
  aggregate: '.aggregate(',
  explain: '.explain(',
  insert: '.insertMany(',
  update: '.updateOne(',
  delete: '.deleteMany(',
  findAndModify: '.findOneAndUpdate(',
  create: '.createCollection(',
  drop: '.drop()',
  dropDatabase: '.dropDatabase(',
  listCollections: '.listCollections(',
  listDatabases: '.listDatabases(',
  createIndexes: '.createIndexes(',
  listIndexes: '.listIndexes(',
};

test('supports only commands that are sent', () => {
  const unsent = Object.entries(commandTexts).filter(([, text]) => !sources.includes(text));
  expect(unsent).toEqual([]);
});

test('supports only operators, stages and options of indexes that are sent', () => {
  const addedByDriver: readonly string[] = ['$skip', '$limit'];
  const listed = [
    ...logicalOperators,
    ...fieldOperators,
    ...updateOperators,
    ...pushClauses,
    ...pipelineStages.filter((stage) => !addedByDriver.includes(stage)),
    ...accumulators,
    ...indexFields,
  ];
  expect(listed.filter((name) => !sources.includes(`${name}:`))).toEqual([]);
});

test('supports only tests of partial indexes that are sent', () => {
  const unsent = [...partialIndexTests].filter(
    (name) => !new RegExp(`partial: \\{ \\S+: \\{ \\$${name}: `).test(sources),
  );
  expect(unsent).toEqual([]);
});
