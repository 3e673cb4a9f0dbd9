// Generates the types of libs/client from the gateway's API descriptions. With --check, only verifies that the existing
// types are up to date. Run `npm run client-types` after changing a contract.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { describeApi } from './api-descriptions.mjs';
import { root } from './bootstrap.mjs';

const folder = path.join(root, 'libs/client/src/generated');
const head =
  '// Generated from the descriptions of the interface by `npm run client-types`. Do not edit.\n\n';

/** The events as schemas in an OpenAPI document, by type, so that one generator serves both descriptions. */
function asOpenapi({ components }) {
  const payloads = Object.entries(components.messages).map(([type, { payload }]) => [type, payload]);
  return {
    openapi: '3.1.0',
    info: { title: 'Events', version: '1' },
    paths: {},
    components: { schemas: { ...components.schemas, ...Object.fromEntries(payloads) } },
  };
}

/** Properties with defaults are optional in requests. Responses declare them as required. */
const options = { defaultNonNullable: false };
const typesOf = async (document) => head + astToString(await openapiTypescript(document, options));

/** Changed descriptions do not change the types. */
const withoutComments = (source) => source.replace(/^\s*\/\*\*[\s\S]*?\*\/\n/gm, '');

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

const { openapi, asyncapi } = describeApi();
const wanted = {
  'api.ts': await typesOf(openapi),
  'events.ts': await typesOf(asOpenapi(asyncapi)),
};

const { values } = parseArgs({ options: { check: { type: 'boolean' } } });
if (values.check) {
  const stale = Object.entries(wanted).filter(
    ([name, source]) => withoutComments(read(path.join(folder, name))) !== withoutComments(source),
  );
  for (const [name] of stale)
    console.log(`libs/client/src/generated/${name} is outdated: run npm run client-types`);
  process.exit(stale.length === 0 ? 0 : 1);
}
mkdirSync(folder, { recursive: true });
for (const [name, source] of Object.entries(wanted)) writeFileSync(path.join(folder, name), source);
