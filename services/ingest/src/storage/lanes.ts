import { newId } from '@receipts/kernel';

/** A packet's unique place in a lane. Events of packets above the lane's watermark have not been published yet. */
export interface LanePlace {
  readonly lane: string;
  /** From 1. */
  readonly number: number;
}

/** A lane is used for this time only, so that old lanes have no writers. */
export const laneUsedMsMax = 60 * 60_000;

/**
 * A sequence of numbers. Only one command at a time writes to a lane, with rising numbers: so all packets that are not
 * visible or not written yet have higher numbers than the visible ones.
 */
export class Lane {
  private last = 0;

  constructor(
    readonly id: string,
    readonly madeAtMs: number,
  ) {}

  next(): LanePlace {
    return { lane: this.id, number: ++this.last };
  }
}

/** The lanes of one process. */
export class Lanes {
  private readonly free: Lane[] = [];

  /** @param open writes the watermark of a new lane, so that other processes find it after a crash */
  constructor(
    private readonly open: (lane: string) => Promise<void>,
    private readonly nowMs: () => number,
  ) {}

  /** A lane that no other command uses until it is given back. */
  async take(): Promise<Lane> {
    const now = this.nowMs();
    for (let lane = this.free.pop(); lane; lane = this.free.pop()) {
      if (now - lane.madeAtMs < laneUsedMsMax) return lane;
    }
    const lane = new Lane(newId(now), now);
    await this.open(lane.id);
    return lane;
  }

  /**
   * Called after a write with a known outcome. A write with an unknown outcome may still be applied, so its lane is never
   * used again.
   */
  giveBack(lane: Lane): void {
    this.free.push(lane);
  }
}
