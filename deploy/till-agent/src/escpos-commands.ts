/** The effect of a command on the current job. */
export type CommandKind =
  /** Cuts the paper: the job ends. */
  | 'cut'
  /** Requests a response from the printer. */
  | 'status'
  /** Prints content: the text of a barcode or symbol, or graphics. */
  | 'content'
  | 'page-mode'
  | 'standard-mode'
  | 'other';

/** Parts of a command that each have a head with their own length. */
export interface Blocks {
  readonly count: number;
  readonly headBytes: number;
  /** The number of bytes after a head. */
  lengthOf(head: Buffer): number;
}

/** A command of ESC/POS at the start of some bytes. */
export interface Command {
  readonly kind: CommandKind;
  /** The bytes that determine the command and its length. */
  readonly headBytes: number;
  /** Bytes of data after the head, which contain no commands. */
  readonly dataBytes?: number;
  /** True if the data ends with a NUL. */
  readonly endsWithNul?: boolean;
  readonly blocks?: Blocks;
}

export const formFeed = 0x0c;
const dle = 0x10;
const esc = 0x1b;
const fs = 0x1c;
const gs = 0x1d;

const introducers: ReadonlySet<number> = new Set([dle, esc, fs, gs]);
export const isIntroducer = (byte: number): boolean => introducers.has(byte);

/**
 * A graphics function with at most this many bytes of data only refers to a stored image, such as a logo, which is not
 * content of a slip.
 */
const storedGraphicsBytesMax = 16;

type Reader = (bytes: Buffer) => Command | undefined;

const letter = (text: string) => text.charCodeAt(0);
const fixed =
  (headBytes: number, kind: CommandKind = 'other'): Reader =>
  () => ({ kind, headBytes });

/** A command whose head must have arrived before its length is known. */
const sized =
  (headBytes: number, read: (head: Buffer) => Omit<Command, 'headBytes'>): Reader =>
  (bytes) =>
    bytes.length < headBytes ? undefined : { headBytes, ...read(bytes) };

const graphicsOf = (dataBytes: number): Omit<Command, 'headBytes'> => ({
  kind: dataBytes > storedGraphicsBytesMax ? 'content' : 'other',
  dataBytes,
});

/** `ESC ( A`, `GS ( k`, `FS ( E`: a function with a length of two bytes. */
const parenthesis: Reader = sized(5, (head) => {
  const dataBytes = head.readUInt16LE(3);
  const name = head[2];
  if (head[0] === gs && name === letter('L')) return graphicsOf(dataBytes);
  return { kind: head[0] === gs && name === letter('k') ? 'content' : 'other', dataBytes };
});

/** `GS ( H pL pH fn m d1 d2 d3 d4`: the printer returns the four bytes once it has printed everything before them. */
const processId: Reader = (bytes) => {
  const length = bytes.length < 5 ? 5 : 5 + bytes.readUInt16LE(3);
  return bytes.length < length ? undefined : { kind: 'status', headBytes: length };
};

const longGraphics: Reader = sized(7, (head) => graphicsOf(head.readUInt32LE(3)));

const bitImage: Reader = sized(5, (head) => ({
  kind: 'content',
  dataBytes: head.readUInt16LE(3) * ((head[2] ?? 0) >= 32 ? 3 : 1),
}));

const rasterImage: Reader = sized(8, (head) => ({
  kind: 'content',
  dataBytes: head.readUInt16LE(4) * head.readUInt16LE(6),
}));

/** Functions A to D. Functions that feed the paper first have one more byte. */
const cut: Reader = (bytes) => {
  const mode = bytes[2];
  if (mode === undefined) return undefined;
  if ([0, 1, letter('0'), letter('1')].includes(mode)) return { kind: 'cut', headBytes: 3 };
  return [65, 66, 97, 98, 103, 104].includes(mode)
    ? { kind: 'cut', headBytes: 4 }
    : { kind: 'other', headBytes: 3 };
};

const barcode: Reader = (bytes) => {
  const system = bytes[2];
  if (system === undefined) return undefined;
  if (system < letter('A')) return { kind: 'content', headBytes: 3, endsWithNul: true };
  return sized(4, (head) => ({ kind: 'content', dataBytes: head[3] ?? 0 }))(bytes);
};

