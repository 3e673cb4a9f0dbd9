import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { hasHelm, renderChart } from './render-chart';
import { serviceNames } from './service-names';
import { schemaErrors, typeErrors, type Manifest } from './testing/check-manifests';

const root = path.resolve(__dirname, '../../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const chart = path.join(root, 'deploy/helm/receipts');
const isPossible = hasHelm();
const describeChart = isPossible ? describe : describe.skip;

const required = { settings: { PUBLIC_URL: 'https://receipts.example.com', MAIL_FROM: 'till@example.com' } };

let dir: string;
beforeAll(() => {
  mkdirSync(path.join(root, 'node_modules/.cache'), { recursive: true });
  dir = mkdtempSync(path.join(root, 'node_modules/.cache/helm-chart-'));
});
afterAll(() => rmSync(dir, { recursive: true }));

function template(values: object, size = 'values') {
  writeFileSync(path.join(dir, 'values.yaml'), stringify(values));
  const files = [`${chart}/${size}.yaml`, `${dir}/values.yaml`].flatMap((file) => ['--values', file]);
  return renderChart(...files);
}

/** The manifests that Helm renders. `values` are in addition to the required ones. */
function render(
  values: { readonly settings?: object; readonly [value: string]: unknown } = {},
  size?: string,
): Manifest[] {
  const settings = { ...required.settings, ...values.settings };
  const { text, error } = template({ ...values, settings }, size);
  if (text === undefined) throw new Error(error);
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
}
const find = (manifests: readonly Manifest[], kind: string, name: string) =>
  manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name) as Manifest;
const podOf = (manifests: readonly Manifest[], name: string) => {
  const { template: pod } = find(manifests, 'Deployment', name).spec;
  return { ...pod, spec: pod.spec, container: pod.spec.containers[0] };
};
const settingsOf = (manifests: readonly Manifest[]) => find(manifests, 'ConfigMap', 'receipts-settings').data;

const everything = {
  extraEnv: [{ name: 'TZ', value: 'UTC' }],
  caCertificates: { configMap: 'our-ca' },
  extraVolumes: [{ name: 'tls', secret: { secretName: 'gateway-tls' } }],
  extraVolumeMounts: [{ name: 'tls', mountPath: '/etc/receipts/tls', readOnly: true }],
  networkPolicy: { egress: { enabled: true } },
  ingress: { enabled: true },
  serviceMonitor: { enabled: true },
  prometheusRule: { enabled: true },
  secrets: {
    create: true,
    values: Object.fromEntries(
      serviceNames.map((name) => [
        name,
        {
          AMQP_URL: `amqps://${name}:password@rabbitmq:5671`,
          ...(name !== 'gateway' && { MONGODB_URI: 'mongodb://mongo/?tls=true' }),
          ...(['gateway', 'delivery', 'identifier', 'admin'].includes(name) && { MASTER_KEY: 'key' }),
          ...(['gateway', 'ingest', 'receipt-store', 'delivery'].includes(name) && { ID_SECRET: 'secret' }),
          ...(['gateway', 'admin'].includes(name) && { OPERATOR_TOKEN: 'token' }),
        },
      ]),
    ),
  },
};

