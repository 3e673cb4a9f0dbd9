import { fixed, lengths, letter, sized, type Command, type CommandReader } from './command';

/** The commands of Star printers. Source: Star's specifications of line mode and of StarPRNT. */

const esc = 0x1b;
const recordSeparator = 0x1e;

const word = (bytes: Buffer, at: number): number => (bytes[at] ?? 0) + 256 * (bytes[at + 1] ?? 0);

/** An image whose width in columns is in the two bytes after the letter. */
const columnsImage = (bytesPerColumn: number): CommandReader =>
  sized(4, (bytes, at) => ({ kind: 'content', dataBytes: word(bytes, at + 2) * bytesPerColumn }));

const endsWith = (headBytes: number, endByte: number, kind: Command['kind'] = 'other'): CommandReader =>
  sized(headBytes, () => ({ kind, endByte }));

/** `ESC GS S m xL xH yL yH n d...` */
const raster = sized(9, (bytes, at) => ({
  kind: 'content',
  dataBytes: word(bytes, at + 4) * word(bytes, at + 6),
}));

/** `ESC GS y S n`, `ESC GS y D 1 m nL nH d...`, `ESC GS y D 2 a [t nL nH d...]...`, `ESC GS y P`: QR codes. */
const qrCode: CommandReader = (bytes, at) => {
  const order = bytes[at + 3];
  if (order === letter('S')) return { kind: 'other', headBytes: 6 };
  if (order !== letter('D')) return { kind: order === letter('P') ? 'content' : 'other', headBytes: 4 };
  if (bytes[at + 4] === letter('1') || bytes[at + 4] === 1)
    return sized(8, () => ({ kind: 'other', dataBytes: word(bytes, at + 6) }))(bytes, at);
  return sized(6, () => ({
    kind: 'other',
    blocks: { count: bytes[at + 5] ?? 0, headBytes: 3, lengthOf: (head) => word(head, 1) },
  }))(bytes, at);
};

/** `ESC GS x S 0 n p1 p2`, `ESC GS x S 1 n`, `ESC GS x D nL nH d...`, `ESC GS x P`: PDF417. */
const pdf417: CommandReader = (bytes, at) => {
  const order = bytes[at + 3];
  if (order === letter('S')) return { kind: 'other', headBytes: bytes[at + 4] === letter('0') ? 8 : 6 };
  if (order === letter('D'))
    return sized(6, () => ({ kind: 'other', dataBytes: word(bytes, at + 4) }))(bytes, at);
  return { kind: order === letter('P') ? 'content' : 'other', headBytes: 4 };
};

/** `ESC GS P n`: page mode. */
const pageModeBytes: Readonly<Record<number, number>> = { 2: 5, 3: 12, 4: 6, 5: 6 };
const pageMode = sized(4, (bytes, at) => {
  const order = (bytes[at + 3] ?? 0) & 0x0f;
  const kind = order === 0 ? 'page-mode' : order === 1 ? 'standard-mode' : 'other';
  return { kind, dataBytes: (pageModeBytes[order] ?? 4) - 4 };
});

const escGsCommands = new Map<number, CommandReader>([
  ...lengths({ 4: 'ta', 5: 'AR' }),
  [letter('S'), raster],
  [letter('y'), qrCode],
  [letter('x'), pdf417],
  [letter('P'), pageMode],
  [letter('#'), endsWith(3, 0)],
  [0x03, fixed(6)],
  [0x07, fixed(6)],
  [0x11, fixed(6)],
  [0x19, fixed(7)],
  [letter('('), sized(6, (bytes, at) => ({ kind: 'other', dataBytes: word(bytes, at + 4) }))],
  [letter(')'), sized(6, (bytes, at) => ({ kind: 'other', dataBytes: word(bytes, at + 4) }))],
]);

const escGs: CommandReader = (bytes, at) => {
  const name = bytes[at + 2];
  return name === undefined ? undefined : (escGsCommands.get(name) ?? fixed(4))(bytes, at);
};

/** `ESC * r A` to `ESC * r B` is raster mode; the other orders end with a NUL. */
const rasterOrder: CommandReader = (bytes, at) => {
  const order = bytes[at + 3];
  if (order === undefined) return undefined;
  if (order === letter('A') || order === letter('B')) return { kind: 'other', headBytes: 4 };
  return { kind: 'other', headBytes: 4, endByte: 0 };
};

const escCommands = new Map<number, CommandReader>([
  ...lengths({ 2: ':MPEF45012gpqOH', 3: ' /RWhi-_azAJjINlQ$sr3tCe', 4: '' }),
  [letter('i'), fixed(4)],
  [letter('@'), fixed(2, 'standard-mode')],
  [letter('d'), fixed(3, 'cut')],
  [letter('b'), endsWith(6, recordSeparator, 'content')],
  [letter('k'), sized(4, (bytes, at) => ({ kind: 'content', dataBytes: (bytes[at + 2] ?? 0) * 24 }))],
  [letter('X'), columnsImage(3)],
  [letter('K'), columnsImage(1)],
  [letter('L'), columnsImage(1)],
  [letter('B'), endsWith(2, 0)],
  [letter('D'), endsWith(2, 0)],
  [letter('*'), rasterOrder],
  [0x07, fixed(4)],
  [0x06, fixed(3, 'status')],
  [0x1e, fixed(4)],
  [0x1c, fixed(5, 'other')],
  [0x1d, escGs],
  [0x0c, fixed(3)],
]);

const unknown: Command = { kind: 'other', headBytes: 2 };

/** The Star command at `at`, where ESC stands; undefined if more bytes must arrive first. */
export const starCommandAt: CommandReader = (bytes, at) => {
  const name = bytes[at + 1];
  if (name === undefined || bytes[at] !== esc) return undefined;
  const command = (escCommands.get(name) ?? (() => unknown))(bytes, at);
  return command && bytes.length - at >= command.headBytes ? command : undefined;
};
