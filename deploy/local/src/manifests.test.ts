import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import { parse } from 'yaml';
import { serviceNames } from './service-names';

const root = path.resolve(__dirname, '../../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

describe('docker-compose.yml', () => {
  const compose = parse(read('docker-compose.yml'), { merge: true });

  it.each(serviceNames)(
    'runs %s from the shared image, once the broker and the store are healthy',
    (name) => {
      const service = compose.services[name];
      expect(service.image).toBe('receipts:latest');
      expect(service.command).toEqual([`services/${name}/dist/main.js`]);
      expect(Object.keys(service.depends_on)).toEqual(expect.arrayContaining(['rabbitmq', 'mongo']));
      const variable = name.replaceAll('-', '_').toUpperCase();
      const { AMQP_URL: broker, MONGODB_URI: store } = service.environment;
      expect(broker).toContain(`//${name}:\${${variable}_BROKER_PASSWORD:?`);
      if (name === 'gateway') expect(store).toBeUndefined();
      else
        expect(store).toMatch(
          new RegExp(`^mongodb://${name}:\\$\\{${variable}_STORE_PASSWORD:\\?.*replicaSet=rs0`),
        );
    },
  );

  it('pins the version of each image, and runs releases of the servers that are maintained', () => {
    const images = Object.values<{ image: string }>(compose.services).map(({ image }) => image);
    for (const image of images) expect(image).toMatch(/^receipts:latest$|:v?\d+\.\d+(\.\d+)?(-[a-z]+)?$/);
    expect(compose.services.rabbitmq.image).toMatch(/^rabbitmq:4\./);
    expect(compose.services.mongo.image).toMatch(/^mongo:8\./);
  });

  it('takes from .env what the guide sets for a public installation', () => {
    const [, block = ''] =
      /add to `\.env`:\n\n```ini\n([^`]*)```/.exec(read('docs/guides/run-in-production.md')) ?? [];
    const names = [...block.matchAll(/^([A-Z_]+)=/gm)].map(([, name = '']) => name);
    expect(names).toEqual(
      expect.arrayContaining(['PUBLIC_URL', 'TRUSTED_PROXIES', 'HTTPS_ONLY', 'SMTP_URL', 'MAIL_FROM']),
    );
    for (const name of names) expect(read('docker-compose.yml')).toContain(`${name}: \${${name}:-`);
  });

  it('contains no secrets, and listens only on this machine', () => {
    const text = read('docker-compose.yml');
    for (const name of [
      'MASTER_KEY',
      'ID_SECRET',
      'OPERATOR_TOKEN',
      'GATEWAY_BROKER_PASSWORD',
      'STORE_PASSWORD',
    ]) {
      expect(text).toContain(`\${${name}:?`);
      expect(text).not.toContain(`\${${name}:-`);
    }
    const ports = Object.values<{ ports?: string[] }>(compose.services).flatMap(
      (service) => service.ports ?? [],
    );
    expect(ports.length).toBeGreaterThanOrEqual(3);
    for (const port of ports) expect(port).toMatch(/^(127\.0\.0\.1|\$\{GATEWAY_ADDRESS:-127\.0\.0\.1\}):/);
  });

  it('gives each service the secrets that it needs itself', () => {
    const secrets = Object.fromEntries(
      serviceNames.map((name) => [
        name,
        ['MASTER_KEY', 'ID_SECRET', 'OPERATOR_TOKEN'].filter(
          (secret) => secret in compose.services[name].environment,
        ),
      ]),
    );
    expect(secrets).toEqual({
      gateway: ['MASTER_KEY', 'ID_SECRET', 'OPERATOR_TOKEN'],
      ingest: ['ID_SECRET'],
      transform: [],
      'receipt-store': ['ID_SECRET'],
      delivery: ['MASTER_KEY', 'ID_SECRET'],
      identifier: ['MASTER_KEY'],
      admin: ['MASTER_KEY', 'OPERATOR_TOKEN'],
    });
  });

  it('has a database user for each service that owns only its own database', () => {
    const made: { user: string; pwd: string; roles: { role: string; db: string }[] }[] = [];
    const admin = { getUser: () => null, createUser: (user: (typeof made)[number]) => made.push(user) };
    const env = compose.services.mongo.environment;
    // mongosh provides these two globals to the script.
    runInNewContext(read('deploy/docker/mongodb-users.js'), {
      db: { getSiblingDB: () => admin },
      process: { env },
    });
    const owners = serviceNames.filter((name) => name !== 'gateway');
    expect(made.map(({ user }) => user).sort()).toEqual([...owners, 'exporter'].sort());
    for (const { user, pwd, roles } of made) {
      expect(pwd).toContain(`\${${user.replaceAll('-', '_').toUpperCase()}_STORE_PASSWORD:?`);
      const db = `receipts_${user.replaceAll('-', '_')}`;
      expect(roles).toEqual([
        user === 'exporter' ? { role: 'clusterMonitor', db: 'admin' } : { role: 'readWrite', db },
      ]);
    }
  });

  it('has a broker user for each service that can declare and read only its own queues', () => {
    const { users, permissions } = JSON.parse(read('deploy/docker/rabbitmq-definitions.json'));
    expect(users.map(({ name }: { name: string }) => name).sort()).toEqual([...serviceNames].sort());
    for (const { user, configure, write, read: reads } of permissions) {
      const own = `receipts.${user}.requests`;
      const foreign = serviceNames.filter((name) => name !== user).map((name) => `receipts.${name}.requests`);
      for (const pattern of [configure, write, reads].map((text) => new RegExp(text))) {
        expect(pattern.test(own)).toBe(true);
      }
      // An administrator may change the rights of all users anyway, and looks at all queues.
      const limited = user === 'admin' ? [configure, reads] : [configure, write, reads];
      for (const pattern of limited.map((text: string) => new RegExp(text))) {
        expect(foreign.filter((queue) => pattern.test(queue))).toEqual([]);
      }
    }
  });

  it('allows admin to lock the dead letters of every queue while it reads them', () => {
    const { permissions } = JSON.parse(read('deploy/docker/rabbitmq-definitions.json'));
    const admin = permissions.find(({ user }: { user: string }) => user === 'admin');
    const source = read('libs/messaging/src/topology/queues.ts');
    const [, suffix = ''] = /function readLock\b.*\n.*`\$\{queue\}(\.[a-z-]+)`/.exec(source) ?? [];
    expect(suffix).not.toBe('');
    for (const name of serviceNames)
      expect(new RegExp(admin.configure).test(`receipts.${name}.commands${suffix}`)).toBe(true);
  });

  it('gets its secrets from a script that writes a 32-byte key and keeps existing values', () => {
    const dir = mkdtempSync(path.join(os.tmpdir(), 'receipts-secrets-'));
    mkdirSync(path.join(dir, 'deploy/docker'), { recursive: true });
    const script = path.join(dir, 'deploy/docker/secrets.sh');
    copyFileSync(path.join(root, 'deploy/docker/secrets.sh'), script);
    const definitions = 'deploy/docker/rabbitmq-definitions.json';
    copyFileSync(path.join(root, definitions), path.join(dir, definitions));
    execFileSync('bash', [script]);
    const file = path.join(dir, '.env');
    const first = readFileSync(file, 'utf8');
    const [, key = ''] = /^MASTER_KEY=(.*)$/m.exec(first) ?? [];
    expect(Buffer.from(key, 'base64')).toHaveLength(32);
    expect(statSync(file).mode & 0o077).toBe(0);
    const { users } = JSON.parse(readFileSync(path.join(dir, '.secrets/rabbitmq-definitions.json'), 'utf8'));
    for (const { name, password_hash: kept } of users) {
      const variable = `${name.replaceAll('-', '_').toUpperCase()}_BROKER_PASSWORD`;
      const [, password = ''] = new RegExp(`^${variable}=(.+)$`, 'm').exec(first) ?? [];
      const salt = Buffer.from(kept, 'base64').subarray(0, 4);
      const digest = createHash('sha256').update(salt).update(password).digest();
      expect(kept).toBe(Buffer.concat([salt, digest]).toString('base64'));
    }
    const written = statSync(path.join(dir, '.secrets/rabbitmq-definitions.json'));
    execFileSync('bash', [script]);
    expect(readFileSync(file, 'utf8')).toBe(first);
    // A running container would not see another file.
    expect(statSync(path.join(dir, '.secrets/rabbitmq-definitions.json')).ino).toBe(written.ino);
    rmSync(dir, { recursive: true });
  });
});

describe('Dockerfile', () => {
  it('copies the manifest of every workspace before installation', () => {
    const dockerfile = read('deploy/docker/Dockerfile');
    const beforeInstall = dockerfile.slice(0, dockerfile.indexOf('RUN npm ci'));
    const [, copied = ''] = /^COPY --parents (.*) \.\/$/m.exec(beforeInstall) ?? [];
    const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] };
    expect(workspaces.length).toBeGreaterThan(2);
    expect(copied.split(' ')).toEqual(
      expect.arrayContaining(workspaces.map((workspace) => `${workspace}/package.json`)),
    );
  });
});

it("writes e-mails to files only on a developer's machine", () => {
  const files = ['docker-compose.yml', 'deploy/kubernetes/receipts.yaml', 'deploy/helm/receipts/values.yaml'];
  for (const file of files) expect(read(file)).not.toContain('MAIL_FILES');
  expect(read('deploy/local/src/service-environment.ts')).toContain("MAIL_FILES: 'true'");
});

describe('the Helm chart', () => {
  const chart = 'deploy/helm/receipts';
  const values = parse(read(`${chart}/values.yaml`));
  const schema = JSON.parse(read(`${chart}/values.schema.json`));
  const compose = parse(read('docker-compose.yml'), { merge: true });

  it('gives each service only the secrets that it needs', () => {
    const wanted = (name: string) => {
      const known = ['AMQP_URL', 'MONGODB_URI', 'MASTER_KEY', 'ID_SECRET', 'OPERATOR_TOKEN'];
      return known.filter((secret) => secret in compose.services[name].environment).sort();
    };
    const { values: secrets } = schema.properties.secrets.properties;
    for (const name of serviceNames) {
      expect([...secrets.properties[name].required].sort()).toEqual(wanted(name));
      expect(secrets.properties[name].additionalProperties).toBe(false);
    }
  });

  it.each(['small', 'large'])('has values for %s, and only for existing services', (size) => {
    const changed = parse(read(`${chart}/values-${size}.yaml`));
    expect(Object.keys(changed.services).sort()).toEqual([...serviceNames].sort());
    for (const [name, service] of Object.entries<Record<string, unknown>>(changed.services)) {
      expect(Object.keys({ ...values.services[name], ...service }).sort()).toEqual(
        Object.keys(values.services[name]).sort(),
      );
    }
  });
});

describe('deploy/observability', () => {
  const declared = new Set(
    [
      'libs/host/src/messaging-metrics.ts',
      'libs/host/src/storage-metrics.ts',
      'services/admin/src/main.ts',
      'services/gateway/src/request-metrics.ts',
      'services/delivery/src/delivery-counters.ts',
      'services/ingest/src/main.ts',
      'services/transform/src/main.ts',
    ].flatMap((file) =>
      [...read(file).matchAll(/(?:name: |(?:counter|gauge|histogram)\(\s*)'([a-z_]+)'/g)].map(
        ([, name = '']) => name,
      ),
    ),
  );
  /** Metrics of Node.js, Prometheus, RabbitMQ and MongoDB's exporter. */
  const others = /^(up|process_|nodejs_|rabbitmq_detailed_|mongodb_ss_)/;
  const expressionsOf = {
    'alerts.yml': (text: string) =>
      parse(text).groups.flatMap(({ rules }: { rules: { expr: string }[] }) => rules.map(({ expr }) => expr)),
    'grafana/receipts.json': (text: string) =>
      JSON.parse(text).panels.flatMap(({ targets = [] }: { targets?: { expr: string }[] }) =>
        targets.map(({ expr }) => expr),
      ),
  };

  it.each(Object.entries(expressionsOf))(
    '%s uses only metrics that a process exposes',
    (file, expressions) => {
      const wanted = expressions(read(`deploy/observability/${file}`)).flatMap((expression: string) =>
        [...expression.matchAll(/([a-z][a-z_]*?)(?:_bucket|_sum|_count)?(?=\{|\[|\)| offset)/g)]
          .map(([, name = '']) => name)
          .filter((name) => name.includes('_') || name === 'up'),
      );
      const labels = new Set(['legacy_op_type']);
      const unknown = wanted.filter(
        (name: string) => !declared.has(name) && !others.test(name) && !labels.has(name),
      );
      expect(wanted.length).toBeGreaterThan(10);
      expect(unknown).toEqual([]);
    },
  );
});
