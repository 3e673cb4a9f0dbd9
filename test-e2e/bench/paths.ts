import { MongoClient } from 'mongodb';
import type { Platform } from '@receipts/local';
import { until } from '@receipts/testing';
import { request } from '../harness/http';
import { Conversion } from './conversion';
import type { LoadPlan, PlannedRequest } from './load';
import { cpuMsOf, measure, type Measurement } from './measure';
import type { Subject } from './subjects';
import type { Row } from './table';
import { batchBody, packetBody, placeholder, receiptBody } from './work';

export interface PathOptions {
  readonly seconds: number;
  readonly rounds: number;
  readonly connections: number;
}

/** The size of each run's range of unique numbers, large enough that ranges never overlap. */
const rangeOfRun = 10_000_000;
const warmUpSeconds = 2;
const manyConnections = 512;
const readReceipts = 200;
const drainTimeoutMs = 120_000;

const post = { method: 'POST', paths: ['/receipts'], body: receiptBody, expectedStatus: 201 };
const batch = {
  method: 'POST',
  expectedStatus: 200,
  expectedText: '"refused":0,',
  paths: ['/receipts/_batch'],
  headers: { 'content-type': 'application/x-ndjson' },
  body: batchBody,
};
const packet = { method: 'POST', paths: ['/pos/receipts'], body: packetBody, expectedStatus: 202 };
const keyed = { headers: { 'idempotency-key': `bench-${placeholder}` } };

/** Measures the paths that tills and back offices wait for. */
export class Paths {
  readonly rows: Row[] = [];
  /** What was rejected or lost; the figures are then worthless. */
  readonly problems: string[] = [];
  private unique = 1;
  private readonly client: MongoClient;

  /** @param subjects the platform, then its peers */
  constructor(
    private readonly platform: Platform,
    private readonly subjects: readonly [Subject, ...Subject[]],
    private readonly token: string,
    private readonly options: PathOptions,
  ) {
    this.client = new MongoClient(platform.database.uri);
  }

  async measure(): Promise<void> {
    const { connections } = this.options;
    const [ours] = this.subjects;
    try {
      await this.posts('POST /receipts, one connection', { ...post, connections: 1 });
      await this.posts(`POST /receipts, ${connections} connections`, post);
      await this.posts(`POST /receipts, ${manyConnections} connections`, {
        ...post,
        connections: manyConnections,
      });
      await this.row('same, Idempotency-Key', [ours], () => ({ ...post, ...keyed }));
      await this.row('POST /receipts/_batch, 100 receipts', [ours], () => batch);
      await this.reads();
      await this.packets();
      await this.recorded();
    } finally {
      await this.client.close();
    }
  }

  private plan(subject: Subject, { headers, ...rest }: PlannedRequest): LoadPlan {
    this.unique += rangeOfRun;
    return {
      port: subject.port,
      connections: this.options.connections,
      seconds: this.options.seconds,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json', ...headers },
      uniqueFrom: this.unique,
      ...rest,
    };
  }

  /** Measures every subject once per round, after a warm-up in which it compiles its code. */
  private async row(
    name: string,
    subjects: readonly Subject[],
    requestOf: (subject: Subject) => PlannedRequest,
    settled: (subject: Subject, answered: number) => Promise<void> = async () => {},
  ): Promise<void> {
    const rounds = new Map<string, Measurement[]>(subjects.map((subject) => [subject.name, []]));
    for (let round = 0; round < this.options.rounds; round++) {
      for (const subject of subjects) {
        const planned = requestOf(subject);
        const warmUp = { ...planned, seconds: warmUpSeconds };
        const first = round === 0 ? await measure(this.plan(subject, warmUp), []) : undefined;
        const measured = await measure(this.plan(subject, planned), subject.watched());
        rounds.get(subject.name)?.push(measured);
        this.judge(`${name}, ${subject.name}`, measured);
        await settled(subject, (first?.requests ?? 0) + measured.requests);
      }
    }
    this.rows.push({ name, rounds });
    process.stdout.write('.');
  }

  private judge(name: string, { perSecond, unexpected, firstUnexpected }: Measurement): void {
    if (perSecond === 0) this.problems.push(`${name}: nothing was answered`);
    if (unexpected > 0)
      this.problems.push(
        `${name}: ${unexpected} unexpected answers, first: ${firstUnexpected?.split('\r\n', 1)[0]}`,
      );
  }

