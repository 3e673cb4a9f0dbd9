import {
  idSize,
  recordSize,
  recordMax,
  documentKey,
  type DocumentOwner,
  type Environment,
  type KeyRange,
} from '../store/environment';
import type { Pausable, Progress } from './progress';

/**
 * Iterates over the documents of a collection in the order of their record numbers, forwards or backwards. As in
 * KeyStream, an LMDB cursor is open only during a turn of the event loop.
 */
export class DocumentStream implements Pausable {
  record = 0;
  raw: Buffer = Buffer.alloc(0);
  #started = false;
  #cursor: Iterator<{ key: Buffer; value: Buffer }> | undefined;

  constructor(
    private readonly environment: Environment,
    private readonly collection: DocumentOwner,
    private readonly backwards: boolean,
    private readonly progress: Progress,
  ) {}

  next(): boolean {
    this.#cursor ??= this.#open();
    const step = this.#cursor.next();
    if (step.done === true) {
      this.#cursor = undefined;
      this.progress.untrack(this);
      return false;
    }
    this.#started = true;
    this.record = step.value.key.readUIntBE(idSize, recordSize);
    this.raw = this.environment.opened(this.collection, step.value.key, step.value.value);
    this.progress.counters.documents++;
    return true;
  }

  pause(): void {
    this.#cursor?.return?.();
    this.#cursor = undefined;
  }

  #open(): Iterator<{ key: Buffer; value: Buffer }> {
    const low = documentKey(this.collection.id, 0);
    const high = documentKey(this.collection.id, recordMax);
    const last = documentKey(this.collection.id, this.record);
    const range: KeyRange = this.backwards
      ? {
          start: this.#started ? last : high,
          exclusiveStart: true,
          end: low,
          inclusiveEnd: true,
          reverse: true,
        }
      : { start: this.#started ? last : low, exclusiveStart: this.#started, end: high };
    this.progress.track(this);
    return this.environment.documents.getRange(range)[Symbol.iterator]();
  }
}
