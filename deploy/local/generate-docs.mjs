// Generates from the code: which services use the commands, queries and events of others, all routes, all settings, and
// the descriptions of the HTTP interface and the events. With --check, only verifies that docs/ is up to date. `npm
// run docs:generate` accepts changes, and with `-- --accept-breaking` also those that break callers.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { breakingChanges, describeApi } from './api-descriptions.mjs';
import { root } from './bootstrap.mjs';

const folder = path.join(root, 'docs');
const services = readdirSync(path.join(root, 'services')).sort();
const requireOf = (service) => createRequire(path.join(root, 'services', service, 'package.json'));
const contracts = requireOf('gateway')('@receipts/contracts');

const isContract = (value) => value?.kind === 'command' || value?.kind === 'query';
const isEvent = (value) => typeof value?.type === 'string' && typeof value?.owner === 'string';
const isListOf = (kind, value) =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).length > 0 &&
  Object.values(value).every(kind);
const lists = Object.entries(contracts).filter(
  ([, value]) => isListOf(isContract, value) || isListOf(isEvent, value),
);
const all = [...new Set(lists.flatMap(([, list]) => Object.values(list)))];
const nameOf = (declared) => declared.name ?? declared.type;
const byName = (a, b) => (nameOf(a) < nameOf(b) ? -1 : 1);

function sourcesOf(service) {
  const folder = path.join(root, 'services', service, 'src');
  return readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !/(^|\/)testing\//.test(file))
    .map((file) => readFileSync(path.join(folder, file), 'utf8'));
}

/** The contracts and events that a source imports as values. Those of other services are dependencies. */
function usedIn(source) {
  const used = [];
  for (const [, names] of source.matchAll(/import \{([^}]*)\} from '@receipts\/contracts'/g)) {
    for (const name of names.split(',').map((part) => part.trim())) {
      const value = contracts[name];
      if (isContract(value) || isEvent(value)) used.push(value);
      else if (Array.isArray(value?.uses)) used.push(...value.uses);
      else if (isListOf(isContract, value) || isListOf(isEvent, value))
        used.push(...usedOfList(source, name, value));
    }
  }
  return used;
}

function usedOfList(source, name, list) {
  const code = source.replace(/import \{[^}]*\} from '[^']*'/g, '').replaceAll(`typeof ${name}`, '');
  const picked = [...code.matchAll(new RegExp(`\\b${name}\\.(\\w+)`, 'g'))].map(([, key]) => key);
  for (const [, keys] of code.matchAll(new RegExp(`\\{([^{}]*)\\} = ${name}\\b`, 'g')))
    picked.push(...keys.split(',').map((key) => key.split(':')[0].trim()));
  if (picked.length > 0) return picked.map((key) => list[key]).filter((value) => value !== undefined);
  // A service that uses a whole list of events consumes all of them. A whole list of contracts is only inspected.
  return isListOf(isEvent, list) && new RegExp(`\\b${name}\\b`).test(code) ? Object.values(list) : [];
}

function usesOf(service) {
  const used = service === 'gateway' ? all.filter(({ http }) => http !== undefined) : [];
  const found = [...used, ...sourcesOf(service).flatMap(usedIn)];
  return [...new Set(found)].filter(({ owner }) => owner !== service).sort(byName);
}

const counted = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`;

function graph() {
  const lines = ['flowchart LR'];
  const rows = [];
  for (const service of services) {
    const owners = [...new Set(usesOf(service).map(({ owner }) => owner))].sort();
    for (const owner of owners) {
      const uses = usesOf(service).filter((use) => use.owner === owner);
      const asked = uses.filter(isContract);
      const consumed = uses.filter(isEvent);
      const add = (contracts, arrow, verb) => {
        if (contracts.length === 0) return;
        lines.push(arrow);
        const names = contracts.map((contract) => `\`${nameOf(contract)}\``);
        rows.push([service, verb, owner, names.join(', ')]);
      };
      const requests = counted(asked.length, 'request');
      add(asked, `  ${service} -- "${requests}" --> ${owner}`, 'sends requests to');
      const events = counted(consumed.length, 'event');
      add(consumed, `  ${owner} -. "${events}" .-> ${service}`, 'consumes events of');
    }
  }
  return `# Message flow

Every arrow is a message through the broker: solid for commands and queries, dotted for events. The gateway sends everything that has a route.

\`\`\`mermaid
${lines.join('\n')}
\`\`\`

${table(['service', '', 'owner', 'contracts'], rows)}`;
}

const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows]
    .map(
      (row) =>
        `| ${row.map((cell) => String(cell).replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`,
    )
    .join('\n') + '\n';

