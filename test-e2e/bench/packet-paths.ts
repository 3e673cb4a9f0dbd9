import type { Platform } from '@receipts/local';
import { median } from '../harness/statistics';
import type { Conversion } from './conversion';
import type { LoadPlan, PlannedRequest } from './load';
import { measure, type Measurement } from './measure';
import { printRow, type Row } from './rounds';
import type { Subject } from './subjects';
import { packetBody, placeholder } from './work';

export interface PacketPathOptions {
  readonly rounds: number;
  readonly plan: (subject: Subject, request: PlannedRequest) => LoadPlan;
}

const post: PlannedRequest = {
  method: 'POST',
  paths: ['/pos/receipts'],
  body: packetBody,
  expectedStatus: 202,
};
const warmUpSeconds = 2;
const loneSeconds = 2;
/** How long packets are accepted while conversion is stopped, to create a backlog. */
const backlogSeconds = 3;

/** Measures how fast raw packets are accepted, and how fast they are converted to receipts. */
export class PacketPaths {
  /** The number of accepted packets and earlier receipts. All of them must be stored as receipts in the end. */
  accepted = 0;
  private readonly converted: number[] = [];
  /** By row, the packets per second of each round, measured until all of them are stored as receipts. */
  private readonly sustained = new Map<string, number[]>();
  private readonly ours: Subject;

  constructor(
    private readonly platform: Platform,
    private readonly subjects: readonly Subject[],
    private readonly conversion: Conversion,
    private readonly options: PacketPathOptions,
  ) {
    this.ours = subjects.at(-1) as Subject;
  }

  /** @throws Error if packets are lost, or their conversion stalls */
  async run({ seconds, connections }: { seconds: number; connections: number }): Promise<readonly Row[]> {
    this.accepted = await this.conversion.receipts();
    const drain = async () => void (await this.conversion.drained(this.accepted));
    await this.intake(this.ours, { ...post, seconds: warmUpSeconds });
    await drain();
    const lone = await this.rounds(
      'POST /pos/receipts, a lone connection',
      { ...post, connections: 1, seconds: loneSeconds },
      drain,
    );
    const key = { 'idempotency-key': `bench-${placeholder}` };
    const keyed = await this.rounds(
      'POST /pos/receipts with an Idempotency-Key',
      { ...post, headers: key, seconds },
      drain,
    );
    this.converted.length = 0;
    const many = `POST /pos/receipts (2 KB, ${connections} connections)`;
    const beside = await this.rounds(`${many}, conversion beside it`, { ...post, seconds }, drain);
    console.log(`  converted ${Math.round(median(this.converted))} per second while they arrived`);
    const withKey = median(this.sustained.get(keyed.name) ?? []);
    const without = median(this.sustained.get(beside.name) ?? []);
    console.log(
      `\nFrom the first byte to the last stored receipt: ${Math.round(without)} packets per second, ` +
        `${Math.round(withKey)} with an Idempotency-Key (x ${(withKey / without).toFixed(2)})`,
    );
    return [lone, keyed, beside, await this.backlog(many)];
  }

  /** Accepts packets while conversion is stopped, then converts them using the whole machine. */
  private async backlog(many: string): Promise<Row> {
    const ingest = this.platform.instances('ingest');
    await Promise.all(ingest.map((child) => child.stop()));
    const before = this.accepted;
    const row = await this.rounds(
      `${many}, conversion stopped`,
      { ...post, seconds: backlogSeconds },
      async () => {},
    );
    await Promise.all(ingest.map((child) => child.start()));
    const speed = await this.conversion.drained(this.accepted);
    console.log(
      `\nBacklog of ${this.accepted - before} packets: ${Math.round(speed)} per second from bytes to stored receipt`,
    );
    return row;
  }

  private async intake(subject: Subject, request: PlannedRequest): Promise<Measurement> {
    const isOurs = subject === this.ours;
    const before = isOurs ? await this.conversion.receipts() : 0;
    const result = await measure(this.options.plan(subject, request), subject.watched());
    if (isOurs) {
      this.accepted += result.requests - result.unexpected;
      this.converted.push(((await this.conversion.receipts()) - before) / result.seconds);
    }
    return result;
  }

  private async rounds(name: string, request: PlannedRequest, after: () => Promise<void>): Promise<Row> {
    const rounds = new Map(this.subjects.map((subject) => [subject.name, [] as Measurement[]]));
    for (let round = 0; round < this.options.rounds; round++) {
      let began = 0;
      let before = 0;
      // The platform is the last subject.
      for (const subject of this.subjects) {
        if (round === 0) await this.intake(subject, { ...request, seconds: warmUpSeconds });
        if (subject === this.ours) await after();
        [began, before] = [performance.now(), this.accepted];
        rounds.get(subject.name)?.push(await this.intake(subject, request));
      }
      await after();
      const seconds = (performance.now() - began) / 1000;
      this.sustained.set(name, [...(this.sustained.get(name) ?? []), (this.accepted - before) / seconds]);
    }
    const row = { name, rounds };
    printRow(row);
    return row;
  }
}
