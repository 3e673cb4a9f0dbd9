import type { Socket } from 'node:net';
import type { Channel, ChannelModel } from 'amqplib';

/**
 * The members of amqplib's connection that are used here. amqplib's version is pinned; an incompatible one fails
 * every test at once.
 */
interface Inside {
  readonly stream: Socket;
  readonly channels: ({ buffer: unknown } | null)[];
}

export function socketOf(model: ChannelModel): Socket {
  return (model.connection as unknown as Inside).stream;
}

/**
 * Writes the frames of a channel directly to the socket, one write per turn of the event loop. By default amqplib
 * passes each frame through a stream of its own with an unbounded buffer that cannot be measured: `unsentBytes` would
 * report a free socket while frames pile up. It also saves about 5 % of the CPU time of a request (79 µs without it,
 * 74 µs with it, 256 in flight, November 2026).
 */
export function writeDirectly(model: ChannelModel, channel: Channel): void {
  const { stream, channels } = model.connection as unknown as Inside;
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
