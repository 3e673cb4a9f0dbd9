import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePort, until } from '@receipts/testing';

interface Alert {
  readonly state: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Whether Prometheus is installed. */
export function hasPrometheus(): boolean {
  return spawnSync('prometheus', ['--version'], { stdio: 'ignore' }).error === undefined;
}

/** A Prometheus server on this machine. */
export class Prometheus {
  private constructor(
    private readonly url: string,
    readonly stop: () => Promise<void>,
  ) {}

  /** @param rules the text of the file `alerts.yml`, which the configuration names */
  static async start(configuration: string, rules: string): Promise<Prometheus> {
    const dir = mkdtempSync(path.join(os.tmpdir(), 'receipts-prometheus-'));
    const port = await freePort();
    writeFileSync(path.join(dir, 'prometheus.yml'), configuration);
    writeFileSync(path.join(dir, 'alerts.yml'), rules);
    const child = spawn(
      'prometheus',
      [
        `--config.file=${dir}/prometheus.yml`,
        `--storage.tsdb.path=${dir}/data`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: 'ignore' },
    );
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    const prometheus = new Prometheus(`http://127.0.0.1:${port}/api/v1`, async () => {
      child.kill();
      await ended;
      rmSync(dir, { recursive: true, force: true });
    });
    await until('a response from Prometheus', () => prometheus.query('1').then(Boolean, () => false));
    return prometheus;
  }

  /** @throws Error if Prometheus rejects the query */
  async query(expression: string): Promise<readonly unknown[]> {
    const answer = await fetch(`${this.url}/query?query=${encodeURIComponent(expression)}`);
    const { data, error } = (await answer.json()) as { data?: { result: unknown[] }; error?: string };
    if (!data) throw new Error(`${expression}: ${error}`);
    return data.result;
  }

  /** The labels of all alerts that are firing. */
  async firing(): Promise<readonly Readonly<Record<string, string>>[]> {
    const answer = await fetch(`${this.url}/alerts`);
    const { data } = (await answer.json()) as { data: { alerts: Alert[] } };
    return data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels);
  }

  /** The names of all metrics that it has scraped. */
  async names(): Promise<ReadonlySet<string>> {
    const answer = await fetch(`${this.url}/label/__name__/values`);
    return new Set(((await answer.json()) as { data: string[] }).data);
  }
}
