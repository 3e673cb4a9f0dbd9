import { createRequire } from 'node:module';
import path from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { corkWrites } from './cork-writes';

interface Mux {
  pipeFrom(stream: PassThrough): void;
}

const load = createRequire(__filename);
const { Mux } = load(path.join(path.dirname(load.resolve('amqplib')), 'lib/mux.js')) as {
  readonly Mux: new (stream: Writable) => Mux;
};

/** Writes three frames, in two turns of the event loop, as amqplib does; returns the packets on the socket. */
async function packetsOf(prepare: (stream: Writable) => void): Promise<string[]> {
  const packets: string[] = [];
  const socket = new Writable({
    write(chunk: Buffer, _, done) {
      packets.push(chunk.toString());
      done();
    },
    writev(chunks, done) {
      packets.push(chunks.map(({ chunk }) => String(chunk)).join(''));
      done();
    },
  });
  prepare(socket);
  // The buffer of a channel, from which amqplib reads frame by frame.
  const frames = new PassThrough({ objectMode: true });
  new Mux(socket).pipeFrom(frames);
  const turns = async () => {
    for (let n = 0; n < 5; n++) await new Promise((resolve) => setImmediate(resolve));
  };
  frames.write('a');
  frames.write('b');
  await turns();
  frames.write('c');
  await turns();
  return packets;
}

test('sends the frames of one turn together, and those of the next turn after them', async () => {
  expect(await packetsOf(corkWrites)).toEqual(['ab', 'c']);
});

/** If this fails, amqplib combines frames itself, and `corkWrites` is no longer needed. */
test('amqplib sends each frame in a separate packet', async () => {
  expect(await packetsOf(() => {})).toEqual(['a', 'b', 'c']);
});