function routes() {
  const rows = all
    .filter(({ http }) => http !== undefined)
    .map((contract) => {
      const { http, permission, errors = [] } = contract;
      const who = permission ?? http.access ?? 'any credential';
      const version = http.version === undefined ? '' : ` (version ${http.version})`;
      const codes = [...new Set(errors.map(({ status, code }) => `${status} ${code}`))].sort();
      return [`${http.method} ${http.path}${version}`, contract.name, who, http.success, codes.join(', ')];
    })
    .sort(([a], [b]) => (a.replace(/^\w+ /, '') + a < b.replace(/^\w+ /, '') + b ? -1 : 1));
  return `# Routes

Each route with its permission, its success status, and the operation's own errors. Errors that every route can return are at
\`/docs/errors\` of a running platform.

${table(['route', 'contract', 'permission or access', 'success', 'errors'], rows)}`;
}

/**
 * The settings that a service's config declares. Its config is loaded with a stub of `readSettings`, which records the
 * declaration.
 */
function settingsOf(service) {
  const require = requireOf(service);
  const host = require.resolve('@receipts/host');
  let shape = {};
  const known = require(host);
  require.cache[host].exports = {
    ...known,
    readSettings: (declared) => {
      shape = declared;
      return {};
    },
  };
  const config = require(path.join(root, 'services', service, 'dist/config.js'));
  const read = Object.entries(config).find(([name]) => name.startsWith('read'))?.[1];
  try {
    read();
  } catch {
    // The config fails on missing values after the declaration has been recorded.
  }
  require.cache[host].exports = known;
  return Object.entries(shape).map(([name, schema]) => {
    const given = schema.safeParse(undefined);
    const value = !given.success
      ? 'required'
      : given.data === undefined
        ? 'none'
        : `\`${JSON.stringify(given.data)}\``;
    return { name, value, description: schema.meta()?.description ?? '', service };
  });
}

function settings() {
  const declared = services.flatMap(settingsOf);
  const rows = [...new Set(declared.map(({ name }) => name))].sort().flatMap((name) => {
    const same = declared.filter((setting) => setting.name === name);
    const kinds = [...new Set(same.map(({ value, description }) => JSON.stringify([value, description])))];
    return kinds.map((kind) => {
      const [value, description] = JSON.parse(kind);
      const users = same.filter((one) => JSON.stringify([one.value, one.description]) === kind);
      const who = users.length === services.length ? 'all' : users.map(({ service }) => service).join(', ');
      return [`\`${name}\``, value, who, description];
    });
  });
  return `# Settings

The environment variables of all processes, as declared in \`config.ts\` of each service.

${table(['setting', 'default', 'services', 'effect'], rows)}`;
}

const described = describeApi();
const note =
  '<!-- Generated from the code by `npm run docs:generate`; `npm run check` fails when it is not current. -->\n\n';
const printed = (document) => `${JSON.stringify(document, null, 1)}\n`;
const files = {
  'messages.md': note + graph(),
  'routes.md': note + routes(),
  'settings.md': note + settings(),
  'openapi.json': printed(described.openapi),
  'asyncapi.json': printed(described.asyncapi),
};
const { values } = parseArgs({
  options: { check: { type: 'boolean' }, 'accept-breaking': { type: 'boolean' } },
});
const read = (name) =>
  existsSync(path.join(folder, name)) ? readFileSync(path.join(folder, name), 'utf8') : '';

/** The breaking changes since the committed descriptions; none if there are no descriptions yet. */
function breaking() {
  const [openapi, asyncapi] = ['openapi.json', 'asyncapi.json'].map(read);
  if (openapi === '' || asyncapi === '') return [];
  const before = { openapi: JSON.parse(openapi), asyncapi: JSON.parse(asyncapi) };
  return breakingChanges(before, described);
}

const broken = values['accept-breaking'] ? [] : breaking();
for (const line of broken) console.log(`breaking change: ${line}`);
if (broken.length > 0) {
  console.log(
    'Keep the old version alongside the new one, or accept the change: npm run docs:generate -- --accept-breaking',
  );
  process.exit(1);
}

let isStale = false;
for (const [name, wanted] of Object.entries(files)) {
  const found = read(name);
  if (found === wanted) continue;
  if (!values.check) {
    writeFileSync(path.join(folder, name), wanted);
    continue;
  }
  isStale = true;
  const had = new Set(found.split('\n'));
  const has = new Set(wanted.split('\n'));
  console.log(`docs/${name} differs from the code; if that is intended, run npm run docs:generate`);
  for (const line of had) if (!has.has(line)) console.log(`- ${line}`);
  for (const line of has) if (!had.has(line)) console.log(`+ ${line}`);
}
process.exit(isStale ? 1 : 0);
