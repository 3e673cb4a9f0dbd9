// Generates the descriptions of the HTTP interface and of the events, and detects breaking changes in them.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { apiDiff } from 'api-smart-diff';
import { root } from './bootstrap.mjs';

/** `{ openapi, asyncapi }`, as a running platform serves them at /openapi.json and /asyncapi.json. */
export function describeApi() {
  const printed = execFileSync(process.execPath, [path.join(root, 'services/gateway/dist/describe.js')], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(printed.toString());
}

/** The events as responses in an OpenAPI document, so that one tool can compare both. Consumers of events only read. */
const asOpenapi = ({ components }) => ({
  openapi: '3.1.0',
  info: { title: 'Events', version: '1' },
  paths: Object.fromEntries(
    Object.entries(components.messages).map(([type, { payload }]) => [
      `/${type}`,
      {
        get: {
          responses: { 200: { description: type, content: { 'application/json': { schema: payload } } } },
        },
      },
    ]),
  ),
  components: { schemas: components.schemas ?? {} },
});

const texts = new Set(['description', 'title', 'summary']);
const samples = new Set(['example', 'examples']);

/** A copy without texts and examples, because variants of a schema would otherwise differ in them. */
function withoutTexts(value, isListOfNames = false) {
  if (Array.isArray(value)) return value.map((each) => withoutTexts(each));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(
    ([name, each]) => isListOfNames || !(samples.has(name) || (texts.has(name) && typeof each === 'string')),
  );
  return Object.fromEntries(
    kept.map(([name, each]) => [name, withoutTexts(each, !isListOfNames && name === 'properties')]),
  );
}

/** Unknown members of a body are rejected, so removing a member breaks callers that send it. */
const isRemovedFromRequest = ({ action, path: place }) =>
  action === 'remove' && place.includes('requestBody') && place.at(-2) === 'properties';

/** Clients ignore members and values that they do not know. */
const isAddedToResponse = ({ action, path: place }) => action === 'add' && place.includes('responses');

/** Parts that no program depends on, and components, whose changes are detected where they are used. */
const ignored = new Set(['info', 'tags', 'servers', 'components']);

/** The changes that break callers of the interface or consumers of the events, one line each. */
export function breakingChanges(before, after) {
  const documents = [
    ['HTTP interface', before.openapi, after.openapi],
    ['events', asOpenapi(before.asyncapi), asOpenapi(after.asyncapi)],
  ];
  return documents.flatMap(([title, one, other]) =>
    apiDiff(withoutTexts(one), withoutTexts(other))
      .filter((change) => change.type === 'breaking' || isRemovedFromRequest(change))
      .filter((change) => !isAddedToResponse(change))
      .filter(({ path: [part] }) => !ignored.has(part))
      .map(({ action, path: place }) => `${title}: ${action} ${place.join('/')}`),
  );
}
