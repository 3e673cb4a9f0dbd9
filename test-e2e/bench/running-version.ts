import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Platform, readLocalSettings } from '@receipts/local';
import { bearerToken } from '../harness/credentials';
import { request } from '../harness/http';
import { Conversion } from './conversion';
import { download } from './export';
import type { LoadPlan, PlannedRequest } from './load';
import { cpuSecondsOf, measure, type Watched } from './measure';
import { platformSubject } from './subjects';
import { placeholder, receiptBody } from './work';

/** What to compare: this checkout of the platform or another one, on this version of Node.js or another one. */
export interface Version {
  readonly name: string;
  /** The folder of another checkout, which must be compiled. */
  readonly checkout?: string;
  /** The executable of Node.js. */
  readonly nodePath?: string;
}

export type LoadSettings = Pick<LoadPlan, 'connections' | 'seconds'>;

const readReceipts = 200;
const rangeOfRun = 10_000_000;

/** A platform of its own for a version. Each measurement returns the CPU time of all processes. */
export class RunningVersion {
  private unique = 0;
  private readonly watched: readonly Watched[];
  private readonly headers: Readonly<Record<string, string>>;
  private readonly token: string;
  private readonly conversion: Conversion;
  private readonly receiptPaths: string[] = [];

  private constructor(
    private readonly platform: Platform,
    private readonly dataDir: string,
  ) {
    const { kid, secret } = platform.credentials.bearer;
    this.token = bearerToken({ key: kid, secret });
    this.headers = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' };
    this.watched = platformSubject(platform).watched();
    this.conversion = new Conversion(platform, this.token);
  }

  static async start({ checkout, nodePath }: Version): Promise<RunningVersion> {
    const { Platform: Started }: { Platform: typeof Platform } =
      checkout === undefined
        ? { Platform }
        : await import(path.resolve(checkout, 'deploy/local/dist/index.js'));
    const dataDir = mkdtempSync(path.join(os.tmpdir(), 'receipts-bench-'));
    const env = { ...process.env, AMQP_URL: undefined, MONGODB_URI: undefined, PORT: '0', DATA_DIR: dataDir };
    const settings = readLocalSettings(env, process.cwd());
    const platform = await Started.start({
      settings,
      isolated: true,
      ...(nodePath !== undefined && { nodePath }),
    });
    return new RunningVersion(platform, dataDir);
  }

  /** Posts the receipts to read. */
  async prepare(): Promise<void> {
    while (this.receiptPaths.length < readReceipts) await this.postToRead();
  }

  async stop(): Promise<void> {
    await this.conversion.close();
    await this.platform.stop();
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  /** CPU time in ms per request. Without paths, it reads single receipts. */
  async load(planned: PlannedRequest, settings: LoadSettings): Promise<number> {
    return this.cpuMsPer(async () => {
      const { requests, unexpected, firstUnexpected } = await measure(this.plan(planned, settings), []);
      if (requests > unexpected && unexpected === 0) return requests;
      throw new Error(`${unexpected} of ${requests} responses were unexpected: ${firstUnexpected ?? ''}`);
    });
  }

  /** CPU time in ms per packet, until each is stored as a receipt. */
  converted(planned: PlannedRequest, settings: LoadSettings): Promise<number> {
    return this.cpuMsPer(async () => {
      const before = await this.conversion.receipts();
      const { requests, unexpected, firstUnexpected } = await measure(this.plan(planned, settings), []);
      if (unexpected > 0) throw new Error(`${unexpected} packets were rejected: ${firstUnexpected ?? ''}`);
      await this.conversion.drained(before + requests);
      return requests;
    });
  }

  /** CPU time in ms per receipt of an export. */
  exported(format: string): Promise<number> {
    const { baseUrl } = this.platform;
    return this.cpuMsPer(async () => (await download(format, { baseUrl, token: this.token })).receipts);
  }

  private async cpuMsPer(work: () => Promise<number>): Promise<number> {
    const before = cpuSecondsOf(this.watched);
    const count = await work();
    return ((cpuSecondsOf(this.watched) - before) / count) * 1000;
  }

  private plan(planned: PlannedRequest, settings: LoadSettings): LoadPlan {
    const { paths, ...rest } = planned;
    return {
      ...settings,
      port: Number(new URL(this.platform.baseUrl).port),
      uniqueFrom: (this.unique += rangeOfRun),
      paths: paths.length > 0 ? paths : this.receiptPaths,
      ...rest,
      headers: { ...this.headers, ...planned.headers },
    };
  }

  private async postToRead(): Promise<void> {
    const body = receiptBody.replace(placeholder, `read-${this.receiptPaths.length}`);
    const posted = await request(this.platform.baseUrl, '/receipts', {
      method: 'POST',
      headers: this.headers,
      body,
    });
    if (posted.status !== 201) throw new Error(`posting a receipt to read returned ${posted.status}`);
    this.receiptPaths.push(`/receipts/${posted.body.id as string}`);
  }
}
