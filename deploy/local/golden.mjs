// Generates lists from the code: which services use commands, queries and events of others, all routes, and all
// settings. With --check it only verifies that docs/ is up to date, so that no change goes unnoticed. Run `npm run
// docs:generate` to accept changes.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { parseArgs } from 'node:util';
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
      else if (Array.isArray(value?.asks)) used.push(...value.asks);
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
  // A list of events that is used as a whole means that all of them are consumed. A list of contracts as a whole is
  // only inspected.
  return isListOf(isEvent, list) && new RegExp(`\\b${name}\\b`).test(code) ? Object.values(list) : [];
}

function usesOf(service) {
  const used = service === 'gateway' ? all.filter(({ http }) => http !== undefined) : [];
  const found = [...used, ...sourcesOf(service).flatMap(usedIn)];
  return [...new Set(found)].filter(({ owner }) => owner !== service).sort(byName);
}

function graph() {
  const lines = ['flowchart LR'];
  const rows = [];
  for (const service of services) {
    const owners = [...new Set(usesOf(service).map(({ owner }) => owner))].sort();
    for (const owner of owners) {
      const uses = usesOf(service).filter((use) => use.owner === owner);
      const asked = uses.filter(isContract);
      const heard = uses.filter(isEvent);
      if (asked.length > 0) {
        lines.push(`  ${service} -- "asks ${asked.length}" --> ${owner}`);
        rows.push([
          service,
          'asks',
          owner,
          asked
            .map(nameOf)
            .map((name) => `\`${name}\``)
            .join(', '),
        ]);
      }
      if (heard.length > 0) {
        lines.push(`  ${owner} -. "tells ${heard.length}" .-> ${service}`);
        rows.push([
          service,
          'hears',
          owner,
          heard
            .map(nameOf)
            .map((name) => `\`${name}\``)
            .join(', '),
        ]);
      }
    }
  }
  return `# Who asks and hears whom

Every arrow is a message through the broker. Answers go back to whoever asked; what the gateway asks is what has a route.

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

Who may call, the status of a success, and the errors that are the operation's own; those that every route can give are at
\`/docs/errors\` of a platform that runs.

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
  const read = Object.entries(config).find(([name]) => /^read/.test(name))?.[1];
  try {
    read();
  } catch {
    // The config fails on the missing values after the declaration was recorded.
  }
  require.cache[host].exports = known;
  return Object.entries(shape).map(([name, schema]) => {
    const given = schema.safeParse(undefined);
    const value = !given.success
      ? 'must be given'
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

The environment variables that processes read, each once, in their service's \`config.ts\`.

${table(['setting', 'default', 'services', 'what for'], rows)}`;
}

const files = { 'messages.md': graph(), 'routes.md': routes(), 'settings.md': settings() };
const note =
  '<!-- Generated from the code by `npm run docs:generate`; `npm run check` fails when it is not current. -->\n\n';
const { values } = parseArgs({ options: { check: { type: 'boolean' } } });
let isStale = false;
for (const [name, text] of Object.entries(files)) {
  const file = path.join(folder, name);
  const wanted = note + text;
  if (!values.check) {
    writeFileSync(file, wanted);
    continue;
  }
  const found = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (found === wanted) continue;
  isStale = true;
  const had = new Set(found.split('\n'));
  const has = new Set(wanted.split('\n'));
  console.log(`docs/${name} is not what the code says; if that is meant: npm run docs:generate`);
  for (const line of had) if (!has.has(line)) console.log(`- ${line}`);
  for (const line of has) if (!had.has(line)) console.log(`+ ${line}`);
}
process.exit(isStale ? 1 : 0);
