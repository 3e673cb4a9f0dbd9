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
 * Iterates over the documents of a collection, sorted by record number. As in
 * KeyStream, an LMDB cursor is open only during a turn of the event loop.
 */
export class DocumentStream implements Pausable {
  record = 0;
  raw: Buffer = Buffer.alloc(0);
  private started = false;
  private cursor: Iterator<{ key: Buffer; value: Buffer }> | undefined;

  constructor(
    private readonly environment: Environment,
    private readonly collection: DocumentOwner,
    private readonly progress: Progress,
  ) {}

  next(): boolean {
    this.cursor ??= this.open();
    const step = this.cursor.next();
    if (step.done === true) {
      this.cursor = undefined;
      this.progress.untrack(this);
      return false;
    }
    this.started = true;
    this.record = step.value.key.readUIntBE(idSize, recordSize);
    this.raw = this.environment.opened(this.collection, step.value.key, step.value.value);
    this.progress.counters.documents++;
    return true;
  }

  pause(): void {
    this.cursor?.return?.();
    this.cursor = undefined;
  }

  private open(): Iterator<{ key: Buffer; value: Buffer }> {
    const from = this.started ? this.record : 0;
    const range: KeyRange = {
      start: documentKey(this.collection.id, from),
      exclusiveStart: this.started,
      end: documentKey(this.collection.id, recordMax),
    };
    this.progress.track(this);
    return this.environment.documents.getRange(range)[Symbol.iterator]();
  }
}
