import type { Readable } from 'node:stream';
import { EventLoopBudget } from '@receipts/concurrency';

/**
 * The maximum number of chunks (up to 64 KiB each) that are discarded in one turn of the event loop, over all
 * connections. Without this limit, 24 refused uploads delivered 50 MB in one turn.
 */
const chunksPerTurnMax = 8;
const budget = new EventLoopBudget(chunksPerTurnMax);

/** Reads and discards incoming data. Senders that are faster than the limit are slowed down by TCP flow control. */
export function discard(stream: Readable): void {
  const next = () => void budget.run(1, read);
  const read = () => {
    // Null means that nothing is buffered; `readable` is then emitted for the next chunk.
    if (stream.read() !== null) next();
  };
  stream.on('readable', next);
}
