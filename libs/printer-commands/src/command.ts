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

/** A command at the start of some bytes. */
export interface Command {
  readonly kind: CommandKind;
  /** The bytes that determine the command and its length. */
  readonly headBytes: number;
  /** Bytes of data after the head, which contain no commands. */
  readonly dataBytes?: number;
  /** The byte that ends the data, if its length is not given. */
  readonly endByte?: number;
  readonly blocks?: Blocks;
}

/** Reads the command whose first byte is at `at`; undefined if more bytes must arrive first. */
export type CommandReader = (bytes: Buffer, at: number) => Command | undefined;

export const letter = (text: string): number => text.charCodeAt(0);

/** A command whose length does not depend on its parameters. */
export function fixed(headBytes: number, kind: CommandKind = 'other'): CommandReader {
  const command: Command = { kind, headBytes };
  return () => command;
}

/** A command whose head must have arrived before its length is known. */
export function sized(
  headBytes: number,
  read: (bytes: Buffer, at: number) => Omit<Command, 'headBytes'>,
): CommandReader {
  return (bytes, at) => (bytes.length - at < headBytes ? undefined : { headBytes, ...read(bytes, at) });
}

/** Letters whose commands have this length, introducer and letter included. */
export function lengths(table: Readonly<Record<number, string>>): [number, CommandReader][] {
  return Object.entries(table).flatMap(([length, letters]) =>
    [...letters].map((one): [number, CommandReader] => [letter(one), fixed(Number(length))]),
  );
}

/** The position after the command that starts at `at`, in data that is complete. */
export function commandEnd(read: CommandReader, bytes: Buffer, at: number): number {
  const command = read(bytes, at);
  if (!command) return bytes.length;
  let end = at + command.headBytes + (command.dataBytes ?? 0);
  if (command.endByte !== undefined) {
    const last = bytes.indexOf(command.endByte, end);
    end = last < 0 ? bytes.length : last + 1;
  }
  const { blocks } = command;
  for (let count = blocks?.count ?? 0; blocks && count > 0 && end < bytes.length; count--) {
    const body = end + blocks.headBytes;
    end = body > bytes.length ? bytes.length : body + blocks.lengthOf(bytes.subarray(end, body));
  }
  return Math.min(end, bytes.length);
}
