import { createHash, type Hash } from 'node:crypto';
import type { IncomingJob } from './incoming-job';
import type { JobFacts, PrintedLink } from './job-file';
import type { JobQueue } from './job-queue';
import { JobSplitter } from './job-splitter';

export interface JobTakerOptions {
  readonly queue: JobQueue;
  /** The type of slips that do not state a type. */
  readonly contentType: string;
  /** Undefined if there is no printer. */
  readonly printer: { passOn(bytes: Buffer): void } | undefined;
  /** Undefined unless QR codes are printed. */
  readonly links: { take(): Promise<PrintedLink | undefined> } | undefined;
}

interface WholeJob {
  /** Identifies the job if it may arrive twice. */
  readonly id?: string;
  /** If undefined, the type of all slips. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The types of bytes that a printer understands. */
const printedTypes: ReadonlySet<string> = new Set(['application/octet-stream', 'application/vnd.escpos']);

/** A UUID derived from a text, always the same for the same text. */
export function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const variant = ((parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join('-');
}

/** A till that gets no response repeats its last jobs, not older ones. */
const repeatsMax = 1_000;

/** Puts jobs into the queue, together with the content printed under them. */
export class JobTaker {
  taken = 0;
  /** The last jobs that may arrive again, by id and content. */
  private readonly repeatable = new Map<string, Promise<void>>();

  constructor(private readonly options: JobTakerOptions) {}

  /** @throws NotTakenError */
  begin(id?: string): IncomingJob {
    return this.options.queue.begin(id);
  }

  /** Passes bytes that do not belong to a job on to the printer, if there is one. */
  passOn(bytes: Buffer): void {
    this.options.printer?.passOn(bytes);
  }

  /**
   * Accepts a job that has arrived. The job is on disk when the promise resolves.
   * @throws NotTakenError
   */
  async take(
    job: IncomingJob,
    facts: Omit<JobFacts, 'id' | 'contentType' | 'link'> & WholeJob,
  ): Promise<void> {
    const { printer, links, contentType: usual } = this.options;
    const { contentType = usual, id: _, ...others } = facts;
    const isPrinted = printer !== undefined && (contentType === usual || isForPrinter(contentType));
    // If there is no link, the slip is printed without its QR code.
    const link = isPrinted ? await links?.take().catch(() => undefined) : undefined;
    await job.commit({ contentType, ...others, ...(link && { link }) }, { isPrinted });
    this.taken += 1;
  }

  /**
   * Accepts a complete job. Bytes for a printer that print nothing are not a job; they are passed on. A repeated job
   * with the same id and content is accepted once, so that it is printed once.
   * @returns the id of the job; undefined if it is not a job
   * @throws NotTakenError, or the errors of the chunks
   */
  async takeWhole(chunks: AsyncIterable<Buffer>, whole: WholeJob): Promise<string | undefined> {
    const job = this.begin(whole.id);
    const hash = createHash('sha256');
    try {
      const isSlip = whole.contentType === undefined || isForPrinter(whole.contentType);
      const read = hashed(chunks, hash);
      const found = isSlip ? await writeSlip(job, read) : await writeAll(job, read);
      if (found.hasContent) {
        const facts = { ...whole, ...(found.endsAt !== undefined && { endsAt: found.endsAt }) };
        if (whole.id === undefined) await this.take(job, facts);
        else await this.takeOnce(`${job.id} ${hash.digest('hex')}`, job, facts);
        return job.id;
      }
      this.passOn(found.commands);
    } catch (error) {
      await job.discard();
      throw error;
    }
    await job.discard();
    return undefined;
  }

  private async takeOnce(key: string, job: IncomingJob, facts: WholeJob): Promise<void> {
    const earlier = this.repeatable.get(key);
    if (earlier) {
      await earlier;
      return job.discard();
    }
    const taking = this.take(job, facts);
    this.repeatable.set(key, taking);
    const [oldest] = this.repeatable.keys();
    if (this.repeatable.size > repeatsMax) this.repeatable.delete(oldest!);
    await taking.catch((error: unknown) => {
      this.repeatable.delete(key);
      throw error;
    });
  }
}

async function* hashed(chunks: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer, void> {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}

const isForPrinter = (contentType: string) =>
  printedTypes.has((contentType.split(';', 1)[0] ?? '').trim().toLowerCase());

interface Found {
  readonly hasContent: boolean;
  readonly endsAt?: number;
  /** The bytes that do not print anything. */
  readonly commands: Buffer;
}

const none: Buffer = Buffer.alloc(0);
const commandBytesMax = 64 * 1024;

async function writeAll(job: IncomingJob, chunks: AsyncIterable<Buffer>): Promise<Found> {
  for await (const chunk of chunks) await job.write(chunk);
  return { hasContent: job.bytes > 0, commands: none };
}

/** Writes the bytes and finds the last command that ends a slip. */
async function writeSlip(job: IncomingJob, chunks: AsyncIterable<Buffer>): Promise<Found> {
  const splitter = new JobSplitter();
  let hasContent = false;
  let endsAt: number | undefined;
  let commands = none;
  const write = async (bytes: Buffer) => {
    if (!hasContent && commands.length < commandBytesMax) commands = Buffer.concat([commands, bytes]);
    await job.write(bytes);
  };
  for await (const chunk of chunks) {
    for (const part of splitter.push(chunk)) {
      if (part.kind === 'question') continue;
      if (part.kind === 'end') endsAt = job.bytes;
      else hasContent ||= part.hasContent;
      await write(part.bytes);
    }
  }
  await write(splitter.rest());
  return { hasContent, commands: hasContent ? none : commands, ...(endsAt !== undefined && { endsAt }) };
}
