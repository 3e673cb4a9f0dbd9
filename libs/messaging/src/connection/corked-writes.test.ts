import { Writable } from 'node:stream';
import { corkWrites } from './connection';

/** Writes three frames, in two turns of the event loop; returns the data that reaches the socket each time. */
async function packetsOf(prepare: (stream: Writable) => void): Promise<string[]> {
  const packets: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      packets.push(chunk.toString());
      done();
    },
    writev(chunks, done) {
      packets.push(chunks.map(({ chunk }) => String(chunk)).join(''));
      done();
    },
  });
  prepare(stream);
  stream.write('a');
  stream.write('b');
  await new Promise((resolve) => setImmediate(resolve));
  stream.write('c');
  await new Promise((resolve) => setImmediate(resolve));
  return packets;
}

test('sends the frames of one turn together, and those of the next turn after them', async () => {
  expect(await packetsOf(corkWrites)).toEqual(['ab', 'c']);
  expect(await packetsOf(() => {})).toEqual(['a', 'b', 'c']);
});
