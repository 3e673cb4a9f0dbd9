import { EventEmitter, once } from 'node:events';
import { mkdir, opendir, rename } from 'node:fs/promises';
import path from 'node:path';
import { move, namesIn, realDisk, remove, syncFolder, writeDurably, type Disk } from './disk';
import { IncomingJob } from './incoming-job';
import { OpenJob } from './job-file';
import { NotTakenError, type Refusal } from './not-taken-error';
import { Serial } from './serial';

export interface QueueOptions {
  readonly folder: string;
  readonly jobsMax: number;
  readonly disk?: Disk;
  readonly log: (line: string) => void;
}

const numberDigits = 12;
const nameOf = (number: number, ...flags: string[]) =>
  [String(number).padStart(numberDigits, '0'), ...flags, 'job'].join('.');
const numberIn = (name: string) => Number(/^(\d{12})\./.exec(name)?.[1] ?? 0);
const diskCheckEveryMs = 2_000;
const diskCheckBytes = 64 * 1024;
const folders = ['incoming', 'queue', 'refused', 'resend'] as const;

/**
 * Jobs on disk, one file each. A job moves by renaming its file, so that after a crash it is in exactly one folder:
 * `incoming` while it arrives, `queue` once it is accepted, `refused` when the platform has rejected it. The file's
 * name contains the job's arrival number and pending steps: `send`, `print`.
 */
export class JobQueue {
  /** Emits `job`, `print` (with the number) and `refusal`. */
  readonly events = new EventEmitter();
  /** The last reason why a write failed; undefined while writes succeed. */
  diskError: string | undefined;
  private readonly disk: Disk;
  private readonly serial = new Serial();
  private toSend: number[] = [];
  private sent = 0;
  private readonly waitingToPrint = new Set<number>();
  private readonly printOnly = new Set<number>();
  private refusedCount: Set<string> = new Set();
  private last = 0;
  private diskCheck: NodeJS.Timeout | undefined;
  private lastRefusal: Refusal | undefined;

  private constructor(private readonly options: QueueOptions) {
    this.disk = options.disk ?? realDisk;
  }

  static async open(options: QueueOptions): Promise<JobQueue> {
    const queue = new JobQueue(options);
    await queue.open();
    return queue;
  }

  /** The number of jobs that the platform has not accepted yet. */
  get length(): number {
    return this.toSend.length - this.sent;
  }

  get jobsMax(): number {
    return this.options.jobsMax;
  }

  /** The file names of rejected jobs. */
  get refused(): ReadonlySet<string> {
    return this.refusedCount;
  }

  /** The numbers of jobs whose slips have not been printed yet. */
  get toPrint(): ReadonlySet<number> {
    return this.waitingToPrint;
  }

  get refusal(): Refusal | undefined {
    if (this.diskError !== undefined) return 'disk_full';
    return this.length >= this.options.jobsMax ? 'queue_full' : undefined;
  }

  /**
   * Starts a new job.
   * @throws NotTakenError
   */
  begin(id?: string): IncomingJob {
    const { refusal } = this;
    if (refusal) throw new NotTakenError(refusal);
    return new IncomingJob(this.path('incoming'), id, this.disk, {
      take: (file, isPrinted) => this.take(file, isPrinted),
      failed: (error) => this.diskFailed(error),
    });
  }

  /** True if a job with this id is in the queue or was rejected. */
  async has(id: string): Promise<boolean> {
    for (const folder of ['queue', 'refused'] as const) {
      for (const name of await namesIn(this.path(folder))) {
        if (!name.endsWith('.job')) continue;
        const job = await OpenJob.open(this.path(folder, name)).catch(() => undefined);
        await job?.close();
        if (job?.facts.id === id) return true;
      }
    }
    return false;
  }

  /** The oldest job, once there is one; undefined if the signal aborts first. */
  async oldest(signal: AbortSignal): Promise<number | undefined> {
    while (this.length === 0 && !signal.aborted)
      await once(this.events, 'job', { signal }).catch(() => undefined);
    return signal.aborted ? undefined : this.toSend[this.sent];
  }

  /** @throws Error if the file is damaged or missing */
  read(number: number): Promise<OpenJob> {
    return this.serial.run(() => OpenJob.open(this.fileOf(number)));
  }

  /** Removes the oldest job, which the platform has accepted. */
  accepted(number: number): Promise<void> {
    return this.serial.run(async () => {
      const file = this.fileOf(number);
      this.removeOldest(number);
      if (!this.waitingToPrint.has(number)) return this.whileLogging('remove a job', remove(file));
      this.printOnly.add(number);
      await this.whileLogging('keep a slip for printing', move(file, this.fileOf(number)));
    });
  }

  /** Moves the oldest job to the folder `refused`, with the reason. */
  refuse(number: number, reason: string): Promise<void> {
    return this.serial.run(async () => {
      const file = this.fileOf(number);
      const name = nameOf(number);
      const text = Buffer.from(`${reason}\n`);
      await this.whileLogging(
        'write why a job was rejected',
        writeDurably(this.disk, this.path('refused'), `${name}.reason.txt`, text),
      );
      if (await move(file, this.path('refused', name))) this.refusedCount.add(name);
      await this.whileLogging('sync the rejected jobs', syncFolder(this.path('refused')));
      this.removeOldest(number);
    });
  }

