import { fixed, lengths, letter, sized, type Command, type CommandReader } from './command';

/** The commands of ESC/POS. Source: Epson's ESC/POS command reference; `ESC 7`, `8`, `9` are of Chinese printers. */

export const dle = 0x10;
export const esc = 0x1b;
export const fs = 0x1c;
export const gs = 0x1d;

/** True for the first byte of a command. */
export const isIntroducer = (byte: number): boolean =>
  byte === esc || byte === gs || byte === fs || byte === dle;

/**
 * A graphics function with at most this many bytes of data only refers to a stored image, such as a logo, which is not
 * content of a slip.
 */
const storedGraphicsBytesMax = 16;

const graphicsOf = (dataBytes: number): Omit<Command, 'headBytes'> => ({
  kind: dataBytes > storedGraphicsBytesMax ? 'content' : 'other',
  dataBytes,
});

/** `ESC ( A`, `GS ( k`, `FS ( E`: a function with a length of two bytes. */
const parenthesis = sized(5, (bytes, at) => {
  const dataBytes = bytes.readUInt16LE(at + 3);
  const name = bytes[at + 2];
  if (bytes[at] === gs && name === letter('L')) return graphicsOf(dataBytes);
  return { kind: bytes[at] === gs && name === letter('k') ? 'content' : 'other', dataBytes };
});

/** `GS ( H pL pH fn m d1 d2 d3 d4`: the printer returns the four bytes once it has printed everything before them. */
const processId: CommandReader = (bytes, at) => {
  const length = bytes.length - at < 5 ? 5 : 5 + bytes.readUInt16LE(at + 3);
  return bytes.length - at < length ? undefined : { kind: 'status', headBytes: length };
};

const longGraphics = sized(7, (bytes, at) => graphicsOf(bytes.readUInt32LE(at + 3)));

const bitImage = sized(5, (bytes, at) => ({
  kind: 'content',
  dataBytes: bytes.readUInt16LE(at + 3) * ((bytes[at + 2] ?? 0) >= 32 ? 3 : 1),
}));

const rasterImage = sized(8, (bytes, at) => ({
  kind: 'content',
  dataBytes: bytes.readUInt16LE(at + 4) * bytes.readUInt16LE(at + 6),
}));

const cutHere: Command = { kind: 'cut', headBytes: 3 };
const feedAndCut: Command = { kind: 'cut', headBytes: 4 };
const noCut: Command = { kind: 'other', headBytes: 3 };

/** Functions A to D. Functions that feed the paper first have one more byte. */
const cut: CommandReader = (bytes, at) => {
  const mode = bytes[at + 2];
  if (mode === undefined) return undefined;
  if ([0, 1, 48, 49].includes(mode)) return cutHere;
  return [65, 66, 97, 98, 103, 104].includes(mode) ? feedAndCut : noCut;
};

/** Old symbologies end with a NUL, newer ones begin with a length. */
const barcode: CommandReader = (bytes, at) => {
  const system = bytes[at + 2];
  if (system === undefined) return undefined;
  if (system < letter('A')) return { kind: 'content', headBytes: 3, endByte: 0 };
  return { kind: 'content', headBytes: 4, dataBytes: bytes[at + 3] ?? 0 };
};

/** `ESC & y c1 c2 [x d(y*x)]...`: user-defined characters. */
const characters = sized(5, (bytes, at) => {
  const height = bytes[at + 2] ?? 0;
  const count = Math.max(0, (bytes[at + 4] ?? 0) - (bytes[at + 3] ?? 0) + 1);
  return { kind: 'other', blocks: { count, headBytes: 1, lengthOf: (head) => height * (head[0] ?? 0) } };
});

/** `FS q n [xL xH yL yH d...]...`: images stored in the printer. */
const storedImages = sized(3, (bytes, at) => ({
  kind: 'other',
  blocks: {
    count: bytes[at + 2] ?? 0,
    headBytes: 4,
    lengthOf: (head) => head.readUInt16LE(0) * head.readUInt16LE(2) * 8,
  },
}));

