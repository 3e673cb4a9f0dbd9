import type { MongoError } from '../errors';

/**
 * A write operation. Each `yield` lets other work run. Whether others may see its partial result is decided on
 * submission.
 */
export type Job<T> = Generator<void, T, void>;

export interface Queued {
  readonly job: Job<unknown>;
  /** The namespace in which the job must appear atomic. */
  readonly wholeIn: string | undefined;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  started: boolean;
}

/** The jobs whose changes belong to the same log record. */
export class WriteGroup {
  private readonly ended: { readonly q: Queued; readonly settle: () => void }[] = [];
  private readonly readers: { resolve: () => void; reject: (e: unknown) => void }[] = [];

  constructor(readonly number: number) {}

  get isEmpty(): boolean {
    return this.ended.length === 0;
  }

  /** @param settle completes the job once the record is on disk */
  add(q: Queued, settle: () => void): void {
    this.ended.push({ q, settle });
  }

  /** Resolves when the record is on disk. */
  logged(): Promise<void> {
    return new Promise((resolve, reject) => this.readers.push({ resolve, reject }));
  }

  succeed(): void {
    for (const { settle } of this.ended) settle();
    for (const r of this.readers) r.resolve();
  }

  fail(error: MongoError): void {
    for (const { q } of this.ended) q.reject(error);
    for (const r of this.readers) r.reject(error);
  }
}
