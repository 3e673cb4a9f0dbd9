import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(__dirname, '../../..');
const read = (name: string) => readFileSync(path.join(root, 'docs', name), 'utf8');

/**
 * Compares the committed descriptions with changed descriptions, in a separate process, because jest cannot import ES
 * modules.
 */
const script = `
import { breakingChanges } from './deploy/local/api-descriptions.mjs';
import { readFileSync } from 'node:fs';
const { before, changes } = JSON.parse(readFileSync(0, 'utf8'));
const results = {};
for (const [name, code] of Object.entries(changes)) {
  const after = structuredClone(before);
  new Function('api', 'events', code)(after.openapi, after.asyncapi.components.messages);
  results[name] = breakingChanges(before, after);
}
console.log(JSON.stringify(results));
`;

const body = `api.paths['/stores'].post.requestBody.content['application/json'].schema`;
const schema = (expression: string) =>
  `const found = ${expression}; const schema = found.$ref ? api.components.schemas[found.$ref.split('/').at(-1)] : found;`;
const answer = `api.paths['/stores/{reference}'].get.responses[200].content['application/json'].schema`;

const compatible = {
  'no change': '',
  'another text': `JSON.stringify(api, function (key, value) {
    if (typeof value === 'object' && value !== null && typeof value.description === 'string') value.description += '!';
    return value;
  })`,
  'a new member of a response': `${schema(answer)} schema.properties.extra = { type: 'string' }`,
  'a required member of a response, with a default': `${schema(answer)}
    schema.properties.extra = { type: 'string', default: '' }; schema.required.push('extra')`,
  'an optional member of a body': `${schema(body)} schema.properties.extra = { type: 'string' }`,
  'a new event': `events['a.b'] = events['receipt.created']`,
};
const breaking = {
  'a removed route': `delete api.paths['/stores'].post`,
  'a removed member of a response': `${schema(answer)} delete schema.properties.name`,
  'a removed member of a body': `${schema(body)} delete schema.properties.name`,
  'a required member of a body': `${schema(body)} schema.properties.extra = { type: 'string' }; schema.required.push('extra')`,
  'a shorter text': `${schema(body)} schema.properties.name.maxLength = 3`,
  'a removed event': `delete events['receipt.created']`,
  'a removed member of an event': `delete events['store.created'].payload.properties.data`,
};

it('distinguishes breaking changes from other changes', () => {
  const before = { openapi: JSON.parse(read('openapi.json')), asyncapi: JSON.parse(read('asyncapi.json')) };
  // Comparing the whole interface takes a second of CPU time for each change.
  const { paths } = before.openapi;
  before.openapi.paths = Object.fromEntries(
    ['/stores', '/stores/{reference}'].map((name) => [name, paths[name]]),
  );
  before.openapi.components.schemas = Object.fromEntries(
    Object.entries(before.openapi.components.schemas).filter(([name]) => /Store|Error/.test(name)),
  );
  const input = JSON.stringify({ before, changes: { ...compatible, ...breaking } });
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: root, input });
  const results = JSON.parse(printed.toString()) as Record<string, string[]>;
  for (const name of Object.keys(compatible)) expect([name, results[name]]).toEqual([name, []]);
  for (const name of Object.keys(breaking)) expect([name, results[name]?.length]).not.toEqual([name, 0]);
});
