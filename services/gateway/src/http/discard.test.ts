import { Readable } from 'node:stream';
import { countByTurn } from '@receipts/testing';
import { discard } from './discard';

const chunk = Buffer.alloc(64 * 1024);
const chunksOfEach = 20;

/** Streams that always have the next chunk, and the bytes read from them in each turn of the event loop. */
function senders(count: number) {
  const chunks = countByTurn();
  const streams = Array.from({ length: count }, () => {
    let left = chunksOfEach;
    const stream = new Readable({
      highWaterMark: chunk.length,
      read() {
        this.push(left-- > 0 ? chunk : null);
      },
    });
    stream.on('data', ({ length }: Buffer) => chunks.add(length / chunk.length));
    stream.pause();
    return stream;
  });
  return { streams, chunks };
}

test('reads rejected bodies to the end, with a limit per turn for all callers together', async () => {
  const { streams, chunks } = senders(24);
  const ended = streams.map((stream) => new Promise((resolve) => stream.once('end', resolve)));
  for (const stream of streams) discard(stream);
  await Promise.all(ended);
  expect(chunks.sums().reduce((sum, read) => sum + read)).toBe(24 * chunksOfEach);
  // A chunk that was pushed while another was waiting is read along with it.
  expect(Math.max(...chunks.sums())).toBeLessThanOrEqual(16);
});
