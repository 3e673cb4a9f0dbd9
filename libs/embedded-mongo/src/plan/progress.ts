import { MongoError } from '../errors';
import { nextTurn } from '../next-turn';

/** What a command read, for explain. */
export interface Counters {
  keys: number;
  documents: number;
}

export interface Pausable {
  pause(): void;
}

/** How long a scan keeps the event loop before others get their turn. */
export const READ_SLICE_MS = 6;
const CLOCK_EVERY_STEPS = 32;

/**
 * The budget of one command's scans: says when it is time to let others go on and when the command's own time is up,
 * counts what was read, and closes the LMDB cursors between turns of the event loop.
 */
export class Progress {
  readonly counters: Counters = { keys: 0, documents: 0 };
  private readonly open = new Set<Pausable>();
  private steps = 0;
  private sliceEnd = performance.now() + READ_SLICE_MS;

  /** `deadline` is on performance.now()'s clock; Infinity for none. `turn` resolves when the command may go on. */
  constructor(
    private deadline = Infinity,
    private readonly turn = nextTurn,
  ) {}

  /** How much of the time limit is left; Infinity without one. */
  get msLeft(): number {
    return this.deadline - performance.now();
  }

  /** Sets the time limit anew, for a cursor that is asked for more. */
  allow(ms: number): void {
    this.deadline = performance.now() + ms;
  }

  /** A new slice begins; the command may read for READ_SLICE_MS. */
  resume(): void {
    this.sliceEnd = performance.now() + READ_SLICE_MS;
  }

  /** To be asked once a step; true when the slice is over. Throws code 50 when the command's time is up. */
  spent(): boolean {
    return ++this.steps % CLOCK_EVERY_STEPS === 0 && this.isOver();
  }

  /** The same, looking at the clock every time; for long steps. */
  isOver(): boolean {
    const now = performance.now();
    if (now > this.deadline) throw new MongoError(50, 'operation exceeded time limit');
    return now > this.sliceEnd;
  }

  /** Lets others go on; then a new slice begins. */
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

  /** Closes every open LMDB cursor; the streams go on where they were. */
  pause(): void {
    for (const s of this.open) s.pause();
    this.open.clear();
  }
}
