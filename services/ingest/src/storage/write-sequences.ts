import { newId } from '@receipts/kernel';

/**
 * A packet's unique number in a sequence. Events of packets above the sequence's watermark have not been published yet.
 */
export interface PacketNumber {
  readonly sequence: string;
  /** Starts at 1. */
  readonly number: number;
}

/** A sequence is used only for this long, so that old sequences have no writers. */
export const sequenceUsedMsMax = 60 * 60_000;

/**
 * A sequence of numbers. Only one command at a time writes to a sequence, with increasing numbers. Therefore, packets
 * that are not visible or not written yet have higher numbers than visible packets.
 */
export class WriteSequence {
  private last = 0;

  constructor(
    readonly id: string,
    readonly createdAtMs: number,
  ) {}

  next(): PacketNumber {
    return { sequence: this.id, number: ++this.last };
  }
}

/** The sequences of one process. */
export class WriteSequences {
  private readonly free: WriteSequence[] = [];

  /** @param open writes the watermark of a new sequence, so that other processes find it after a crash */
  constructor(
    private readonly open: (sequence: string) => Promise<void>,
    private readonly nowMs: () => number,
  ) {}

  /** A sequence that no other command uses until it is returned. */
  async take(): Promise<WriteSequence> {
    const now = this.nowMs();
    for (let sequence = this.free.pop(); sequence; sequence = this.free.pop()) {
      if (now - sequence.createdAtMs < sequenceUsedMsMax) return sequence;
    }
    const sequence = new WriteSequence(newId(now), now);
    await this.open(sequence.id);
    return sequence;
  }

  /**
   * Called after a write with a known outcome. A write with an unknown outcome may still be applied, so its sequence is
   * never used again.
   */
  release(sequence: WriteSequence): void {
    this.free.push(sequence);
  }
}
