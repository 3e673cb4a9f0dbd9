import { MongoError } from '../errors';
import type { Plain } from '../bson/write';
import type { Job } from '../store/write-group';

/** The errors of single items of a bulk write, in the format of MongoDB's replies. */
export class WriteErrors {
  private readonly errors: Record<string, Plain>[] = [];

  /** Records the error of an item. Errors other than MongoError are bugs in this server and are rethrown. */
  add(index: number, error: unknown): void {
    if (!(error instanceof MongoError)) throw error;
    this.errors.push({ index, code: error.code, errmsg: error.message, ...error.details });
  }

  get any(): boolean {
    return this.errors.length > 0;
  }

  fields(): Record<string, Plain> {
    return this.any ? { writeErrors: this.errors } : {};
  }
}

/** Runs a job per item. An ordered bulk write stops at the first error. */
export function* eachItem<T>(
  items: readonly T[],
  ordered: boolean,
  errors: WriteErrors,
  run: (item: T, index: number) => Job<void>,
): Job<void> {
  for (let i = 0; i < items.length; i++) {
    try {
      yield* run(items[i]!, i);
    } catch (error) {
      errors.add(i, error);
      if (ordered) return;
    }
  }
}
