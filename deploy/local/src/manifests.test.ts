import { readdirSync, readFileSync } from 'node:fs';
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

  it('gives a master key of 32 bytes', () => {
    const [, fallback] = /:-([^}]+)}/.exec(compose.services.admin.environment.MASTER_KEY) ?? [];
    expect(Buffer.from(fallback ?? '', 'base64')).toHaveLength(32);
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
  });
});
