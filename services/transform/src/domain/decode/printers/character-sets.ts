import type { PrinterFamily } from '@receipts/contracts';
import { codePage, cellsOf, type CodePage } from './code-page';
import { codePageNumbers } from './code-page-numbers';
import { nationalSet, type NationalSet } from './national-sets';

export interface CharacterSetOptions {
  /** The set before the first command that selects another. */
  readonly codepage: string;
  readonly printer: PrinterFamily;
  /** Numbers of this printer that differ from those of its family. */
  readonly code_pages?: Readonly<Record<string, string>> | undefined;
  /** The set of kanji mode. */
  readonly multibyte?: string | undefined;
}

/** A text and the number of character cells that it takes. */
export interface DecodedText {
  readonly text: string;
  readonly cells: number;
}

const special = /[#$@[\\\]^`{|}~]/g;

/** JIS has the two bytes of EUC-JP without their highest bits. */
const jis: CodePage = {
  isSingleByte: false,
  decode: (bytes) => codePage('euc-jp').decode(Buffer.from(bytes.map((byte) => byte | 0x80))),
};

/** The Japanese sets of `FS C n`. */
const japanese: Readonly<Record<number, CodePage>> = {
  0: jis,
  1: codePage('shift_jis'),
  2: codePage('shift_jis'),
};

/** The character sets that a printer has selected. */
export class CharacterSets {
  private page: CodePage;
  private national: NationalSet | undefined;
  private kanjiPage: CodePage | undefined;
  private isKanji = false;
  private isUtf8 = false;

  private constructor(
    private readonly options: CharacterSetOptions,
    private readonly numbers: ReadonlyMap<number, string>,
  ) {
    this.page = codePage(options.codepage);
    this.reset();
  }

  /** The sets of each job of a printer. */
  static of(options: CharacterSetOptions): () => CharacterSets {
    const own = Object.entries(options.code_pages ?? {});
    const numbers = new Map([
      ...codePageNumbers(options.printer),
      ...own.map(([number, name]): [number, string] => [Number(number), name]),
    ]);
    return () => new CharacterSets(options, numbers);
  }

  reset(): void {
    const { codepage, multibyte } = this.options;
    this.page = codePage(codepage);
    this.national = undefined;
    this.kanjiPage = multibyte === undefined ? undefined : codePage(multibyte);
    // The bytes say which characters are of the multi-byte set, unless the stream turns kanji mode off.
    this.isKanji = multibyte !== undefined;
    this.isUtf8 = false;
  }

  /** A number that the printer does not have selects the set of the mapping. */
  selectPage(number: number): void {
    this.page = codePage(this.numbers.get(number) ?? this.options.codepage);
  }

  selectCountry(country: number): void {
    this.national = nationalSet(country);
  }

  setKanji(isKanji: boolean): void {
    this.isKanji = isKanji;
  }

  /** `FS C n` */
  selectJapanese(system: number): void {
    this.kanjiPage = japanese[system & 0x0f] ?? this.kanjiPage;
  }

  setUtf8(isUtf8: boolean): void {
    this.isUtf8 = isUtf8;
  }

  decode(bytes: Buffer): DecodedText {
    if (this.isUtf8) return this.wide(bytes, bytes.toString());
    if (this.isKanji && this.kanjiPage) {
      return { text: this.kanjiPage.decode(bytes), cells: bytes.length };
    }
    const text = this.page.decode(bytes);
    if (!this.page.isSingleByte) return this.wide(bytes, text);
    const { national } = this;
    const shown = national ? text.replace(special, (character) => national.get(character) ?? '') : text;
    return { text: shown, cells: bytes.length };
  }

  private wide(bytes: Buffer, text: string): DecodedText {
    return { text, cells: text.length === bytes.length ? text.length : cellsOf(text) };
  }
}
