import { recordHeadBytes, recordKind, readRecords, sealRecord } from './log-record';

const testSalt = 12345;

function record(sequence: number, text: string, salt = testSalt): Buffer {
  const b = Buffer.concat([Buffer.alloc(recordHeadBytes), Buffer.from(text)]);
  sealRecord(b, sequence, recordKind.changes, salt);
  return b;
}

const texts = (bytes: Buffer, first = 1): string[] =>
  readRecords(bytes, 0, first, testSalt).records.map((r) => r.body.toString());

test('reads records in order, ignoring the data that follows them', () => {
  const bytes = Buffer.concat([record(1, 'one'), record(2, ''), record(3, 'three'), Buffer.alloc(500)]);
  expect(texts(bytes)).toEqual(['one', '', 'three']);
  expect(readRecords(bytes, 0, 1, testSalt).end).toBe(bytes.length - 500);
});

test('ignores a last record that is truncated or damaged at any byte', () => {
  const before = Buffer.concat([record(1, 'one'), record(2, 'two')]);
  const last = record(3, 'three');
  for (let n = 0; n < last.length; n++) {
    expect(texts(Buffer.concat([before, last.subarray(0, n)]))).toEqual(['one', 'two']);
    expect(texts(Buffer.concat([before, last.subarray(0, n), Buffer.alloc(64)]))).toEqual(['one', 'two']);
    const flipped = Buffer.from(last);
    flipped[n]! ^= 1;
    expect(texts(Buffer.concat([before, flipped]))).toEqual(['one', 'two']);
  }
});

test('fails on a record that is damaged at any byte and precedes intact records', () => {
  const parts = [record(1, 'one'), record(2, 'two'), record(3, 'three')];
  const start = parts[0]!.length;
  for (let n = 0; n < parts[1]!.length; n++) {
    const bytes = Buffer.concat(parts);
    bytes[start + n]! ^= 1;
    expect(() => texts(bytes)).toThrow(`record 2 at byte ${start} is damaged, record 3 follows it`);
  }
});

test('ignores records with another salt, or from an earlier use of the file', () => {
  expect(texts(Buffer.concat([record(1, 'one'), record(2, 'old', testSalt + 1)]))).toEqual(['one']);
  expect(texts(record(7, 'seven'), 8)).toEqual([]);
  const inside = record(2, `a document that holds ${record(3, 'a record', testSalt + 1).toString('latin1')}`);
  expect(texts(Buffer.concat([record(1, 'one'), inside.subarray(0, -1)]))).toEqual(['one']);
});
