import type { Platform } from '@receipts/local';
import { request } from '../harness/http';
import { batchSubjects, measureBatches } from './batches';
import { measureExport } from './export';
import { measureTotals, totalsSubjects } from './totals';
import { Conversion } from './conversion';
import type { LoadPlan, PlannedRequest } from './load';
import { memoryLimitMb, memoryText } from './measure';
import { measurePeers } from './peers';
import { PacketPaths } from './packet-paths';
import { measureRounds, printRow, unexpectedOf, type Row } from './rounds';
import type { Subject } from './subjects';
import { placeholder, receiptBody } from './work';

export interface HotPathOptions {
  readonly seconds: number;
  readonly rounds: number;
  readonly connections: number;
  readonly logDir: string;
}

/** The size of each run's range of unique numbers, large enough that ranges never overlap. */
const rangeOfRun = 10_000_000;
const warmUpSeconds = 4;
const loneSeconds = 4;
const readReceipts = 200;
/** The services whose memory must stay below the limit that they have in production. */
const limited = ['gateway', 'receipt-store'];

/** Measures the endpoints that tills wait for. The benchmark fails if a subject rejects, delays or loses requests. */
export class HotPaths {
  private unique = 1;
  private readonly problems: string[] = [];
  /** The maximum memory in MB of each process of the platform, sampled after each measurement. */
  private readonly most = new Map<string, number>();
  private readonly ours: Subject;

  constructor(
    private readonly platform: Platform,
    private readonly subjects: readonly Subject[],
    private readonly token: string,
    private readonly options: HotPathOptions,
  ) {
    this.ours = subjects.at(-1) as Subject;
  }

  /** @returns false if requests were rejected or lost */
  async run(parts: readonly string[]): Promise<boolean> {
    this.printMemory('idle');
    if (parts.includes('receipts')) await this.receipts();
    if (parts.includes('peers')) await this.peers();
    if (parts.includes('reads')) await this.reads();
    if (parts.includes('packets')) await this.packets();
    if (parts.includes('bulk')) await this.bulk();
    this.printMemory('at the end');
    this.judgeMemory();
    for (const problem of this.problems) console.log(`FAILED: ${problem}`);
    return this.problems.length === 0;
  }

  private get roundOptions() {
    const plan = (subject: Subject, request: PlannedRequest) => this.plan(subject, request);
    return { rounds: this.options.rounds, warmUpSeconds, plan };
  }

  private plan(subject: Subject, overrides: PlannedRequest): LoadPlan {
    this.unique += rangeOfRun;
    const { headers, ...rest } = overrides;
    return {
      port: subject.port,
      connections: this.options.connections,
      seconds: this.options.seconds,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json', ...headers },
      uniqueFrom: this.unique,
      ...rest,
    };
  }

  private async row(name: string, request: PlannedRequest): Promise<void> {
    const row = await measureRounds(name, this.subjects, {
      rounds: this.options.rounds,
      warmUpSeconds: Math.min(warmUpSeconds, request.seconds ?? warmUpSeconds),
      plan: (subject) => this.plan(subject, request),
    });
    printRow(row);
    this.judge(row);
  }

  /** @param ours the names of the subjects that run the platform */
  private judge(row: Row, ours: readonly string[] = [this.ours.name]): void {
    const measured = ours.flatMap((subject) => row.rounds.get(subject) ?? []);
    for (const { name, memoryMb } of measured.flatMap(({ costs }) => costs)) {
      this.most.set(name, Math.max(this.most.get(name) ?? 0, memoryMb));
    }
    const isIdle = [...row.rounds.values()].flat().some(({ perSecond }) => perSecond === 0);
    if (isIdle || measured.length === 0) this.problems.push(`${row.name}: nothing was answered`);
    const unexpected = ours.reduce((sum, subject) => sum + unexpectedOf(row, subject), 0);
    if (unexpected > 0) this.problems.push(`${row.name}: ${unexpected} unexpected answers`);
  }

  private async receipts(): Promise<void> {
    const post = { method: 'POST', paths: ['/receipts'], body: receiptBody, expectedStatus: 201 };
    const lone = { ...post, connections: 1, seconds: loneSeconds };
    const { connections } = this.options;
    await this.row(`POST /receipts (1.5 KB, ${connections} connections)`, post);
    await this.row('POST /receipts with an Idempotency-Key', {
      ...post,
      headers: { 'idempotency-key': `bench-${placeholder}` },
    });
    await this.row('POST /receipts, a lone connection', lone);
  }

  private async peers(): Promise<void> {
    const lost = await measurePeers(this.platform, this.ours, {
      ...{ ...this.roundOptions, logDir: this.options.logDir },
      measured: (row) => {
        printRow(row);
        this.judge(row, [...row.rounds.keys()]);
      },
    });
    this.problems.push(...lost);
  }

  private async bulk(): Promise<void> {
    const { ours, token, roundOptions: options } = this;
    this.judge(await measureBatches(ours, options), batchSubjects);
    const { baseUrl } = this.platform;
    this.problems.push(...(await measureExport(ours, { baseUrl, token })));
    this.judge(await measureTotals(ours, { baseUrl, token }, options), totalsSubjects);
  }

  private async reads(): Promise<void> {
    const ids: string[] = [];
    while (ids.length < readReceipts) ids.push(await this.posted());
    const paths = ids.map((id) => `/receipts/${id}`);
    await this.row('GET /receipts/{id}', { method: 'GET', paths, expectedStatus: 200 });
    await this.row('GET /receipts (20 of all)', { method: 'GET', paths: ['/receipts'], expectedStatus: 200 });
  }

  /** The id of a new receipt. */
  private async posted(): Promise<string> {
    const body = receiptBody.replace(placeholder, String(this.unique++));
    const headers = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' };
    const answer = await request(this.platform.baseUrl, '/receipts', { method: 'POST', headers, body });
    if (answer.status !== 201) throw new Error(`posting a receipt to read returned ${answer.status}`);
    return answer.body.id as string;
  }

  private async packets(): Promise<void> {
    const conversion = new Conversion(this.platform, this.token);
    try {
      const packets = new PacketPaths(this.platform, this.subjects, conversion, {
        rounds: this.options.rounds,
        plan: (subject, overrides) => this.plan(subject, overrides),
      });
      for (const row of await packets.run(this.options)) this.judge(row);
      await conversion.assertAllFound(packets.accepted);
    } catch (error) {
      this.problems.push(`packets: ${(error as Error).message}`);
    } finally {
      await conversion.close();
    }
  }

  private judgeMemory(): void {
    console.log(`Maximum memory: ${[...this.most].map(([name, mb]) => `${name} ${mb}`).join(', ')}`);
    for (const service of limited) {
      const [mb, limit] = [this.most.get(service) ?? 0, memoryLimitMb(service)];
      if (mb > limit)
        this.problems.push(`${service} used ${mb} MB of memory, above its limit of ${limit} MB`);
    }
  }

  private printMemory(when: string): void {
    console.log(`\nMemory ${when}: ${memoryText(this.ours.watched())}`);
  }
}