/** The macro and counter commands, whose third byte determines their length. */
const byFunction = (headBytesOf: Readonly<Record<string, number>>, otherwise: number): CommandReader =>
  sized(3, (bytes, at) => ({
    kind: 'other',
    dataBytes: (headBytesOf[String.fromCharCode(bytes[at + 2] ?? 0)] ?? otherwise) - 3,
  }));

const escCommands = new Map<number, CommandReader>([
  ...lengths({ 2: '2<', 3: ' !%-389=?ACEGJKMNQRTUVadert{', 4: '$\\Bcf', 5: 'p7', 10: 'W' }),
  [letter('@'), fixed(2, 'standard-mode')],
  [letter('L'), fixed(2, 'page-mode')],
  [letter('S'), fixed(2, 'standard-mode')],
  [letter('i'), fixed(2, 'cut')],
  [letter('m'), fixed(2, 'cut')],
  [letter('v'), fixed(2, 'status')],
  [letter('u'), fixed(3, 'status')],
  [letter('*'), bitImage],
  [letter('&'), characters],
  [letter('('), parenthesis],
  [letter('D'), () => ({ kind: 'other', headBytes: 2, endByte: 0 })],
]);

const gsCommands = new Map<number, CommandReader>([
  ...lengths({ 2: ':c', 3: '!#/BEHTbfhjwx', 4: '$LPW\\', 5: '^z' }),
  [letter('I'), fixed(3, 'status')],
  [letter('a'), fixed(3, 'status')],
  [letter('r'), fixed(3, 'status')],
  [letter('V'), cut],
  [letter('k'), barcode],
  [letter('v'), rasterImage],
  [letter('Q'), rasterImage],
  [
    letter('*'),
    sized(4, (bytes, at) => ({
      kind: 'other',
      dataBytes: (bytes[at + 2] ?? 0) * (bytes[at + 3] ?? 0) * 8,
    })),
  ],
  [letter('C'), byFunction({ 0: 5, 1: 9, 2: 5, '\x00': 5, '\x01': 9, '\x02': 5 }, 3)],
  [letter('g'), byFunction({ 0: 6, 2: 6 }, 3)],
  [letter('8'), longGraphics],
  [letter('('), (bytes, at) => (bytes[at + 2] === letter('H') ? processId : parenthesis)(bytes, at)],
]);

const fsCommands = new Map<number, CommandReader>([
  ...lengths({ 2: '&.', 3: '!-CW', 4: '?Sp' }),
  [letter('2'), sized(4, () => ({ kind: 'other', dataBytes: 72 }))],
  [
    letter('g'),
    sized(10, (bytes, at) => ({
      kind: 'other',
      dataBytes: bytes[at + 2] === 49 ? bytes.readUInt16LE(at + 8) : 0,
    })),
  ],
  [letter('q'), storedImages],
  [letter('('), parenthesis],
]);

const pulseBytes: Readonly<Record<number, number>> = { 1: 2, 2: 2, 3: 5, 7: 1, 8: 7 };

const dleCommands = new Map<number, CommandReader>([
  [0x04, (bytes, at) => ({ kind: 'status', headBytes: [7, 8, 18].includes(bytes[at + 2] ?? 0) ? 4 : 3 })],
  [0x05, fixed(3)],
  [0x14, sized(3, (bytes, at) => ({ kind: 'other', dataBytes: pulseBytes[bytes[at + 2] ?? 0] ?? 0 }))],
]);

const tables = new Map([
  [esc, escCommands],
  [gs, gsCommands],
  [fs, fsCommands],
  [dle, dleCommands],
]);

const unknown: Command = { kind: 'other', headBytes: 2 };
/** DLE is also a plain control character. */
const unknownDle: Command = { kind: 'other', headBytes: 1 };

/**
 * The ESC/POS command at `at`, where an introducer stands; undefined if more bytes must arrive first. An unknown command
 * has two bytes.
 */
export const escposCommandAt: CommandReader = (bytes, at) => {
  const name = bytes[at + 1];
  if (name === undefined) return undefined;
  const introducer = bytes[at] ?? 0;
  const read = tables.get(introducer)?.get(name);
  if (!read) return introducer === dle ? unknownDle : unknown;
  const command = read(bytes, at);
  return command && bytes.length - at >= command.headBytes ? command : undefined;
};
