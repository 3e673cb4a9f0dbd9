import { WriteSequences, sequenceUsedMsMax } from './write-sequences';

function world() {
  const opened: string[] = [];
  const clock = { ms: 1_000_000 };
  const sequences = new WriteSequences(
    (sequence) => {
      opened.push(sequence);
      return Promise.resolve();
    },
    () => clock.ms,
  );
  return { opened, clock, sequences };
}

test('opens a sequence once, and counts', async () => {
  const { sequences, opened } = world();
  const sequence = await sequences.take();
  expect([sequence.next().number, sequence.next().number]).toEqual([1, 2]);
  sequences.release(sequence);
  expect(await sequences.take()).toBe(sequence);
  expect(sequence.next()).toEqual({ sequence: sequence.id, number: 3 });
  expect(opened).toEqual([sequence.id]);
});

test('never shares a sequence, and does not reuse a sequence that was not returned', async () => {
  const { sequences, opened } = world();
  const [one, two] = [await sequences.take(), await sequences.take()];
  expect(one.id).not.toBe(two.id);
  sequences.release(two);
  expect(await sequences.take()).toBe(two);
  expect((await sequences.take()).id).not.toBe(one.id);
  expect(opened).toHaveLength(3);
});

test('abandons an old sequence', async () => {
  const { sequences, clock } = world();
  const sequence = await sequences.take();
  sequences.release(sequence);
  clock.ms += sequenceUsedMsMax;
  expect((await sequences.take()).id).not.toBe(sequence.id);
});

test('discards a sequence that cannot be opened', async () => {
  const sequences = new WriteSequences(
    () => Promise.reject(new Error('away')),
    () => 0,
  );
  await expect(sequences.take()).rejects.toThrow('away');
});
