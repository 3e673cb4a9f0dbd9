import { commandEnd, type CommandReader } from './command';
import { escposCommandAt } from './escpos-commands';
import { starCommandAt } from './star-commands';

const bytes = (...parts: (string | number | readonly number[])[]) =>
  Buffer.concat(
    parts.map((part) =>
      typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from([part].flat()),
    ),
  );

const esc = 0x1b;
const gs = 0x1d;
const fs = 0x1c;

/** The command is whole, and only whole: the byte after it is not part of it, and a byte less is incomplete. */
function expectLength(read: CommandReader, command: Buffer): void {
  expect(commandEnd(read, Buffer.concat([command, bytes('x\0\x1e')]), 0)).toBe(command.length);
  for (let length = 1; length < command.length; length++)
    expect(commandEnd(read, command.subarray(0, length), 0)).toBe(length);
}

test.each<[string, Buffer]>([
  ['ESC @', bytes(esc, '@')],
  ['ESC $', bytes(esc, '$', 1, 2)],
  ['ESC W', bytes(esc, 'W', 1, 2, 3, 4, 5, 6, 7, 8)],
  ['ESC D', bytes(esc, 'D', 8, 16, 0)],
  ['ESC * of 8 dots', bytes(esc, '*', 0, 3, 0, 'abc')],
  ['ESC * of 24 dots', bytes(esc, '*', 33, 2, 0, 'abcdef')],
  ['ESC &', bytes(esc, '&', 2, 65, 66, 1, 'ab', 2, 'abcd')],
  ['GS V A', bytes(gs, 'VA', 3)],
  ['GS V 0', bytes(gs, 'V', 0)],
  ['GS k with a NUL', bytes(gs, 'k', 4, '*12*', 0)],
  ['GS k with a length', bytes(gs, 'k', 73, 3, '{B1')],
  ['GS ( k', bytes(gs, '(k', 4, 0, 49, 80, 48, 'x')],
  ['GS v 0', bytes(gs, 'v0', 0, 2, 0, 2, 0, 'abcd')],
  ['GS 8 L', bytes(gs, '8L', 2, 0, 0, 0, 'ab')],
  ['GS C 1', bytes(gs, 'C1', 'abcdef')],
  ['GS g 2', bytes(gs, 'g2', 0, 1, 2)],
  ['FS q', bytes(fs, 'q', 1, [1, 0, 1, 0], 'abcdefgh')],
  ['FS g 1', bytes(fs, 'g1', 0, [0, 0, 0, 0], [2, 0], 'ab')],
  ['DLE EOT', bytes(0x10, 4, 1)],
  ['DLE DC4 7', bytes(0x10, 0x14, 7, 1)],
])('ESC/POS: %s has its length', (_, command) => expectLength(escposCommandAt, command));

test.each<[string, Buffer]>([
  ['ESC d', bytes(esc, 'd', 3)],
  ['ESC GS A', bytes(esc, gs, 'A', 1, 2)],
  ['ESC GS t', bytes(esc, gs, 't', 4)],
  ['ESC RS F', bytes(esc, 0x1e, 'F', 1)],
  ['ESC i', bytes(esc, 'i', 1, 1)],
  ['ESC b', bytes(esc, 'b', 6, 2, 1, 40, '12345', 0x1e)],
  ['ESC D', bytes(esc, 'D', 8, 16, 0)],
  ['ESC X', bytes(esc, 'X', 2, 0, 'abcdef')],
  ['ESC GS S', bytes(esc, gs, 'S', 1, 2, 0, 2, 0, 0, 'abcd')],
  ['ESC GS y D 1', bytes(esc, gs, 'yD1', 0, 2, 0, 'ab')],
  ['ESC GS y S', bytes(esc, gs, 'yS', 0x30, 2)],
  ['ESC GS y P', bytes(esc, gs, 'yP')],
  ['ESC GS x D', bytes(esc, gs, 'xD', 2, 0, 'ab')],
  ['ESC BEL', bytes(esc, 7, 20, 20)],
])('Star: %s has its length', (_, command) => expectLength(starCommandAt, command));

test('an unknown command has two bytes, and data that ends inside a command ends it', () => {
  expect(commandEnd(escposCommandAt, bytes(esc, 'Zabc'), 0)).toBe(2);
  expect(commandEnd(starCommandAt, bytes(esc, '~abc'), 0)).toBe(2);
  expect(commandEnd(escposCommandAt, bytes(gs, '8L', 255, 255, 255, 127), 0)).toBe(7);
  expect(commandEnd(escposCommandAt, bytes('a', esc), 1)).toBe(2);
});
