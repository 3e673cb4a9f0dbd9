import { cursorOf, readCursor } from './event-cursor';

const recording = '6650d1c2a4b8e9f012345678';

it.each([0, 1, 36, 10_000_000, Number.MAX_SAFE_INTEGER])('encodes and decodes %d', (position) => {
  const id = position === 0 ? '' : recording;
  expect(readCursor(cursorOf({ recording, position, id }))).toEqual({ recording, position, id });
});

it.each([
  '',
  'x',
  recording,
  `${recording}-`,
  `${recording}-01`,
  `${recording}--1`,
  `${recording}-zzzzzzzzzzz`,
  `-1`,
])('%j is not a cursor', (text) => {
  expect(readCursor(text)).toBeUndefined();
});
