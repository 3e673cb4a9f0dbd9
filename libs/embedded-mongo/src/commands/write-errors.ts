import { MongoError } from '../errors';
import type { Plain } from '../bson/write';
import type { Job } from '../store/write-queue';

/** Errors of single documents of a bulk, in the shape of MongoDB's answers. */
export class WriteErrors {
  private readonly errors: Record<string, Plain>[] = [];

  /** Notes an error of one item; anything but a MongoError is a fault of this server and goes on. */
  add(index: number, error: unknown): void {
    if (!(error instanceof MongoError)) throw error;
    this.errors.push({
      index,
      code: error.code,
      errmsg: error.message,
      ...(error.extra as Record<string, Plain>),
    });
  }

  get any(): boolean {
    return this.errors.length > 0;
  }

  fields(): Record<string, Plain> {
    return this.any ? { writeErrors: this.errors } : {};
  }
}

/** Runs one job an item; an ordered bulk ends at the first error. */
export function* eachItem<T>(
  items: readonly T[],
  ordered: boolean,
  errors: WriteErrors,
  run: (item: T, index: number) => Job<void>,
): Job<void> {
  for (let i = 0; i < items.length; i++) {
    try {
      yield* run(items[i]!, i);
    } catch (e) {
      errors.add(i, e);
      if (ordered) return;
    }
  }
}