const characters: Reader = sized(5, (head) => {
  const height = head[2] ?? 0;
  const count = Math.max(0, (head[4] ?? 0) - (head[3] ?? 0) + 1);
  return { kind: 'other', blocks: { count, headBytes: 1, lengthOf: (width) => height * (width[0] ?? 0) } };
});

const storedImages: Reader = sized(3, (head) => ({
  kind: 'other',
  blocks: {
    count: head[2] ?? 0,
    headBytes: 4,
    lengthOf: (size) => size.readUInt16LE(0) * size.readUInt16LE(2) * 8,
  },
}));

const macroOrCounter = (first: Readonly<Record<string, number>>, otherwise: number): Reader =>
  sized(3, (head) => {
    const headBytes = first[String.fromCharCode(head[2] ?? 0)] ?? otherwise;
    return { kind: 'other', dataBytes: headBytes - 3 };
  });

/** Letters whose commands have this length, introducer and letter included. */
function lengths(table: Readonly<Record<number, string>>): Map<number, Reader> {
  return new Map(
    Object.entries(table).flatMap(([length, letters]) =>
      [...letters].map((one): [number, Reader] => [letter(one), fixed(Number(length))]),
    ),
  );
}

const escape = new Map<number, Reader>([
  ...lengths({ 2: '2<', 3: ' !%-3=?ACEGJKMNQRTUVadert{', 4: '$\\Bcf', 5: 'p', 10: 'W' }),
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
  [letter('D'), () => ({ kind: 'other', headBytes: 2, endsWithNul: true })],
]);

const group = new Map<number, Reader>([
  ...lengths({ 2: ':c', 3: '!#/BEHTbfhjw', 4: '$LPW\\', 5: '^z' }),
  [letter('I'), fixed(3, 'status')],
  [letter('a'), fixed(3, 'status')],
  [letter('r'), fixed(3, 'status')],
  [letter('V'), cut],
  [letter('k'), barcode],
  [letter('v'), rasterImage],
  [letter('Q'), rasterImage],
  [letter('*'), sized(4, (head) => ({ kind: 'other', dataBytes: (head[2] ?? 0) * (head[3] ?? 0) * 8 }))],
  [letter('C'), macroOrCounter({ 0: 5, 1: 9, 2: 5 }, 3)],
  [letter('g'), macroOrCounter({ 0: 6, 2: 6 }, 3)],
  [letter('8'), longGraphics],
  [letter('('), (bytes) => (bytes[2] === letter('H') ? processId : parenthesis)(bytes)],
]);

const kanji = new Map<number, Reader>([
  ...lengths({ 2: '&.', 3: '!-CW', 4: '?Sp' }),
  [letter('2'), sized(4, () => ({ kind: 'other', dataBytes: 72 }))],
  [
    letter('g'),
    sized(10, (head) => ({ kind: 'other', dataBytes: head[2] === 49 ? head.readUInt16LE(8) : 0 })),
  ],
  [letter('q'), storedImages],
  [letter('('), parenthesis],
]);

const realTime = new Map<number, Reader>([
  [0x04, (bytes) => ({ kind: 'status', headBytes: [7, 8, 18].includes(bytes[2] ?? 0) ? 4 : 3 })],
  [0x05, fixed(3)],
  [
    0x14,
    sized(3, (head) => ({ kind: 'other', dataBytes: { 1: 2, 2: 2, 3: 5, 7: 1, 8: 7 }[head[2] ?? 0] ?? 0 })),
  ],
]);

const tables = new Map([
  [esc, escape],
  [gs, group],
  [fs, kanji],
  [dle, realTime],
]);

/**
 * The command at the start of these bytes, of which the first is an introducer; undefined if more bytes are needed.
 * An unknown command has two bytes. Source: Epson's ESC/POS command reference.
 */
export function commandAt(bytes: Buffer): Command | undefined {
  const [introducer = 0, name] = bytes;
  if (name === undefined) return undefined;
  // DLE is also a plain control character.
  const unknown: Command = { kind: 'other', headBytes: introducer === dle ? 1 : 2 };
  const command = (tables.get(introducer)?.get(name) ?? (() => unknown))(bytes);
  return command && bytes.length >= command.headBytes ? command : undefined;
}