describeChart(
  isPossible ? 'the Helm chart' : 'the Helm chart: skipped, since there is no helm on the PATH',
  () => {
    it('requires the settings that have no sensible default', () => {
      const { text, error } = template({});
      expect(text).toBeUndefined();
      expect(error).toContain('settings.PUBLIC_URL');
      expect(error).toContain('settings.MAIL_FROM');
    });

    it.each([
      ['small', {}],
      ['medium', {}],
      ['large', {}],
      ['small', everything],
      ['large', everything],
    ])('renders valid manifests for a %s installation', (size, values) => {
      const manifests = render(values, size === 'medium' ? 'values' : `values-${size}`);
      expect(manifests.length).toBeGreaterThan(17);
      expect(typeErrors(manifests, dir)).toBe('');
      expect(schemaErrors(manifests)).toBe('');
    });

    it('is checked with types and schemas that find a wrong field and a wrong value', () => {
      const [misspelt, wrong] = [structuredClone(render()), structuredClone(render())];
      find(misspelt, 'Deployment', 'admin').spec.template.spec.dnsPolice = 'None';
      expect(typeErrors(misspelt, dir)).toMatch(/'"dnsPolice"' does not exist/);
      const deployment = find(wrong, 'Deployment', 'admin');
      deployment.spec.template.spec.containers[0].ports[0].containerPort = '9090';
      expect(schemaErrors([deployment])).toContain('containerPort must be integer');
    });

    it('runs each service from the image that a release pushes, with probes and a graceful stop', () => {
      const manifests = render();
      const { version } = JSON.parse(read('package.json'));
      for (const name of serviceNames) {
        const { spec, container } = podOf(manifests, name);
        expect(container.image).toBe(`ghcr.io/receipts/receipt-platform:${version}`);
        expect(container.args).toEqual([`services/${name}/dist/main.js`]);
        expect(container.livenessProbe.httpGet.path).toBe('/live');
        expect(container.readinessProbe.httpGet.path).toBe('/ready');
        expect(container.resources.requests.memory).toBe(container.resources.limits.memory);
        expect(spec.terminationGracePeriodSeconds).toBe(30);
        expect(spec.automountServiceAccountToken).toBe(false);
        expect(container.envFrom).toContainEqual({ secretRef: { name: `receipts-${name}` } });
      }
    });

    it('waits as long for a start and a stop as the settings allow', () => {
      const settings = { DRAIN_DELAY_MS: '20000', SHUTDOWN_GRACE_MS: '60000', START_TIMEOUT_MS: '3600000' };
      const { spec } = find(render({ settings }), 'Deployment', 'gateway');
      expect(spec.progressDeadlineSeconds).toBeGreaterThan(3_600);
      expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(80);
    });

    it('waits for a start that builds indexes, and needs only most of the members of the replica set', () => {
      const manifests = render();
      const [, start = ''] =
        /START_TIMEOUT_MS: [^}]*default: ([\d_]+)/.exec(read('libs/host/src/shared-settings.ts')) ?? [];
      const { progressDeadlineSeconds } = find(manifests, 'Deployment', 'admin').spec;
      expect(progressDeadlineSeconds).toBeGreaterThan(Number(start.replaceAll('_', '')) / 1_000);
      expect(settingsOf(manifests).MONGODB_COMMIT_QUORUM).toBe('majority');
    });

    it.each(['values', 'values-small', 'values-large'])('has memory for four passwords in %s', (size) => {
      const { container } = podOf(render({}, size), 'admin');
      expect(Number.parseInt(container.resources.limits.memory)).toBeGreaterThanOrEqual(512);
    });

    it('adds volumes, variables and certificates to each service, and the certificates to KEDA', () => {
      const manifests = render(everything, 'values-large');
      expect(settingsOf(manifests).NODE_EXTRA_CA_CERTS).toBe('/etc/receipts/ca/ca.crt');
      for (const name of serviceNames) {
        const { spec, container } = podOf(manifests, name);
        expect(spec.volumes).toContainEqual({ name: 'ca', configMap: { name: 'our-ca' } });
        expect(spec.volumes).toContainEqual(everything.extraVolumes[0]);
        const mounts = container.volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath);
        expect(mounts).toEqual(expect.arrayContaining(['/etc/receipts/ca', '/etc/receipts/tls']));
        expect(container.env).toEqual(everything.extraEnv);
      }
      const keda = find(manifests, 'TriggerAuthentication', 'receipt-store').spec;
      expect(keda.configMapTargetRef).toContainEqual({ parameter: 'ca', name: 'our-ca', key: 'ca.crt' });
      expect(keda.configMapTargetRef).toContainEqual({ parameter: 'tls', name: 'receipts-keda', key: 'tls' });
      expect(find(manifests, 'ConfigMap', 'receipts-keda').data).toEqual({ tls: 'enable' });
    });

    it('gives KEDA a single address, also if the services have a list', () => {
      const values = { autoscaling: { kind: 'keda', brokerUrlKey: 'KEDA_AMQP_URL' } };
      const { spec } = find(render(values), 'TriggerAuthentication', 'ingest');
      expect(spec.secretTargetRef).toEqual([
        { parameter: 'host', name: 'receipts-ingest', key: 'KEDA_AMQP_URL' },
      ]);
    });

    it('gives KEDA the first address of a list, if the chart creates the secrets', () => {
      const secrets = structuredClone(everything.secrets);
      Object.assign(secrets.values['ingest'] as object, {
        AMQP_URL: 'amqps://ingest:password@a:5671,b:5671/vhost',
      });
      const manifests = render({ ...everything, secrets }, 'values-large');
      const { stringData } = find(manifests, 'Secret', 'receipts-ingest') as Manifest & {
        stringData: object;
      };
      expect(stringData).toMatchObject({ KEDA_AMQP_URL: 'amqps://ingest:password@a:5671/vhost' });
      const [host] = find(manifests, 'TriggerAuthentication', 'ingest').spec.secretTargetRef;
      expect(host).toEqual({ parameter: 'host', name: 'receipts-ingest', key: 'KEDA_AMQP_URL' });
      expect(find(manifests, 'Secret', 'receipts-admin')['stringData']).not.toHaveProperty('KEDA_AMQP_URL');
    });

    it('tells the gateway that it is behind the ingress', () => {
      expect(settingsOf(render())).not.toHaveProperty('TRUSTED_PROXIES');
      const ingress = { enabled: true };
      expect(settingsOf(render({ ingress }))).toMatchObject({ TRUSTED_PROXIES: '1', HTTPS_ONLY: 'true' });
      const settings = { HTTPS_ONLY: 'false' };
      const behindTwo = settingsOf(render({ ingress: { ...ingress, trustedProxies: 2 }, settings }));
      expect(behindTwo).toMatchObject({ TRUSTED_PROXIES: '2', HTTPS_ONLY: 'false' });
    });

    it('does not publish the pages of operators unless asked to', () => {
      const pathsOf = (manifests: readonly Manifest[]) =>
        Object.fromEntries(
          find(manifests, 'Ingress', 'gateway').spec.rules[0].http.paths.map(
            (entry: { path: string; backend: { service: { name: string } } }) => [
              entry.path,
              entry.backend.service.name,
            ],
          ),
        );
      const manifests = render({ ingress: { enabled: true } });
      expect(pathsOf(manifests)).toEqual({ '/': 'gateway', '/operator': 'receipts-not-public' });
      const { selector } = find(manifests, 'Service', 'receipts-not-public').spec;
      const selected = serviceNames.filter((name) => {
        const { labels } = podOf(manifests, name).metadata;
        return Object.entries(selector).every(([label, value]) => labels[label] === value);
      });
      expect(selected).toEqual([]);
      expect(pathsOf(render({ ingress: { enabled: true, operator: true } }))).toEqual({ '/': 'gateway' });
    });

    it('replaces the pods of a service when its settings or secrets change', () => {
      const annotationsOf = (values: Record<string, unknown>, name: string) =>
        podOf(render(values), name).metadata.annotations;
      const changed = structuredClone(everything);
      Object.assign(changed.secrets.values['ingest'] as object, { ID_SECRET: 'another' });
      expect(annotationsOf(changed, 'ingest')).not.toEqual(annotationsOf(everything, 'ingest'));
      expect(annotationsOf(changed, 'admin')).toEqual(annotationsOf(everything, 'admin'));
      const settings = { LOG_LEVEL: 'debug' };
      expect(annotationsOf({ ...everything, settings }, 'admin')).not.toEqual(
        annotationsOf(everything, 'admin'),
      );
    });

    it('lets a node be drained if there is only one pod', () => {
      for (const name of serviceNames) {
        const { spec } = find(render({}, 'values-small'), 'PodDisruptionBudget', name);
        expect([spec.maxUnavailable, spec.minAvailable]).toEqual([1, undefined]);
      }
    });

    it('opens only the health ports and the port of the gateway, and closes outgoing traffic when asked to', () => {
      const policies = render(everything).filter(({ kind }) => kind === 'NetworkPolicy');
      const portsOf = (name: string) =>
        [policies.find(({ metadata }) => metadata.name === name)?.['spec']].flatMap(
          ({ ingress = [], egress = [] }) =>
            [...ingress, ...egress].flatMap(({ ports }: { ports: { port: unknown }[] }) =>
              ports.map(({ port }) => port),
            ),
        );
      expect(policies.map(({ metadata }) => metadata.name)).toEqual(
        expect.arrayContaining(['services', 'gateway', 'outgoing', 'https']),
      );
      expect([portsOf('services'), portsOf('gateway')]).toEqual([['health'], ['http']]);
      expect(portsOf('outgoing')).toEqual(expect.arrayContaining([53, 5671, 27017]));
      expect(portsOf('outgoing')).not.toContain(443);
      expect(portsOf('https')).toEqual([443]);
      const https = policies.find(({ metadata }) => metadata.name === 'https');
      expect(https?.['spec'].podSelector.matchExpressions).toEqual([
        { key: 'app.kubernetes.io/name', operator: 'In', values: ['identifier', 'admin'] },
      ]);
    });

    it('scales by queues that exist', () => {
      const sources = read('libs/contracts/src/subscription-queues.ts');
      const { services } = parse(read('deploy/helm/receipts/values.yaml')) as {
        services: Record<string, { queues?: string[] }>;
      };
      const queues = Object.entries(services).flatMap(([name, { queues: own = [] }]) =>
        own.filter((queue) => queue !== `${name}.commands`),
      );
      expect(queues.length).toBeGreaterThan(2);
      for (const queue of queues) expect(sources).toContain(`'${queue}'`);
    });

    it('gives Prometheus the alert rules, and the labels that they use', () => {
      const manifests = render({ prometheusRule: { enabled: true }, serviceMonitor: { enabled: true } });
      expect(find(manifests, 'PrometheusRule', 'receipts').spec).toEqual(
        parse(read('deploy/observability/alerts.yml')),
      );
    });

    it('is the source of the plain manifests', () => {
      const script = path.join(root, 'deploy/kubernetes/render.mjs');
      const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
      const { resources, images } = parse(read('deploy/kubernetes/kustomization.yaml'));
      expect(resources).toEqual(['namespace.yaml', 'receipts.yaml']);
      expect(podOf(render(), 'admin').container.image).toBe(`${images[0].name}:${images[0].newTag}`);
    });
  },
);
