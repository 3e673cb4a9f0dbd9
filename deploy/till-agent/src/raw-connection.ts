import type { Socket } from 'node:net';
import type { IncomingJob } from './incoming-job';
import { JobSplitter } from './job-splitter';
import type { JobTaker } from './job-taker';
import { answerTo } from './status-answers';

export interface RawConnectionOptions {
  readonly taker: JobTaker;
  readonly silenceMs: number;
  readonly log: (line: string) => void;
}

const silence = Symbol('silence');
/**
 * Commands before a slip, such as the initialisation. Longer sequences load fonts or logos and do not belong to a slip.
 */
const leadBytesMax = 64 * 1024;

const ended = { done: true, value: undefined } as const;

/**
 * The chunks of a connection until it ends, even if the till resets it; `silence`, once, when no data has arrived
 * for a while.
 */
async function* chunksOf(socket: Socket, silenceMs: number): AsyncGenerator<Buffer | typeof silence> {
  // The usual iterator would close the connection at the end of the data, before the job is on disk.
  const chunks = socket.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>;
  const read = () => chunks.next().catch(() => ended);
  for (let next = read(); ; next = read()) {
    let timer: NodeJS.Timeout | undefined;
    const quiet = new Promise<typeof silence>((resolve) => {
      timer = setTimeout(() => resolve(silence), silenceMs);
    });
    const first = await Promise.race([next, quiet]);
    clearTimeout(timer);
    if (first === silence) yield silence;
    const result = first === silence ? await next : first;
    if (result.done === true) return;
    yield result.value;
  }
}

/** Accepts the jobs of a connection, one after another. */
export class RawConnection {
  private splitter = new JobSplitter();
  /** Bytes before the first printed character. They become part of the job that follows. */
  private lead: Buffer[] = [];
  private leadBytes = 0;
  /** The number of bytes of the current job that were already passed on to the printer. */
  private passedOn = 0;
  private job: IncomingJob | undefined;

  constructor(
    private readonly socket: Socket,
    private readonly options: RawConnectionOptions,
  ) {}

  /** Returns when the connection has ended. */
  async run(): Promise<void> {
    const { socket, options } = this;
    socket.on('error', () => {});
    try {
      for await (const chunk of chunksOf(socket, options.silenceMs)) {
        if (chunk === silence) await this.end();
        else await this.push(chunk);
      }
      await this.end();
      // All of the till's data is on disk, and the till may be waiting for the end of the connection.
      socket.end();
    } catch (error) {
      await this.job?.discard();
      options.log(
        `a job from ${socket.remoteAddress ?? 'a till'} was not accepted: ${(error as Error).message}`,
      );
      socket.resetAndDestroy();
    }
  }

  private async push(chunk: Buffer): Promise<void> {
    for (const part of this.splitter.push(chunk)) {
      if (part.kind === 'question') this.answer(part.bytes);
      else if (part.kind === 'bytes') await this.append(part.bytes, part.hasContent);
      else await this.finish(part.bytes);
    }
  }

  private answer(command: Buffer): void {
    const answer = answerTo(command);
    if (answer && this.socket.writable) this.socket.write(answer);
  }

  private async append(bytes: Buffer, hasContent: boolean): Promise<void> {
    if (this.job) return this.job.write(bytes);
    if (!hasContent) return this.keepLead(bytes);
    this.job = this.options.taker.begin();
    for (const lead of this.lead) await this.job.write(lead);
    this.lead = [];
    this.leadBytes = 0;
    await this.job.write(bytes);
  }

  private keepLead(bytes: Buffer): void {
    this.lead.push(Buffer.from(bytes));
    this.leadBytes += bytes.length;
    if (this.leadBytes > leadBytesMax) this.dropLead();
  }

  /** The job ends, or the bytes so far are not a job. */
  private async end(): Promise<void> {
    const rest = this.splitter.rest();
    // The following bytes are a new job, even if this one has stopped in the middle of an image.
    this.splitter = new JobSplitter();
    if (this.job) return this.finish(rest, this.job.bytes + rest.length);
    this.keepLead(rest);
    this.passLeadOn();
  }

  /** @param end the end of the bytes before the text under the slip; by default before `last` */
  private async finish(last: Buffer, end?: number): Promise<void> {
    const job = this.job;
    if (!job) {
      this.keepLead(last);
      return this.dropLead();
    }
    const printFrom = this.passedOn;
    const endsAt = end ?? job.bytes;
    this.passedOn = 0;
    await job.write(last);
    await this.options.taker.take(job, { printFrom, endsAt });
    this.job = undefined;
  }

  private passLeadOn(): void {
    this.options.taker.passOn(Buffer.concat(this.lead).subarray(this.passedOn));
    this.passedOn = this.leadBytes;
  }

  private dropLead(): void {
    this.passLeadOn();
    this.lead = [];
    this.leadBytes = 0;
    this.passedOn = 0;
  }
}
