import { readFileSync } from 'node:fs';
import path from 'node:path';
import { JobSplitter } from './job-splitter';

const slip = readFileSync(path.resolve(__dirname, '../../examples/slips/escpos.bin'));
const bytes = (...parts: (string | number | readonly number[] | Buffer)[]) =>
  Buffer.concat(
    parts.map((part) =>
      typeof part === 'string'
        ? Buffer.from(part, 'latin1')
        : Buffer.from(typeof part === 'number' ? [part] : part),
    ),
  );
const cutNow = [0x1d, 0x56, 0];

/** The jobs that end with a command, and the remaining bytes, if the bytes arrive in chunks of this size. */
function split(input: Buffer, chunkBytes = input.length || 1) {
  const splitter = new JobSplitter();
  const jobs: { bytes: string; hasContent: boolean }[] = [];
  const questions: string[] = [];
  let job = '';
  let hasContent = false;
  for (let at = 0; at < input.length; at += chunkBytes) {
    for (const part of splitter.push(input.subarray(at, at + chunkBytes))) {
      const text = part.bytes.toString('latin1');
      if (part.kind === 'question') {
        questions.push(text);
        continue;
      }
      job += text;
      if (part.kind === 'bytes') hasContent ||= part.hasContent;
      else {
        jobs.push({ bytes: job, hasContent });
        job = '';
        hasContent = false;
      }
    }
  }
  const rest = job + splitter.rest().toString('latin1');
  return { jobs, questions, rest: { bytes: rest, hasContent } };
}
const endsOf = (input: Buffer, chunkBytes?: number) => split(input, chunkBytes).jobs.map((job) => job.bytes);

it.each<[string, number[]]>([
  ['GS V 0', [0x1d, 0x56, 0]],
  ['GS V 1', [0x1d, 0x56, 1]],
  ['GS V "0"', [0x1d, 0x56, 48]],
  ['GS V "1"', [0x1d, 0x56, 49]],
  ['GS V A n', [0x1d, 0x56, 65, 0]],
  ['GS V B n', [0x1d, 0x56, 66, 0x1d]],
  ['GS V a n', [0x1d, 0x56, 97, 3]],
  ['GS V b n', [0x1d, 0x56, 98, 3]],
  ['GS V g n', [0x1d, 0x56, 103, 3]],
  ['GS V h n', [0x1d, 0x56, 104, 3]],
  ['ESC i', [0x1b, 0x69]],
  ['ESC m', [0x1b, 0x6d]],
  ['a form feed', [0x0c]],
])('ends a job at %s, no matter how it is chunked', (_name, cut) => {
  const input = bytes('one', cut, 'two', cut);
  for (let size = 1; size <= input.length; size++) {
    const { jobs, rest } = split(input, size);
    expect(jobs.map((job) => job.bytes)).toEqual(
      [bytes('one', cut), bytes('two', cut)].map((job) => job.toString('latin1')),
    );
    expect(rest.bytes).toBe('');
  }
});

const cuts = bytes(cutNow, [0x1b, 0x69, 0x0c, 0x1b, 0x6d]);
const repeated = (length: number) => Buffer.alloc(length, cuts);
it.each<[string, Buffer]>([
  ['GS v 0', bytes([0x1d, 0x76, 0x30, 0, 4, 0, 8, 0], repeated(32))],
  ['GS ( L', bytes([0x1d, 0x28, 0x4c, 42, 0], repeated(42))],
  ['GS 8 L', bytes([0x1d, 0x38, 0x4c, 0x2c, 1, 0, 0], repeated(300))],
  ['ESC * of 8 dots', bytes([0x1b, 0x2a, 0, 24, 0], repeated(24))],
  ['ESC * of 24 dots', bytes([0x1b, 0x2a, 33, 24, 0], repeated(72))],
  ['GS ( k', bytes([0x1d, 0x28, 0x6b, 20, 0], repeated(20))],
  ['GS k with a length', bytes([0x1d, 0x6b, 73, 20], repeated(20))],
  ['GS k with a NUL', bytes([0x1d, 0x6b, 4], '123', 0x0c, '4', 0)],
  ['GS Q 0', bytes([0x1d, 0x51, 0x30, 0, 4, 0, 8, 0], repeated(32))],
])('skips %s by its length, regardless of its content', (_name, graphics) => {
  const input = bytes(graphics, cutNow);
  for (const size of [1, 2, 3, 7, input.length]) {
    const { jobs, rest } = split(input, size);
    expect(jobs).toEqual([{ bytes: input.toString('latin1'), hasContent: true }]);
    expect(rest.bytes).toBe('');
  }
});

it.each<[string, Buffer]>([
  ['user-defined characters', bytes([0x1b, 0x26, 3, 65, 66], 2, repeated(6), 1, repeated(3))],
  ['images for the memory of the printer', bytes([0x1c, 0x71, 1], [1, 0, 2, 0], repeated(16))],
  ['a downloaded image', bytes([0x1d, 0x2a, 1, 2], repeated(16))],
  ['tab stops', bytes([0x1b, 0x44, 8, 12, 27, 0])],
  ['a drawer', bytes([0x1b, 0x70, 0x0c, 0x1b, 0x69])],
  ['a line spacing', bytes([0x1b, 0x33, 0x0c])],
  ['a page printed in page mode', bytes([0x1b, 0x0c])],
])('%s: does not end a job in parameters and data', (_name, setup) => {
  const input = bytes(setup, 'x', cutNow);
  for (const size of [1, 2, 5, input.length]) expect(endsOf(input, size)).toEqual([input.toString('latin1')]);
});

it('does not end a job at a form feed in page mode, which only prints the page', () => {
  const input = bytes([0x1b, 0x4c], 'page', 0x0c, 'more', cutNow);
  expect(endsOf(input)).toEqual([input.toString('latin1')]);
});

it('does not treat initialisation, line feeds, a stored logo, a drawer or a cut as content', () => {
  const logo = [0x1d, 0x28, 0x4c, 6, 0, 48, 69, 32, 32, 1, 1];
  const { jobs } = split(
    bytes([0x1b, 0x40], '  \r\n\n', [0x1c, 0x70, 1, 0], logo, [0x1b, 0x70, 0, 25, 250], cutNow),
  );
  expect(jobs).toMatchObject([{ hasContent: false }]);
});

it('excludes queries to the printer from a job', () => {
  const questions = [
    [0x10, 0x04, 1],
    [0x10, 0x04, 7, 1],
    [0x1d, 0x72, 1],
    [0x1d, 0x49, 66],
    [0x1d, 0x61, 255],
  ];
  const input = bytes('a', ...questions, 'b', cutNow);
  for (const size of [1, 3, input.length]) {
    const found = split(input, size);
    expect(found.questions).toEqual(questions.map((question) => bytes(question).toString('latin1')));
    expect(found.jobs.map((job) => job.bytes)).toEqual([bytes('ab', cutNow).toString('latin1')]);
  }
});

it('ends a real slip at its cut, before the command that opens the drawer', () => {
  const end = slip.lastIndexOf(Buffer.from([0x1d, 0x56])) + 4;
  for (const size of [1, 5, 64, slip.length]) {
    const { jobs, rest } = split(slip, size);
    expect(jobs).toEqual([{ bytes: slip.subarray(0, end).toString('latin1'), hasContent: true }]);
    expect(rest).toEqual({ bytes: slip.subarray(end).toString('latin1'), hasContent: false });
  }
});

it('keeps incomplete commands in the buffer', () => {
  expect(split(bytes('x', [0x1d, 0x56])).rest).toEqual({ bytes: 'x\x1dV', hasContent: true });
});