  /** Called when the slip has been printed, or is too old to be printed. */
  printed(number: number): Promise<void> {
    return this.serial.run(async () => {
      const file = this.fileOf(number);
      this.waitingToPrint.delete(number);
      if (this.printOnly.delete(number)) return this.whileLogging('remove a job', remove(file));
      await this.whileLogging('record that a slip was printed', move(file, this.fileOf(number)));
    });
  }

  /**
   * Appends the jobs in the folder `resend` to the queue, and detects rejected jobs that were removed manually.
   * @returns the number of jobs to be sent again
   */
  takeResent(): Promise<number> {
    return this.serial.run(async () => {
      const names = (await namesIn(this.path('resend'))).filter((name) => name.endsWith('.job'));
      for (const name of names) {
        await rename(this.path('resend', name), this.path('queue', nameOf(++this.last, 'send')));
        await remove(this.path('refused', `${name}.reason.txt`));
        this.append(this.last);
      }
      this.refusedCount = await this.readRefused();
      if (names.length > 0) await syncFolder(this.path('queue'));
      return names.length;
    });
  }

  close(): void {
    clearInterval(this.diskCheck);
  }

  private async open(): Promise<void> {
    for (const folder of folders) await mkdir(this.path(folder), { recursive: true, mode: 0o700 });
    for (const name of await namesIn(this.path('incoming'))) await remove(this.path('incoming', name));
    // After weeks offline, the folder has too many names for one array.
    for await (const { name } of await opendir(this.path('queue'))) {
      const number = numberIn(name);
      if (name.includes('.send.')) this.toSend.push(number);
      else this.printOnly.add(number);
      if (name.includes('.print.')) this.waitingToPrint.add(number);
    }
    this.toSend.sort((a, b) => a - b);
    this.refusedCount = await this.readRefused();
    const numbers = [...this.toSend, ...this.printOnly, ...[...this.refusedCount].map(numberIn)];
    this.last = numbers.reduce((last, number) => Math.max(last, number), 0);
    await this.check();
  }

  private async readRefused(): Promise<Set<string>> {
    return new Set((await namesIn(this.path('refused'))).filter((name) => name.endsWith('.job')));
  }

  private take(file: string, isPrinted: boolean): Promise<number> {
    return this.serial.run(async () => {
      if (this.length >= this.options.jobsMax) throw new NotTakenError('queue_full');
      const number = ++this.last;
      if (isPrinted) this.waitingToPrint.add(number);
      const target = this.fileOf(number);
      try {
        await rename(file, target);
        await syncFolder(this.path('queue'));
      } catch (error) {
        this.waitingToPrint.delete(number);
        await remove(target).catch(() => undefined);
        throw this.diskFailed(error);
      }
      this.append(number);
      if (isPrinted) this.events.emit('print', number);
      return number;
    });
  }

  private append(number: number): void {
    this.toSend.push(number);
    this.events.emit('job');
    this.refusalMayChange();
  }

  private removeOldest(number: number): void {
    if (this.toSend[this.sent] !== number) throw new Error(`job ${number} is not the oldest`);
    this.sent += 1;
    if (this.sent > 1_000) {
      this.toSend = this.toSend.slice(this.sent);
      this.sent = 0;
    }
    this.refusalMayChange();
  }

  private path(folder: (typeof folders)[number], ...names: string[]): string {
    return path.join(this.options.folder, folder, ...names);
  }

  private fileOf(number: number): string {
    const flags = [
      ...(this.printOnly.has(number) ? [] : ['send']),
      ...(this.waitingToPrint.has(number) ? ['print'] : []),
    ];
    return this.path('queue', nameOf(number, ...flags));
  }

  /** A failure here does not lose a job: at worst, it is sent or printed once more after a restart. */
  private async whileLogging(what: string, work: Promise<unknown>): Promise<void> {
    await work.catch((error: Error) => this.options.log(`could not ${what}: ${error.message}`));
  }

  private diskFailed(error: unknown): NotTakenError {
    if (error instanceof NotTakenError) return error;
    const { message } = error as Error;
    if (this.diskError === undefined) this.options.log(`jobs cannot be accepted: ${message}`);
    this.diskError = message;
    this.diskCheck ??= setInterval(() => void this.check(), diskCheckEveryMs).unref();
    this.refusalMayChange();
    return new NotTakenError('disk_full', { cause: error });
  }

  /** Writes a file to check whether the disk accepts jobs (again). */
  private async check(): Promise<void> {
    const file = this.path('incoming', 'probe');
    try {
      await remove(file);
      const handle = await this.disk.create(file);
      try {
        await this.disk.write(handle, Buffer.alloc(diskCheckBytes));
        await this.disk.sync(handle);
      } finally {
        await handle.close();
        await remove(file);
      }
      if (this.diskError !== undefined) this.options.log('jobs are accepted again');
      this.diskError = undefined;
      clearInterval(this.diskCheck);
      this.diskCheck = undefined;
      this.refusalMayChange();
    } catch (error) {
      this.diskFailed(error);
    }
  }

  private refusalMayChange(): void {
    const { refusal } = this;
    if (refusal === this.lastRefusal) return;
    this.lastRefusal = refusal;
    this.events.emit('refusal', refusal);
  }
}
