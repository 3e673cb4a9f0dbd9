import type { Writable } from 'node:stream';

/**
 * Sends all data written in one turn of the event loop together. amqplib (2.3.1) writes the frames of a message one by
 * one, and each becomes a separate packet, because Nagle's algorithm is off. That costs the broker 15 to 30 % more CPU
 * time per RPC with 4 to 64 in flight (November 2026). This belongs in amqplib's `Mux`; no issue requests it yet.
 * toa-io/comq#290 measured the same gain.
 */
export function corkWrites(stream: Writable): void {
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
  stream.write = (...args: unknown[]) => {
    if (stream.writableCorked === 0) {
      stream.cork();
      process.nextTick(() => stream.uncork());
    }
    return write(...args);
  };
}
