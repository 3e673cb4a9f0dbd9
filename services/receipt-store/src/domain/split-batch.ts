import { batchReceiptsMax } from '@receipts/contracts';
import { endOfString, ServiceError, tooMany } from '@receipts/kernel';

const [tab, lineFeed, carriageReturn, space, quote, comma] = [0x09, 0x0a, 0x0d, 0x20, 0x22, 0x2c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];
/** The list of receipts is a member of the outermost object. */
const listDepth = 2;
/** The number of bytes scanned in one step. */
const partBytes = 64 * 1024;

const isSpace = (byte: number | undefined) =>
  byte === space || byte === lineFeed || byte === carriageReturn || byte === tab;

/**
 * White space around a receipt, such as the carriage return of a line or the indentation of a list, is not part of the
 * receipt.
 */
function trimmed(text: Buffer): Buffer {
  let [from, end] = [0, text.length];
  while (from < end && isSpace(text[from])) from++;
  while (end > from && isSpace(text[end - 1])) end--;
  return text.subarray(from, end);
}

/** The texts of the receipts of a batch. @throws ServiceError 422 `too_many` if the batch is already full */
class ReceiptTexts {
  readonly texts: Buffer[] = [];

  add(text: Buffer): void {
    if (this.texts.push(text) <= batchReceiptsMax) return;
    throw new ServiceError(tooMany, { description: `a batch can have at most ${batchReceiptsMax} receipts` });
  }
}

/** The non-empty lines of an NDJSON text. @throws ServiceError 422 `too_many` */
export function splitLines(bytes: Buffer): readonly Buffer[] {
  const receipts = new ReceiptTexts();
  for (let from = 0; from < bytes.length;) {
    const found = bytes.indexOf(lineFeed, from);
    const end = found < 0 ? bytes.length : found;
    const line = trimmed(bytes.subarray(from, end));
    if (line.length > 0) receipts.add(line);
    from = end + 1;
  }
  return receipts.texts;
}

export interface SplitList {
  readonly texts: readonly Buffer[];
  /** The JSON text with each receipt replaced by its number. */
  readonly outline: Buffer;
}

/**
 * Splits the JSON text `{"receipts": […]}` without parsing the receipts, so that each can be checked individually. If
 * the text is not valid JSON, then either the outline or one of the receipts is not valid JSON.
 * @yields the number of bytes scanned since the previous yield
 * @throws ServiceError 422 `too_many`
 */
export function* splitList(bytes: Buffer): Generator<number, SplitList> {
  const receipts = new ReceiptTexts();
  const outline: Buffer[] = [];
  let [depth, isInList, elementFrom, outlineFrom, scanned] = [0, false, 0, 0, 0];
  const endElement = (end: number) => {
    const text = trimmed(bytes.subarray(elementFrom, end));
    if (text.length === 0) return;
    outline.push(bytes.subarray(outlineFrom, elementFrom), Buffer.from(String(receipts.texts.length)));
    receipts.add(text);
    outlineFrom = end;
  };
  for (let i = 0; i < bytes.length; i++) {
    if (i - scanned >= partBytes) {
      yield i - scanned;
      scanned = i;
    }
    const byte = bytes[i];
    if (byte === quote) i = endOfString(bytes, i + 1);
    else if (byte === openBracket || byte === openBrace) {
      if (++depth !== listDepth) continue;
      isInList = byte === openBracket;
      elementFrom = i + 1;
    } else if (byte === closeBracket || byte === closeBrace) {
      if (depth-- === listDepth && isInList) endElement(i);
    } else if (byte === comma && depth === listDepth && isInList) {
      endElement(i);
      elementFrom = i + 1;
    }
  }
  return { texts: receipts.texts, outline: Buffer.concat([...outline, bytes.subarray(outlineFrom)]) };
}
