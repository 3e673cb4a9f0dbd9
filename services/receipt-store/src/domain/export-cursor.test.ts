import { cursorCodec } from './cursor';
import { exportCursors } from './export-cursor';

const positions = cursorCodec('secret');
const cursors = exportCursors('secret', positions);
const range = { from: 1, to: 2, storeKeys: ['s1'] };
const position = { seq: 7, id: 'id-7' };

test('a cursor within an export contains the end of the export, readable only with the same retailer and range', () => {
  const cursor = cursors.encode('acme', position, range, 1_000);
  expect(cursors.lastIn(cursor, 'acme', range)).toBe(1_000);
  expect(cursors.lastIn(cursor, 'other', range)).toBeUndefined();
  expect(cursors.lastIn(cursor, 'acme', { ...range, to: 3 })).toBeUndefined();
  expect(cursors.lastIn(cursor, 'acme', { ...range, storeKeys: undefined })).toBeUndefined();
  const changed =
    cursors.encode('acme', { ...position, seq: 8 }, range, 1_000).slice(0, 16) + cursor.slice(16);
  expect(cursors.lastIn(changed, 'acme', range)).toBeUndefined();
  expect(positions.matches(cursors.positionIn(cursor), 'acme', position)).toBe(true);
});

test('the cursor at the end of an export is that of its last receipt', () => {
  const cursor = cursors.encode('acme', position, range, undefined);
  expect(cursor).toBe(positions.encode('acme', position));
  expect(cursors.lastIn(cursor, 'acme', range)).toBeUndefined();
  expect(cursors.lastIn('x', 'acme', range)).toBeUndefined();
});
