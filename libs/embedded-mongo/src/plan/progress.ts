import { MongoError } from '../errors';
import { nextTurn } from '../next-turn';

/** The keys and documents that a command has read, for explain. */
export interface Counters {
  keys: number;
  documents: number;
}

export interface Pausable {
  pause(): void;
}

/** How long a scan may occupy the event loop before other work runs. */
export const readSliceMs = 1;
const clockEverySteps = 32;

/**
 * The time budget of a command's scans. It ends time slices, enforces maxTimeMS, counts the keys and documents read, and
 * closes LMDB cursors between turns of the event loop.
 */
export class Progress {
  readonly counters: Counters = { keys: 0, documents: 0 };
  private readonly open = new Set<Pausable>();
  private steps = 0;
  private sliceEnd = performance.now() + readSliceMs;

  /**
   * @param deadline in the time scale of performance.now(); Infinity if there is none @param turn resolves when the
   *   command may continue
   */
  constructor(
    private deadline = Infinity,
    private readonly turn = nextTurn,
  ) {}

  /** The remaining time; Infinity if there is no deadline. */
  get msLeft(): number {
    return this.deadline - performance.now();
  }

  /** Sets a new deadline, for a getMore of a cursor. */
  allow(ms: number): void {
    this.deadline = performance.now() + ms;
  }

  /** Starts a new slice. */
  resume(): void {
    this.sliceEnd = performance.now() + readSliceMs;
  }

  /**
   * Must be called once per step; reads the clock only occasionally. Returns true at the end of the slice.
   * @throws code 50 after the deadline
   */
  spent(): boolean {
    return ++this.steps % clockEverySteps === 0 && this.isOver();
  }

  /** Like `spent`, but reads the clock on every call, for long steps. */
  isOver(): boolean {
    const now = performance.now();
    if (now > this.deadline) throw new MongoError(50, 'operation exceeded time limit');
    return now > this.sliceEnd;
  }

  /** Yields to other work, then starts a new slice. */
  async giveWay(): Promise<void> {
    this.pause();
    await this.turn();
    this.resume();
  }

  track(stream: Pausable): void {
    this.open.add(stream);
  }

  untrack(stream: Pausable): void {
    this.open.delete(stream);
  }

  /** Closes all open LMDB cursors. Their streams continue at the same position afterwards. */
  pause(): void {
    for (const s of this.open) s.pause();
    this.open.clear();
  }
}
