/**
 * The lengths of ESC/POS commands, so that parameters and images are not decoded as text. A stream may end inside a
 * command.
 */

const byte = (bytes: Buffer, at: number): number => bytes[at] ?? 0;
const word = (bytes: Buffer, at: number): number => byte(bytes, at) + 256 * byte(bytes, at + 1);

/** The number of parameter bytes after `ESC x`, by the second byte. Commands that are not listed have no parameters. */
const escParameters: Readonly<Record<string, number>> = {
  ' ': 1,
  '!': 1,
  '-': 1,
  '3': 1,
  '=': 1,
  '?': 1,
  E: 1,
  G: 1,
  J: 1,
  K: 1,
  M: 1,
  R: 1,
  S: 0,
  T: 1,
  U: 1,
  V: 1,
  $: 2,
  '\\': 2,
  W: 8,
  a: 1,
  c: 2,
  d: 1,
  e: 1,
  p: 3,
  r: 1,
  t: 1,
  u: 1,
  '{': 1,
  '%': 1,
};

const gsParameters: Readonly<Record<string, number>> = {
  '!': 1,
  '#': 1,
  $: 2,
  '/': 1,
  ':': 0,
  B: 1,
  E: 1,
  H: 1,
  I: 1,
  L: 2,
  P: 2,
  T: 1,
  W: 2,
  '\\': 2,
  '^': 3,
  a: 1,
  b: 1,
  c: 0,
  f: 1,
  h: 1,
  r: 1,
  w: 1,
  x: 1,
  z: 3,
};

const fsParameters: Readonly<Record<string, number>> = {
  '!': 1,
  '-': 1,
  '?': 2,
  C: 1,
  S: 2,
  W: 1,
  p: 2,
};

const letter = (bytes: Buffer, at: number): string => String.fromCharCode(byte(bytes, at));

/** `ESC & y c1 c2 [x d(y*x)]...`: user-defined characters. */
function customCharacters(bytes: Buffer, at: number): number {
  const height = byte(bytes, at + 2);
  const count = byte(bytes, at + 4) - byte(bytes, at + 3) + 1;
  let end = at + 5;
  for (let index = 0; index < count && end < bytes.length; index++) end += 1 + height * byte(bytes, end);
  return end;
}

function endOfNul(bytes: Buffer, at: number): number {
  const nul = bytes.indexOf(0, at);
  return nul < 0 ? bytes.length : nul + 1;
}

/** The position after the command that begins with ESC at `at`. */
export function endOfEsc(bytes: Buffer, at: number): number {
  const command = letter(bytes, at + 1);
  if (command === '*') {
    const columns = word(bytes, at + 3);
    return at + 5 + columns * (byte(bytes, at + 2) >= 32 ? 3 : 1);
  }
  if (command === '&') return customCharacters(bytes, at);
  if (command === 'D') return endOfNul(bytes, at + 2);
  if (command === '(') return at + 5 + word(bytes, at + 3);
  return at + 2 + (escParameters[command] ?? 0);
}

function endOfBarcode(bytes: Buffer, at: number): number {
  const system = byte(bytes, at + 2);
  return system <= 6 ? endOfNul(bytes, at + 3) : at + 4 + byte(bytes, at + 3);
}

/** `GS C 0 n m`, `GS C 1` with six bytes and `GS C 2 nL nH`: the printer's serial number counter. */
function endOfCounterOrder(bytes: Buffer, at: number): number {
  const order = letter(bytes, at + 2);
  return at + (order === '1' || order === '\x01' ? 9 : 5);
}

/** The position after the command that begins with GS at `at`. */
export function endOfGs(bytes: Buffer, at: number): number {
  const command = letter(bytes, at + 1);
  if (command === '(') return at + 5 + word(bytes, at + 3);
  if (command === '8') return at + 7 + word(bytes, at + 3) + 65_536 * word(bytes, at + 5);
  if (command === 'k') return endOfBarcode(bytes, at);
  if (command === 'v') return at + 8 + word(bytes, at + 4) * word(bytes, at + 6);
  if (command === '*') return at + 4 + byte(bytes, at + 2) * byte(bytes, at + 3) * 8;
  if (command === 'V') {
    const mode = byte(bytes, at + 2);
    return at + (mode === 65 || mode === 66 || mode >= 97 ? 4 : 3);
  }
  if (command === 'g') return at + 6;
  if (command === 'C') return endOfCounterOrder(bytes, at);
  if (command === 'Q') return at + 8 + word(bytes, at + 4) * word(bytes, at + 6);
  return at + 2 + (gsParameters[command] ?? 0);
}

/** `FS q n [xL xH yL yH d...]...`: images stored in the printer. */
function storedImages(bytes: Buffer, at: number): number {
  const count = byte(bytes, at + 2);
  let end = at + 3;
  for (let index = 0; index < count && end < bytes.length; index++) {
    end += 4 + word(bytes, end) * word(bytes, end + 2) * 8;
  }
  return end;
}

/** `FS g 1 m a1 a2 a3 a4 nL nH d...` writes to the printer's user memory, `FS g 2` reads it. */
function endOfUserMemoryOrder(bytes: Buffer, at: number): number {
  return at + 10 + (letter(bytes, at + 2) === '1' ? word(bytes, at + 8) : 0);
}

/** The position after the command that begins with FS at `at`. */
export function endOfFs(bytes: Buffer, at: number): number {
  const command = letter(bytes, at + 1);
  if (command === '(') return at + 5 + word(bytes, at + 3);
  if (command === 'q') return storedImages(bytes, at);
  if (command === '2') return at + 4 + 72;
  if (command === 'g') return endOfUserMemoryOrder(bytes, at);
  return at + 2 + (fsParameters[command] ?? 0);
}

/** `DLE EOT n`, `DLE ENQ n`, `DLE DC4 fn m t` and `DLE DC4 7 m`: real-time status requests and pulses. */
export function endOfDle(bytes: Buffer, at: number): number {
  const command = byte(bytes, at + 1);
  if (command === 0x04 || command === 0x05) return at + 3;
  if (command === 0x14) return at + (byte(bytes, at + 2) === 7 ? 4 : 5);
  return at + 1;
}
