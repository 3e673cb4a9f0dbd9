import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { serviceNames } from './service-names';

const root = path.resolve(__dirname, '../../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

describe('docker-compose.yml', () => {
  const compose = parse(read('docker-compose.yml'), { merge: true });

  it.each(serviceNames)('runs %s from the one image, once broker and store are healthy', (name) => {
    const service = compose.services[name];
    expect(service.image).toBe('receipts:latest');
    expect(service.command).toEqual([`services/${name}/dist/main.js`]);
    expect(Object.keys(service.depends_on)).toEqual(expect.arrayContaining(['rabbitmq', 'mongo']));
    expect(service.environment.MONGODB_URI).toContain('replicaSet=');
  });

  it('knows no secret, and listens on this machine alone', () => {
    const text = read('docker-compose.yml');
    for (const name of ['MASTER_KEY', 'ID_SECRET', 'OPERATOR_TOKEN', 'BROKER_PASSWORD', 'STORE_PASSWORD']) {
      expect(text).toContain(`\${${name}:?`);
      expect(text).not.toContain(`\${${name}:-`);
    }
    const ports = Object.values<{ ports?: string[] }>(compose.services).flatMap(
      (service) => service.ports ?? [],
    );
    expect(ports.length).toBeGreaterThanOrEqual(3);
    for (const port of ports) expect(port).toMatch(/^(127\.0\.0\.1|\$\{GATEWAY_ADDRESS:-127\.0\.0\.1\}):/);
  });

  it('gets its secrets from a script: a key of 32 bytes, and what is there stays', () => {
    const dir = mkdtempSync(path.join(os.tmpdir(), 'receipts-secrets-'));
    mkdirSync(path.join(dir, 'deploy/docker'), { recursive: true });
    const script = path.join(dir, 'deploy/docker/secrets.sh');
    copyFileSync(path.join(root, 'deploy/docker/secrets.sh'), script);
    execFileSync('bash', [script]);
    const file = path.join(dir, '.env');
    const first = readFileSync(file, 'utf8');
    const [, key = ''] = /^MASTER_KEY=(.*)$/m.exec(first) ?? [];
    expect(Buffer.from(key, 'base64')).toHaveLength(32);
    expect(statSync(file).mode & 0o077).toBe(0);
    execFileSync('bash', [script]);
    expect(readFileSync(file, 'utf8')).toBe(first);
    rmSync(dir, { recursive: true });
  });
});

describe('Dockerfile', () => {
  it('copies the manifest of every workspace before it installs', () => {
    const dockerfile = read('deploy/docker/Dockerfile');
    const beforeInstall = dockerfile.slice(0, dockerfile.indexOf('RUN npm ci'));
    const folders = ['libs', 'services'].flatMap((kind) =>
      readdirSync(path.join(root, kind)).map((name) => `${kind}/${name}/package.json`),
    );
    expect(folders.length).toBeGreaterThanOrEqual(14);
    for (const manifest of folders) expect(beforeInstall).toContain(`COPY ${manifest} `);
  });
});

describe('Kubernetes manifests', () => {
  const kustomization = parse(read('deploy/kubernetes/kustomization.yaml'));

  it.each(serviceNames)('deploys %s with probes and a graceful stop', (name) => {
    expect(kustomization.resources).toContain(`${name}.yaml`);
    const documents = parseAllDocuments(read(`deploy/kubernetes/${name}.yaml`)).map((document) =>
      document.toJS(),
    );
    const deployment = documents.find((document) => document.kind === 'Deployment');
    const [container] = deployment.spec.template.spec.containers;
    expect(container.args).toEqual([`services/${name}/dist/main.js`]);
    expect(container.livenessProbe.httpGet.path).toBe('/live');
    expect(container.readinessProbe.httpGet.path).toBe('/ready');
    expect(deployment.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(15);
    expect(deployment.spec.template.spec.automountServiceAccountToken).toBe(false);
    // Each has the secrets that it needs itself.
    expect(container.envFrom).toContainEqual({ secretRef: { name: `receipts-${name}` } });
  });
});

describe('deploy/observability', () => {
  const declared = new Set(
    [
      'libs/host/src/messaging-metrics.ts',
      'libs/host/src/storage-metrics.ts',
      'services/gateway/src/request-metrics.ts',
      'services/transform/src/main.ts',
    ].flatMap((file) =>
      [...read(file).matchAll(/(?:name: |gauge\(\s*)'([a-z_]+)'/g)].map(([, name = '']) => name),
    ),
  );
  /** What Node's default metrics, Prometheus, RabbitMQ and MongoDB's exporter call theirs. */
  const others = /^(up|process_|nodejs_|rabbitmq_detailed_|mongodb_ss_)/;
  const expressionsOf = {
    'alerts.yml': (text: string) =>
      parse(text).groups.flatMap(({ rules }: { rules: { expr: string }[] }) => rules.map(({ expr }) => expr)),
    'grafana/receipts.json': (text: string) =>
      JSON.parse(text).panels.flatMap(({ targets = [] }: { targets?: { expr: string }[] }) =>
        targets.map(({ expr }) => expr),
      ),
  };

  it.each(Object.entries(expressionsOf))('%s asks for nothing that no process tells', (file, expressions) => {
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
  });
});
