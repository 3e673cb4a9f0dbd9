import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { remove, type Disk } from './disk';
import { encodeFacts, type JobFacts } from './job-file';
import { NotTakenError } from './not-taken-error';

/** More than any slip needs, and more than the platform accepts. */
export const jobBytesMax = 16 * 1024 * 1024;

interface Destination {
  /** Puts the complete file into the queue. */
  take(file: string, isPrinted: boolean): Promise<number>;
  /** Records that the disk does not accept jobs, and returns the error for the till. */
  failed(error: unknown): NotTakenError;
}

/** A job that is arriving. Its bytes are written to a temporary file as they arrive. */
export class IncomingJob {
  private file: FileHandle | undefined;
  private received = 0;
  private readonly path: string;

  constructor(
    folder: string,
    readonly id: string = randomUUID(),
    private readonly disk: Disk,
    private readonly destination: Destination,
  ) {
    // Two requests may transfer the same job at once.
    this.path = path.join(folder, `${randomUUID()}.tmp`);
  }

  get bytes(): number {
    return this.received;
  }

  /** @throws NotTakenError */
  async write(bytes: Buffer): Promise<void> {
    this.received += bytes.length;
    await this.orRefuse(async () => {
      if (this.received > jobBytesMax) throw new NotTakenError('job_too_large');
      await this.disk.write(await this.opened(), bytes);
    });
  }

  /**
   * Accepts the job: when this resolves, it is on disk.
   * @returns the number of the job, in order of acceptance
   * @throws NotTakenError
   */
  commit(facts: Omit<JobFacts, 'id'>, { isPrinted }: { isPrinted: boolean }): Promise<number> {
    return this.orRefuse(async () => {
      const file = await this.opened();
      await this.disk.write(file, encodeFacts({ id: this.id, ...facts }));
      await this.disk.sync(file);
      await file.close();
      return this.destination.take(this.path, isPrinted);
    });
  }

  /** Discards the bytes of a job that is not accepted. */
  async discard(): Promise<void> {
    await this.file?.close().catch(() => undefined);
    await remove(this.path).catch(() => undefined);
  }

  private async opened(): Promise<FileHandle> {
    this.file ??= await this.disk.create(this.path);
    return this.file;
  }

  private async orRefuse<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      await this.discard();
      throw this.destination.failed(error);
    }
  }
}