  /** Posts receipts to every subject, which must have stored each of them and published its event in the end. */
  private async posts(name: string, planned: PlannedRequest): Promise<void> {
    const stored = new Map<Subject, number>();
    const collectionOf = ({ database }: Subject) => this.client.db(database).collection('receipts');
    for (const subject of this.subjects) stored.set(subject, await collectionOf(subject).countDocuments({}));
    const settled = async (subject: Subject, answered: number) => {
      const count = await collectionOf(subject).countDocuments({});
      const kept = count - (stored.get(subject) ?? 0);
      stored.set(subject, count);
      if (kept < answered)
        this.problems.push(`${name}, ${subject.name}: ${kept} of ${answered} receipts are stored`);
      const isPublished = async () =>
        !(await collectionOf(subject).findOne({ 'outbox.id': { $exists: true } }));
      await until('all events to be published', isPublished, drainTimeoutMs);
    };
    await this.row(name, this.subjects, () => planned, settled);
  }

  private async reads(): Promise<void> {
    const paths = new Map<Subject, string[]>();
    for (const subject of this.subjects) {
      const ids = await Promise.all(Array.from({ length: readReceipts }, () => this.posted(subject)));
      paths.set(
        subject,
        ids.map((id) => `/receipts/${id}`),
      );
    }
    const read = { method: 'GET', expectedStatus: 200 };
    await this.row('GET /receipts/{id}', this.subjects, (subject) => ({
      ...read,
      paths: paths.get(subject) ?? [],
    }));
    await this.row('GET /receipts, 20 receipts', this.subjects, () => ({ ...read, paths: ['/receipts'] }));
    const totals = '/reports/totals?from=2026-03-14&to=2026-03-14';
    const [ours] = this.subjects;
    await this.row('GET /reports/totals, a day', [ours], () => ({ ...read, paths: [totals] }));
  }

  /** The id of a new receipt. */
  private async posted(subject: Subject): Promise<string> {
    const body = receiptBody.replace(placeholder, String(this.unique++));
    const headers = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' };
    const answer = await request(`http://127.0.0.1:${subject.port}`, '/receipts', {
      method: 'POST',
      headers,
      body,
    });
    if (answer.status !== 201) throw new Error(`posting a receipt to read returned ${answer.status}`);
    return answer.body.id as string;
  }

  /** Packets count until the last of them is stored as a receipt. */
  private async packets(): Promise<void> {
    const conversion = new Conversion(this.platform, this.token);
    const shapes = { 'until stored': {}, 'Idempotency-Key': keyed, 'one connection': { connections: 1 } };
    try {
      let accepted = await conversion.receipts();
      for (const [name, shape] of Object.entries(shapes)) {
        const label = name === 'until stored' ? 'POST /pos/receipts, until stored' : `same, ${name}`;
        await this.untilDone(label, { ...packet, ...shape }, (more) =>
          conversion.drained((accepted += more)),
        );
      }
      await conversion.assertAllFound(accepted);
    } catch (error) {
      this.problems.push(`packets: ${(error as Error).message}`);
    } finally {
      await conversion.close();
    }
  }

  /**
   * Receipts whose events the retailer follows in the feed, which are logged. They count until the last is in the log. This
   * is measured last, because recording continues.
   */
  private async recorded(): Promise<void> {
    const headers = { authorization: `Bearer ${this.token}` };
    const { status } = await request(this.platform.baseUrl, '/events', { headers });
    if (status !== 200) throw new Error(`reading the feed returned ${status}`);
    const [{ database }] = this.subjects;
    const log = this.client.db(database.replace('receipt_store', 'delivery')).collection('event_log');
    const created = { type: 'receipt.created' };
    let accepted = 0;
    await this.untilDone('POST /receipts, until recorded for the feed', post, async (more) => {
      accepted += more;
      const areLogged = async () =>
        (await log.estimatedDocumentCount()) >= accepted && (await log.countDocuments(created)) >= accepted;
      await until('all events to be recorded', areLogged, drainTimeoutMs);
    });
  }

  /** A row of the platform alone, from the first byte until everything that was accepted is done. */
  private async untilDone(
    name: string,
    planned: PlannedRequest,
    done: (accepted: number) => Promise<void>,
  ): Promise<void> {
    const [ours] = this.subjects;
    const rounds: Measurement[] = [];
    for (let round = 0; round < this.options.rounds; round++) {
      const watched = ours.watched();
      const begun = { at: performance.now(), cpuMs: cpuMsOf(watched) };
      const measured = await measure(this.plan(ours, planned), watched);
      this.judge(name, measured);
      await done(measured.requests - measured.unexpected);
      const seconds = (performance.now() - begun.at) / 1000;
      const perSecond = measured.requests / seconds;
      rounds.push({ ...measured, perSecond, cpuMs: cpuMsOf(watched) - begun.cpuMs });
    }
    this.rows.push({ name, rounds: new Map([[ours.name, rounds]]) });
    process.stdout.write('.');
  }
}
