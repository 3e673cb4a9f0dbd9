import { cursorOf, readCursor } from './list-cursor';

it('decodes what it has encoded', () => {
  const position = { updatedAt: new Date(1_700_000_000_123), _id: '0123456789abcdef01234567' };
  expect(readCursor(cursorOf(position))).toEqual(position);
});

it.each(['', 'x', '1', '-', '1-x', '1-0123456789ABCDEF01234567', '1e3-0123456789abcdef01234567', ' 1-0'])(
  'rejects "%s" as a position',
  (text) => expect(readCursor(text)).toBeUndefined(),
);
