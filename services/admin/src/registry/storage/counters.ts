import type { Collection } from 'mongodb';

export interface CounterDocument {
  /** `retailer/name` */
  readonly _id: string;
  readonly value: number;
}

export const countersDeclaration = { name: 'counters', indexes: [] } as const;

/** Allocates integers that are unique per retailer. An unused number leaves a gap. */
export class Counters {
  constructor(private readonly collection: Collection<CounterDocument>) {}

  async next(retailer: string, name: string, signal: AbortSignal): Promise<number> {
    const counter = await this.collection.findOneAndUpdate(
      { _id: `${retailer}/${name}` },
      { $inc: { value: 1 } },
      { upsert: true, returnDocument: 'after', signal },
    );
    if (!counter) throw new Error(`the counter ${name} returned no number`);
    return counter.value;
  }

  /** The next number, which is also greater than `floor`. */
  async nextAbove(retailer: string, name: string, floor: number, signal: AbortSignal): Promise<number> {
    await this.collection.updateOne(
      { _id: `${retailer}/${name}` },
      { $max: { value: floor } },
      { upsert: true, signal },
    );
    return this.next(retailer, name, signal);
  }
}
