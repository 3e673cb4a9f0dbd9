import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { cardWithCode, importedCardsMax, type CardWithCode } from '@receipts/contracts';
import {
  decodeUtf8,
  faultsMax,
  malformedBody,
  mustBeAtMost,
  parseBounded,
  faultsOf,
  isDeeperThan,
  schemaValidationFailed,
  ServiceError,
  type FieldFault,
} from '@receipts/kernel';
import { CsvError, parse } from 'csv-parse';

/** A list of objects. */
const cardDepth = 2;

const columns = ['card_number', 'registration_code'];

/** The part of a CSV file that is parsed in one turn of the event loop: about 2,000 cards. */
const sliceBytes = 64 * 1024;

async function* slicesOf(body: Buffer): AsyncGenerator<Buffer, void> {
  for (let at = 0; at < body.length; at += sliceBytes) {
    yield body.subarray(at, at + sliceBytes);
    await nextTurn();
  }
}

async function rowsOf(body: Buffer): Promise<string[][]> {
  const parser = parse({ bom: true, skip_empty_lines: true, max_record_size: 10_000 });
  const rows: string[][] = [];
  for await (const row of Readable.from(slicesOf(body)).pipe(parser)) rows.push(row as string[]);
  return rows;
}

async function readCsv(body: Buffer): Promise<unknown[]> {
  try {
    const [names = [], ...rows] = await rowsOf(body);
    if (columns.some((column) => !names.includes(column)) || names.length !== columns.length) {
      throw new ServiceError(malformedBody, {
        description: `the first line must name the columns ${columns.join(' and ')}`,
      });
    }
    return rows.map((row) => Object.fromEntries(names.map((name, n) => [name, row[n]] as const)));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new ServiceError(malformedBody, { description: 'the body is not valid CSV', cause: error });
  }
}

/** The operator's list may have more values than other bodies. It is flat, so its depth limits the cost of parsing. */
function readJson(body: Buffer): unknown {
  if (isDeeperThan(body, cardDepth))
    throw new ServiceError(malformedBody, { description: 'a card contains nested values' });
  try {
    return JSON.parse(decodeUtf8(body));
  } catch (cause) {
    throw new ServiceError(malformedBody, { cause });
  }
}

async function readList(body: Buffer, contentType: string | undefined): Promise<unknown[]> {
  if (contentType?.toLowerCase().trimStart().startsWith('text/csv')) return readCsv(body);
  const value = readJson(body);
  if (Array.isArray(value)) return value as unknown[];
  throw new ServiceError(schemaValidationFailed, {
    errors: [{ path: '', code: 'invalid_type', message: 'must be an array' }],
  });
}

/** The number of cards that are checked before yielding to other requests. */
const chunkCards = 500;

/**
 * Parses an import.
 * @throws ServiceError 400 `malformed_body`, 422 with every error, with the index of its card, from 0
 */
export async function readImportedCards(
  body: Buffer,
  contentType: string | undefined,
): Promise<readonly CardWithCode[]> {
  const list = await readList(body, contentType);
  const faults: FieldFault[] = [];
  const report = (path: string, code: string, message: string) => faults.push({ path, code, message });
  if (list.length > importedCardsMax) report('', 'too_many', mustBeAtMost(importedCardsMax, 'array'));
  const seen = new Set<string>();
  for (const [n, card] of list.slice(0, importedCardsMax).entries()) {
    if (faults.length >= faultsMax) break;
    if (n % chunkCards === 0) await nextTurn();
    const read = parseBounded(cardWithCode, card);
    if (!read.success) {
      for (const { path, code, message } of faultsOf(read.error)) report(`/${n}${path}`, code, message);
    } else if (seen.has(read.data.card_number)) {
      report(`/${n}/card_number`, 'not_unique', 'is named twice');
    } else seen.add(read.data.card_number);
  }
  if (faults.length > 0)
    throw new ServiceError(schemaValidationFailed, { errors: faults.slice(0, faultsMax) });
  return list as readonly CardWithCode[];
}
