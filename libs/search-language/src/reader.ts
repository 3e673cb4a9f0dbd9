import type { ServiceError } from '@receipts/kernel';
import { invalidQueryAt } from './invalid-query';

/** Reads a query from left to right by code points. At the end, it returns the empty string. */
export class Reader {
  offset = 0;
  private conditions = 0;

  constructor(
    readonly text: string,
    private readonly conditionsMax: number,
  ) {}

  peek(): string {
    const code = this.text.codePointAt(this.offset);
    return code === undefined ? '' : String.fromCodePoint(code);
  }

  take(): string {
    const character = this.peek();
    this.offset += character.length;
    return character;
  }

  /** Reads `\x`, which always means the character x. */
  takeEscaped(): string {
    const start = this.offset;
    this.take();
    if (this.atEnd()) throw this.fault('a character is expected after \\', start);
    return this.take();
  }

  atEnd(): boolean {
    return this.offset >= this.text.length;
  }

  atSpace(): boolean {
    return isSpace(this.text[this.offset]);
  }

  /** Returns true if it skipped any whitespace. */
  skipSpace(): boolean {
    const start = this.offset;
    while (this.atSpace()) this.offset++;
    return this.offset > start;
  }

  /** Reads `word` and the whitespace after it if it is a separate word; otherwise reads nothing. */
  takeKeyword(word: string, close: string | undefined): boolean {
    if (!this.text.startsWith(word, this.offset)) return false;
    const next = this.text[this.offset + word.length];
    if (next !== undefined && next !== close && !isSpace(next)) return false;
    this.offset += word.length;
    this.skipSpace();
    return true;
  }

  /** Called per condition, so that the limit is enforced during parsing. */
  countCondition(start: number): void {
    if (++this.conditions > this.conditionsMax) {
      throw this.fault(`there are more than ${this.conditionsMax} conditions`, start);
    }
  }

  fault(detail: string, offset = this.offset): ServiceError {
    return invalidQueryAt(detail, this.text, offset);
  }
}

const isSpace = (character: string | undefined): boolean =>
  character === ' ' || character === '\t' || character === '\n' || character === '\r';
