import { escposCommandAt, isIntroducer, type Blocks, type Command } from '@receipts/printer-commands';

export type Part =
  /** Bytes of the current job. */
  | { readonly kind: 'bytes'; readonly bytes: Buffer; readonly hasContent: boolean }
  /** The job ends with this command. */
  | { readonly kind: 'end'; readonly bytes: Buffer }
  /** The till queries the printer with this command, which is not part of a job. */
  | { readonly kind: 'question'; readonly bytes: Buffer };

interface OpenBlocks extends Blocks {
  readonly left: number;
}

const formFeed = 0x0c;
const none: Buffer = Buffer.alloc(0);
/** Spaces and control characters are not content, because they also feed paper. */
const isPrinted = (byte: number) => byte > 0x20 && byte !== 0x7f;

function endOfText(bytes: Buffer, start: number): number {
  let at = start;
  for (; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === formFeed || isIntroducer(byte)) break;
  }
  return at;
}

/**
 * Finds jobs in the bytes for an ESC/POS printer, no matter how they are divided into chunks. The data of graphics,
 * barcodes and symbols is skipped by its length, because it may contain the bytes of any command.
 */
export class JobSplitter {
  /** The start of an incomplete command. */
  private held = none;
  private dataLeft = 0;
  /** The byte that ends the data of a command without a length. */
  private endByte: number | undefined;
  private blocks: OpenBlocks | undefined;
  private isPageMode = false;

  *push(chunk: Buffer): Generator<Part> {
    const bytes = this.held.length === 0 ? chunk : Buffer.concat([this.held, chunk]);
    this.held = none;
    let start = 0;
    let hasContent = false;
    for (let at = 0; at < bytes.length;) {
      const skipped = this.skip(bytes, at);
      if (skipped > 0) {
        at += skipped;
        continue;
      }
      const textEnd = this.blocks ? at : endOfText(bytes, at);
      if (textEnd > at) {
        hasContent ||= bytes.subarray(at, textEnd).some(isPrinted);
        at = textEnd;
        continue;
      }
      const rest = bytes.subarray(at);
      const command = this.read(rest);
      if (!command) {
        this.held = Buffer.from(rest);
        yield { kind: 'bytes', bytes: bytes.subarray(start, at), hasContent };
        return;
      }
      hasContent ||= command.kind === 'content';
      const end = at + command.headBytes;
      if (command.kind === 'cut' || command.kind === 'status') {
        yield { kind: 'bytes', bytes: bytes.subarray(start, at), hasContent };
        yield { kind: command.kind === 'cut' ? 'end' : 'question', bytes: bytes.subarray(at, end) };
        hasContent = false;
        start = end;
      }
      at = end;
    }
    yield { kind: 'bytes', bytes: bytes.subarray(start), hasContent };
  }

  /** The bytes of an incomplete command, when no more bytes will arrive. */
  rest(): Buffer {
    const held = this.held;
    this.held = none;
    return held;
  }

  /** The number of following bytes that are data of a command. */
  private skip(bytes: Buffer, at: number): number {
    if (this.dataLeft > 0) {
      const skipped = Math.min(this.dataLeft, bytes.length - at);
      this.dataLeft -= skipped;
      return skipped;
    }
    if (this.endByte === undefined) return 0;
    const end = bytes.indexOf(this.endByte, at);
    if (end < 0) return bytes.length - at;
    this.endByte = undefined;
    return end + 1 - at;
  }

  private read(bytes: Buffer): Command | undefined {
    if (this.blocks) return this.readBlock(this.blocks, bytes);
    if (bytes[0] === formFeed) return this.readFormFeed();
    const command = escposCommandAt(bytes, 0);
    if (!command) return undefined;
    this.dataLeft = command.dataBytes ?? 0;
    this.endByte = command.endByte;
    if (command.blocks && command.blocks.count > 0)
      this.blocks = { ...command.blocks, left: command.blocks.count };
    if (command.kind === 'page-mode') this.isPageMode = true;
    if (command.kind === 'standard-mode') this.isPageMode = false;
    return command;
  }

  /** In page mode, a form feed prints the page; the slip continues. */
  private readFormFeed(): Command {
    const kind = this.isPageMode ? 'other' : 'cut';
    this.isPageMode = false;
    return { kind, headBytes: 1 };
  }

  private readBlock(blocks: OpenBlocks, bytes: Buffer): Command | undefined {
    if (bytes.length < blocks.headBytes) return undefined;
    this.dataLeft = blocks.lengthOf(bytes);
    this.blocks = blocks.left > 1 ? { ...blocks, left: blocks.left - 1 } : undefined;
    return { kind: 'other', headBytes: blocks.headBytes };
  }
}
