import iconv from 'iconv-lite';
import { tooLarge } from '../faults/conversion-fault';
import { linesMax, partsMax, type DecodeOptions, type Part, type PrintedCode } from './decoded';
import { defaultCodePage, escposCodePages } from './escpos-code-pages';
import { endOfDle, endOfEsc, endOfFs, endOfGs } from './escpos-commands';
import { partsOf } from './lines';

const esc = 0x1b;
const gs = 0x1d;
const fs = 0x1c;
const dle = 0x10;
const lineFeed = 0x0a;
const formFeed = 0x0c;
const tab = 0x09;

/**
 * The maximum length of text in QR codes. One stored code can be printed any number of times, so the total must be
 * limited.
 */
const codeCharactersMax = 500_000;

const letterOf = (bytes: Buffer, at: number): string => String.fromCharCode(bytes[at] ?? 0);

/** Collects the output of a printer. */
class Paper {
  readonly parts: Part[] = [];
  private text = '';
  private feeds = 0;
  private codeCharacters = 0;
  private codes: PrintedCode[] = [];
  private pendingQr: string | undefined;
  private codePage: string;

  constructor(
    private readonly initialCodePage: string,
    private readonly options: DecodeOptions<'escpos'>,
  ) {
    this.codePage = initialCodePage;
  }

  print(bytes: Buffer): void {
    if (bytes.length > 0) this.text += iconv.decode(bytes, this.codePage);
  }

  put(text: string): void {
    this.text += text;
  }

  feed(lines: number): void {
    this.feeds += lines;
    if (this.feeds > linesMax) throw tooLarge('/decode', `the data has more than ${linesMax} lines`);
    this.text += '\n'.repeat(lines);
  }

  selectCodePage(number: number | undefined): void {
    this.codePage = escposCodePages[number ?? 0] ?? this.initialCodePage;
  }

  reset(): void {
    this.codePage = this.initialCodePage;
  }

  storeQr(data: string): void {
    this.pendingQr = data;
  }

  /** A QR code becomes a line, so that patterns can match it. */
  printQr(): void {
    if (this.pendingQr === undefined) return;
    this.codeCharacters += this.pendingQr.length;
    if (this.codeCharacters > codeCharactersMax) throw tooLarge('/decode', 'the printed codes are too long');
    this.codes.push({ type: 'qr', data: this.pendingQr });
    this.text += `\nQR:${this.pendingQr.replace(/[\r\n]+/g, ' ')}\n`;
  }

  addBarcode(data: string): void {
    this.codes.push({ type: 'barcode', data });
  }

  cut(): void {
    const parts = partsOf(this.text, this.options);
    const codes = this.codes;
    this.parts.push(...parts.map((part) => (codes.length > 0 ? { ...part, codes } : part)));
    if (this.parts.length > partsMax) throw tooLarge('/decode', `the data has more than ${partsMax} parts`);
    this.text = '';
    this.codes = [];
  }
}

/** `GS ( k pL pH cn fn ...`: one function stores the data of a QR code, a later function prints it. */
function readSymbol(bytes: Buffer, at: number, end: number, paper: Paper): void {
  const [kind, order] = [bytes[at + 5], bytes[at + 6]];
  if (kind !== 49) return;
  if (order === 80) paper.storeQr(bytes.subarray(at + 8, end).toString());
  else if (order === 81) paper.printQr();
}

function readBarcode(bytes: Buffer, at: number, end: number, paper: Paper): void {
  const start = (bytes[at + 2] ?? 0) <= 6 ? at + 3 : at + 4;
  const data = bytes.subarray(start, end).toString('latin1').replace(/\0$/, '');
  // The data of a CODE128 barcode begins with its code set: {A, {B or {C.
  paper.addBarcode(data.replace(/^\{[ABC]/, ''));
}

function handleEsc(bytes: Buffer, at: number, paper: Paper): number {
  const command = letterOf(bytes, at + 1);
  if (command === 't') paper.selectCodePage(bytes[at + 2]);
  else if (command === '@') paper.reset();
  else if (command === 'd' || command === 'e') paper.feed(bytes[at + 2] ?? 0);
  else if (command === 'J') paper.feed(1);
  else if (command === 'i' || command === 'm') paper.cut();
  return endOfEsc(bytes, at);
}

function handleGs(bytes: Buffer, at: number, paper: Paper): number {
  const command = letterOf(bytes, at + 1);
  const end = endOfGs(bytes, at);
  if (command === 'V') paper.cut();
  else if (command === 'k') readBarcode(bytes, at, end, paper);
  else if (command === '(' && letterOf(bytes, at + 2) === 'k') readSymbol(bytes, at, end, paper);
  return end;
}

function handleControl(bytes: Buffer, at: number, paper: Paper): number {
  switch (bytes[at] ?? 0) {
    case esc:
      return handleEsc(bytes, at, paper);
    case gs:
      return handleGs(bytes, at, paper);
    case fs:
      return endOfFs(bytes, at);
    case dle:
      return endOfDle(bytes, at);
    case lineFeed:
      paper.feed(1);
      return at + 1;
    case formFeed:
      paper.put('\f');
      return at + 1;
    case tab:
      paper.put(' ');
      return at + 1;
    default:
      return at + 1;
  }
}

/**
 * Decodes the bytes sent to an ESC/POS printer: text is kept, commands and images are skipped, a paper cut ends a
 * receipt.
 */
export function decodeEscpos(bytes: Buffer, options: DecodeOptions<'escpos'>): Part[] {
  const paper = new Paper(options.codepage ?? defaultCodePage, options);
  let runStart = 0;
  let at = 0;
  while (at < bytes.length) {
    if ((bytes[at] ?? 0) >= 0x20 && bytes[at] !== 0x7f) {
      at++;
      continue;
    }
    paper.print(bytes.subarray(runStart, at));
    at = handleControl(bytes, at, paper);
    runStart = at;
  }
  paper.print(bytes.subarray(runStart, bytes.length));
  paper.cut();
  return paper.parts;
}
