import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { serviceNames } from './service-names';

const root = path.resolve(__dirname, '../../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

interface Setting {
  readonly name: string;
  readonly services: string;
  readonly isSecret: boolean;
}

/** The generated list of all settings. */
const settings: readonly Setting[] = [
  ...read('docs/settings.md').matchAll(/^\| `(\w+)` \| .*? \| ([a-z, -]+) \| (.*) \|$/gm),
].map(([, name = '', services = '', effect = '']) => ({
  name,
  services,
  isSecret: effect.endsWith('A secret.'),
}));
const settingsOf = (service: string) =>
  settings.filter(({ services }) => services === 'all' || services.split(', ').includes(service));

it('reads the list of settings', () => {
  expect(settings.length).toBeGreaterThan(50);
  expect(settings.filter(({ isSecret }) => isSecret).length).toBeGreaterThan(5);
});

describe('docker-compose.yml', () => {
  const compose = parse(read('docker-compose.yml'), { merge: true });
  /** What the container, its users or its single database determine. */
  const fixed = new Set(
    (
      'HEALTH_HOST HEALTH_PORT HOST PORT DATA_DIR MAIL_FILES TLS_CERT_FILE TLS_KEY_FILE ' +
      'RESOURCE_PREFIX INSTALLATION MONGODB_DATABASE MONGODB_COMMIT_QUORUM'
    ).split(' '),
  );

  it.each(serviceNames)('takes every other setting of %s from .env', (service) => {
    const given = compose.services[service].environment as Record<string, string | null>;
    const wanted = settingsOf(service).filter(({ name }) => !fixed.has(name));
    expect(wanted.map(({ name }) => name).filter((name) => !(name in given))).toEqual([]);
    const known = settingsOf(service).map(({ name }) => name);
    const shared = ['PUBLIC_URL', 'DATA_DIR'];
    expect(Object.keys(given).filter((name) => !known.includes(name) && !shared.includes(name))).toEqual([]);
  });
});

describe('the Helm chart', () => {
  const schema = JSON.parse(read('deploy/helm/receipts/values.schema.json'));
  const { values: secrets } = schema.properties.secrets.properties;

  it.each(serviceNames)('accepts every secret of %s, and only for its services', (service) => {
    const accepted = Object.keys(secrets.properties[service].properties);
    const wanted = settingsOf(service).filter(({ isSecret }) => isSecret);
    expect(accepted).toEqual(expect.arrayContaining(wanted.map(({ name }) => name)));
    const known = settingsOf(service).map(({ name }) => name);
    expect(accepted.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('does not accept secrets as settings, which every service and every reader of the ConfigMap sees', () => {
    const refused: string[] = schema.properties.settings.propertyNames.not.enum;
    const wanted = settings.filter(({ isSecret }) => isSecret).map(({ name }) => name);
    expect(refused).toEqual(expect.arrayContaining(wanted));
  });
});
