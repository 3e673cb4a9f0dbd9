import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { serviceNames, type Platform } from '@receipts/local';
import { startRabbit } from '@receipts/testing';
import { parse, stringify } from 'yaml';
import { newRetailer } from '../harness/client';
import { discard, ownPlatform } from '../harness/own-platform';
import { hasPrometheus, Prometheus } from '../harness/prometheus';
import { acceptPackets, Ledger } from './ledger';
import type { Print } from './scenario';

const folder = path.resolve(__dirname, '../../../deploy/observability');
const scrapeEvery = '1s';
/** The value that Grafana uses for `$__rate_interval` at this scrape interval; long enough for the first rates. */
const rateInterval = '10s';
const trafficMs = 20_000;
const alarmMs = 4_000;

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

interface Alerts {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
}

interface Configuration {
  global: Record<string, string>;
  scrape_configs: Record<string, unknown>[];
}

/** The repository's configuration with the addresses of this run instead of those of the compose file. */
function configurationFor(platform: Platform, rabbitPort: number): string {
  const configuration = read('prometheus.yml') as Configuration;
  configuration.global = { scrape_interval: scrapeEvery, evaluation_interval: scrapeEvery };
  const processes = serviceNames.flatMap((service) =>
    platform.instances(service).map(({ facts }) => ({
      targets: [`127.0.0.1:${String(facts['healthPort'])}`],
      labels: { service },
    })),
  );
  const targets: Record<string, unknown[]> = {
    receipts: processes,
    rabbitmq: [{ targets: [`127.0.0.1:${rabbitPort}`] }],
    mongodb: [],
  };
  configuration.scrape_configs = configuration.scrape_configs.map((job) => {
    const { dns_sd_configs: _dns, relabel_configs: _relabel, ...rest } = job;
    return { ...rest, static_configs: targets[String(job['job_name'])] };
  });
  return stringify(configuration);
}

const read = (name: string) => parse(readFileSync(path.join(folder, name), 'utf8')) as unknown;

/** The names of metrics in a query, without labels. */
const metricsOf = (expression: string) =>
  [
    ...expression
      .replace(/by \([^)]*\)|"[^"]*"/g, '')
      .matchAll(/([a-z]+_[a-z_]*[a-z])(?=\{|\[|\)|$| offset)/g),
  ].map(([, name]) => name as string);

/** Tills post receipts and packets; one of them sends unconvertible data, and the broker is blocked for a while. */
async function traffic(platform: Platform, alarm: (on: boolean) => Promise<void>): Promise<void> {
  const { api } = await newRetailer(platform.baseUrl, platform.secrets.operatorToken);
  await acceptPackets(api);
  await api.call('/pos/receipts', { method: 'POST', body: '{', headers: { 'content-type': 'text/plain' } });
  const ledger = new Ledger(api, { tills: 4, packetTills: 2 });
  await pause(trafficMs / 2);
  await alarm(true);
  await pause(alarmMs);
  await alarm(false);
  await ledger.secondsToNext();
  await pause(trafficMs / 2);
  ledger.abandon();
}

/**
 * Runs the queries of the dashboard and of the alert rules against a Prometheus that has scraped a running platform. A
 * query may be empty only if no process exposes its metric: counters of rare events appear with the first event, and
 * MongoDB's exporter is missing.
 * @returns false if a panel has nothing to show although its metric is served
 */
export async function dashboard(print: Print): Promise<boolean> {
  if (!hasPrometheus()) {
    print('Skipped: there is no prometheus on the PATH (sudo apt-get install -y prometheus).');
    return true;
  }
  const { panels } = read('grafana/receipts.json') as Dashboard;
  const { groups } = read('alerts.yml') as Alerts;
  const rabbit = await startRabbit({ schedulers: 2, metrics: true });
  const platform = await ownPlatform({}, { AMQP_URL: rabbit.url });
  const prometheus = await Prometheus.start(
    configurationFor(platform, rabbit.metricsPort ?? 0),
    readFileSync(path.join(folder, 'alerts.yml'), 'utf8'),
  );
  let held = true;
  try {
    await traffic(platform, (on) => rabbit.alarm(on));
    const names = await prometheus.names();
    print('| panel or alert | series |\n| --- | --- |');
    for (const { title, targets = [] } of panels) {
      for (const { expr } of targets) {
        const series = await prometheus.query(expr.replaceAll('$__rate_interval', rateInterval));
        const unknown = metricsOf(expr).filter((name) => !names.has(name));
        const isFaulty = series.length === 0 && unknown.length === 0;
        if (isFaulty) held = false;
        const remark = isFaulty
          ? `; nothing to show: ${expr}`
          : unknown.map((name) => `; no ${name}`).join('');
        print(`| ${title} | ${series.length}${remark} |`);
      }
    }
    for (const { alert, expr } of groups.flatMap(({ rules }) => rules))
      print(`| ${alert} | ${(await prometheus.query(expr)).length} |`);
  } finally {
    await prometheus.stop();
    await discard(platform);
    await rabbit.dispose();
  }
  return held;
}
