import { ndjsonType, receiptList } from '@receipts/contracts';
import { runInTurns, EventLoopBudget } from '@receipts/concurrency';
import {
  check,
  checkJsonBounds,
  inBodyTurn,
  parseJson,
  withoutByteOrderMark,
  ServiceError,
} from '@receipts/kernel';
import { splitLines, splitList } from '../domain/split-batch';

const bytesPerTurnMax = 256 * 1024;
const scanning = new EventLoopBudget(bytesPerTurnMax);

/**
 * The texts of the receipts of a batch, in order.
 * @throws ServiceError 400 `malformed_body`, 422 `too_many` and `schema_validation_failed`
 */
export async function readBatch(body: Buffer, contentType: string | undefined): Promise<readonly Buffer[]> {
  const bytes = withoutByteOrderMark(body);
  if (contentType === ndjsonType) {
    const receipts = await inBodyTurn(bytes.length, () => splitLines(bytes));
    check(receiptList, { receipts });
    return receipts;
  }
  const { texts, outline } = await runInTurns(splitList(bytes), scanning, 0);
  const value = await inBodyTurn(outline.length, () => {
    checkJsonBounds(outline);
    return parseJson(outline);
  });
  for (const text of texts) await inBodyTurn(text.length, () => checkSyntax(text));
  const { receipts } = check(receiptList, value);
  return receipts.map((number) => texts[Number(number)] as Buffer);
}

/** Unlike in NDJSON, a receipt that is not valid JSON makes the whole JSON text invalid. */
function checkSyntax(text: Buffer): void {
  try {
    checkJsonBounds(text);
  } catch (error) {
    // A receipt that is too deeply nested or too long is not parsed. Only this receipt is rejected.
    if (error instanceof ServiceError) return;
    throw error;
  }
  parseJson(text);
}
