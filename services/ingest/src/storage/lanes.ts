import { newId } from '@receipts/kernel';

/** A place that no other packet has: what a lane holds above its mark has not been told of yet. */
export interface LanePlace {
  readonly lane: string;
  /** From 1. */
  readonly number: number;
}

/** So long after its first use a lane is left, so that nobody writes into an old one any more. */
export const laneUsedMsMax = 60 * 60_000;

/**
 * One command at a time writes into a lane, in rising numbers: so what is not to be seen yet, and what is still to come, has
 * a higher number than all that is to be seen.
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

  /** @param open makes the mark of a lane, so that whoever comes after a crash knows of it */
  constructor(
    private readonly open: (lane: string) => Promise<void>,
    private readonly nowMs: () => number,
  ) {}

  /** A lane that nobody else has until it is given back. */
  async take(): Promise<Lane> {
    const now = this.nowMs();
    for (let lane = this.free.pop(); lane; lane = this.free.pop()) {
      if (now - lane.madeAtMs < laneUsedMsMax) return lane;
    }
    const lane = new Lane(newId(now), now);
    await this.open(lane.id);
    return lane;
  }

  /** After a write whose outcome is known. One of which it is not known may still come: its lane is left for good. */
  giveBack(lane: Lane): void {
    this.free.push(lane);
  }
}
