import type { Socket } from 'node:net';
import type { Channel, ChannelModel } from 'amqplib';

/** The parts of amqplib's connection that are used here. The version of amqplib is pinned; with another, every test here would fail at once. */
interface Inside {
  readonly stream: Socket;
  readonly channels: ({ buffer: unknown } | null)[];
}

export function socketOf(connection: ChannelModel): Socket {
  return (connection.connection as unknown as Inside).stream;
}

/**
 * Lets the frames of a channel go straight to the socket, those of one turn in one write. amqplib passes each frame through
 * a stream of its own, which holds an unbounded number of bytes that nobody can count: `unsentBytes` would say that the
 * socket is free while they pile up. It saves about 5 % of the processor time of a request as well (79 µs without it, 74 µs
 * with it, 256 in flight, November 2026).
 */
export function writeStraight(connection: ChannelModel, channel: Channel): void {
  const { stream, channels } = connection.connection as unknown as Inside;
  const entry = channels[(channel as unknown as { ch: number }).ch];
  if (!entry) throw new Error('amqplib keeps its channels in another way than expected');
  entry.buffer = {
    write(chunk: Buffer): boolean {
      if (stream.writableCorked === 0) {
        stream.cork();
        process.nextTick(() => stream.uncork());
      }
      return stream.write(chunk);
    },
    end() {},
  };
}
