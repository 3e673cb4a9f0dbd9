import { createServer } from 'node:http';
import { hasHelm, renderChart, serviceNames, type Platform } from '@receipts/local';
import { listen, startRabbit, until, type Rabbit } from '@receipts/testing';
import { parseAllDocuments, stringify } from 'yaml';
import { acceptPackets } from '../chaos/ledger';
import { newRetailer, type Client } from '../harness/client';
import { discard, ownPlatform } from '../harness/own-platform';
import { hasPrometheus, Prometheus } from '../harness/prometheus';
import { aReceipt, uniqueId } from '../harness/receipts';

const isPossible = hasPrometheus() && hasHelm();
const describeAlerts = isPossible ? describe : describe.skip;
const title = 'the alerts of the Helm chart';

interface ServiceMonitor {
  readonly endpoints: readonly {
    readonly path: string;
    readonly honorLabels?: boolean;
    readonly relabelings?: readonly Relabeling[];
  }[];
}
interface Relabeling {
  readonly sourceLabels?: readonly string[];
  readonly targetLabel: string;
  readonly replacement?: string;
}

/** The specification of the chart's only object of this kind. */
function rendered<T>(kind: string): T {
  const required = ['settings.PUBLIC_URL=https://example.com', 'settings.MAIL_FROM=till@example.com'];
  const enabled = ['serviceMonitor.enabled=true', 'prometheusRule.enabled=true'];
  const { text = '', error } = renderChart(...[...required, ...enabled].flatMap((value) => ['--set', value]));
  const found = parseAllDocuments(text)
    .map((document) => document.toJS() as { kind: string; spec: T } | null)
    .find((manifest) => manifest?.kind === kind);
  if (!found) throw new Error(`no ${kind}: ${error}`);
  return found.spec;
}

const relabeled = ({ sourceLabels, targetLabel, replacement }: Relabeling) => ({
  ...(sourceLabels && { source_labels: sourceLabels }),
  target_label: targetLabel,
  ...(replacement !== undefined && { replacement }),
});

/** The scrape configuration that the Prometheus operator makes from the chart's ServiceMonitor. */
function configurationFor(platform: Platform): string {
  const [endpoint] = rendered<ServiceMonitor>('ServiceMonitor').endpoints;
  if (!endpoint) throw new Error('the ServiceMonitor has no endpoint');
  const ofOperator = ['job', 'service'].map((targetLabel) => ({
    targetLabel,
    sourceLabels: ['__meta_kubernetes_service_name'],
  }));
  return stringify({
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: ['alerts.yml'],
    scrape_configs: [
      {
        job_name: 'serviceMonitor/receipts/receipts/0',
        metrics_path: endpoint.path,
        honor_labels: endpoint.honorLabels ?? false,
        static_configs: serviceNames.flatMap((service) =>
          platform.instances(service).map(({ facts }) => ({
            targets: [`127.0.0.1:${String(facts['healthPort'])}`],
            labels: {
              __meta_kubernetes_service_name: 'receipts-metrics',
              __meta_kubernetes_pod_label_app_kubernetes_io_name: service,
            },
          })),
        ),
        relabel_configs: [...ofOperator, ...(endpoint.relabelings ?? [])].map(relabeled),
      },
    ],
  });
}

/** The chart's rules, with seconds instead of minutes. */
const hastened = () =>
  stringify(rendered('PrometheusRule'))
    .replaceAll(/\boffset 1h\b/g, 'offset 60s')
    .replaceAll(/\b(\d+)m\b/g, '$1s');

describeAlerts(isPossible ? title : `${title}: skipped, since prometheus or helm is missing`, () => {
  let rabbit: Rabbit;
  let platform: Platform;
  let prometheus: Prometheus;
  let api: Client;

  beforeAll(async () => {
    rabbit = await startRabbit();
    const env = { WEBHOOK_RETRY_SECONDS: '1' };
    // Nothing listens on this port.
    platform = await ownPlatform({ env }, { AMQP_URL: rabbit.url, SMTP_URL: 'smtp://127.0.0.1:1' });
    ({ api } = await newRetailer(platform.baseUrl, platform.secrets.operatorToken));
    await acceptPackets(api);
    prometheus = await Prometheus.start(configurationFor(platform), hastened());
  });
  afterAll(async () => {
    await prometheus?.stop();
    await discard(platform);
    await rabbit?.dispose();
  });

  const fires = async (alertname: string, labels: Readonly<Record<string, string>> = {}) => {
    const wanted = Object.entries({ alertname, ...labels });
    return (await prometheus.firing()).some((firing) =>
      wanted.every(([name, value]) => firing[name] === value),
    );
  };
  const firesSoon = (alertname: string, labels?: Readonly<Record<string, string>>) =>
    until(`the alert ${alertname}`, () => fires(alertname, labels));

  it('knows each process by the name of its service', async () => {
    await until('metrics of all services', async () => {
      const up = await prometheus.query('count by (service) (up{job="receipts"} == 1)');
      const connected = await prometheus.query(
        'count by (service) (broker_state{state="up", job="receipts"} == 1)',
      );
      return up.length === serviceNames.length && connected.length === serviceNames.length;
    });
    expect(await fires('ServiceDown')).toBe(false);
    expect(await fires('BrokerDisconnected')).toBe(false);
  });

  it('fire when packets cannot be converted and e-mails cannot be sent', async () => {
    const fault = async () => {
      const headers = { 'content-type': 'text/plain' };
      await api.call('/pos/receipts', { method: 'POST', body: '{', headers });
      const { body } = await api.post(
        '/receipts',
        aReceipt({ identifier: `${uniqueId('mail')}@example.com` }),
      );
      await api.post('/receipts/_send', { id: body.id, channels: ['email'] });
    };
    await until('both alerts', async () => {
      await fault();
      return (await fires('ConversionsFail')) && fires('DeliveriesFail', { channel: 'email' });
    });
    expect(await fires('ServiceDown')).toBe(false);
  });

  it('fire when many webhooks have failed for good', async () => {
    const receiver = createServer((_req, res) => void res.writeHead(500).end());
    try {
      const url = `http://127.0.0.1:${await listen(receiver)}/`;
      const endpoint = { url, event_types: ['receipt.created'] };
      await until(
        'an endpoint',
        async () => (await api.post('/webhooks/endpoints', endpoint)).status === 201,
      );
      await until('the alert DeliveriesLost', async () => {
        await api.post('/receipts', aReceipt());
        return fires('DeliveriesLost', { channel: 'webhook', severity: 'ticket' });
      });
    } finally {
      receiver.close();
    }
  });

  it('fire when a process does not respond, and name its service', async () => {
    const pid = platform.instances('identifier')[0]?.pid;
    if (pid === undefined) throw new Error('identifier is not running');
    process.kill(pid, 'SIGSTOP');
    try {
      await firesSoon('ServiceDown', { service: 'identifier', job: 'receipts', severity: 'page' });
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  });

  it('fire when the broker blocks publishers', async () => {
    await rabbit.alarm(true);
    try {
      await firesSoon('BrokerBlocked');
    } finally {
      await rabbit.alarm(false);
    }
  });
});
