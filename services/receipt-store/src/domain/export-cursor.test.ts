import { cursorCodec } from './cursor';
import { exportCursors } from './export-cursor';

const positions = cursorCodec('secret');
const cursors = exportCursors('secret', positions);
const range = { from: 1, to: 2, storeKeys: ['a'] };
const position = { arrival: 7, id: 'r7' };
const within = cursors.encode('acme', position, range, 1_000);

test('a cursor within an export contains the position and the end of the export', () => {
  expect(cursors.read(within, 'acme', range)).toEqual({
    position: positions.encode('acme', position),
    last: 1_000,
  });
});

test.each([
  ['to', { ...range, to: 3 }],
  ['stores', { ...range, storeKeys: undefined }],
])('a cursor contains no end for another range: %s', (_, other) => {
  expect(cursors.read(within, 'acme', other)).toMatchObject({ last: undefined });
});

test('the cursor at the end of an export is that of its last receipt', () => {
  const cursor = cursors.encode('acme', position, range, undefined);
  expect(cursor).toBe(positions.encode('acme', position));
  expect(cursors.read(cursor, 'acme', range)).toEqual({ position: cursor, last: undefined });
});

test('an altered text is not a cursor', () => {
  for (let at = 16; at < within.length; at++) {
    const altered = within.slice(0, at) + (within[at] === 'A' ? 'B' : 'A') + within.slice(at + 1);
    expect([at, cursors.read(altered, 'acme', range)]).toEqual([at, undefined]);
  }
  const moved =
    cursors.encode('acme', { ...position, arrival: 8 }, range, 1_000).slice(0, 16) + within.slice(16);
  for (const text of [moved, '', 'x', `${within}A`, within.slice(0, -1), `${within.slice(0, 16)}A`]) {
    expect(cursors.read(text, 'acme', range)).toBeUndefined();
  }
  expect(cursors.read(within, 'other', range)).toBeUndefined();
});
