// Lints the descriptions in docs/ as other people do: with the recommended rules of Redocly (HTTP interface) and of
// Spectral (both), without exceptions other than those below.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { root } from './bootstrap.mjs';

// Spectral's packages are CommonJS and do not declare their exports for `import`.
const require = createRequire(import.meta.url);
const { Spectral } = require('@stoplight/spectral-core');
const { asyncapi, oas } = require('@stoplight/spectral-rulesets');

/** The only rules that are switched off, each with its reason. */
const asyncapiExceptions = {
  // Generators and editors read 3.0; 3.1 adds nothing that the events need.
  'asyncapi-latest-version': 'off',
  // Demands the e-mail address of the operator, who differs between installations.
  'asyncapi-info-contact-properties': 'off',
};

const fileOf = (name) => path.join(root, 'docs', name);
const read = (name) => readFileSync(fileOf(name), 'utf8');

async function redocly(name) {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: read(name), absoluteRef: fileOf(name), config });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer})`);
}

async function spectral(name, recommended, rules = {}) {
  const linter = new Spectral();
  linter.setRuleset({ extends: [[recommended, 'recommended']], rules });
  const problems = await linter.run(read(name));
  return problems.map(({ code, message, path: place }) => `${code}: ${message} (${place.join('/')})`);
}

const results = [
  ['Redocly, docs/openapi.json', await redocly('openapi.json')],
  ['Spectral, docs/openapi.json', await spectral('openapi.json', oas)],
  ['Spectral, docs/asyncapi.json', await spectral('asyncapi.json', asyncapi, asyncapiExceptions)],
];
for (const [linter, problems] of results) {
  for (const problem of problems) console.log(`${linter}: ${problem}`);
}
process.exit(results.every(([, problems]) => problems.length === 0) ? 0 : 1);
