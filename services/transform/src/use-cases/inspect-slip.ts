import type { inspectSlip as contract } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { listSlip } from '../domain/decode/escpos-listing';

const inspectedBytesMax = 64 * 1024;

/** Lists the text and commands of a slip. */
export function inspectSlip(): Handler<typeof contract> {
  return async ({ body }) => {
    const bytes = Buffer.from(body.input_base64, 'base64');
    const { parts, isWhole } = listSlip(bytes.subarray(0, inspectedBytesMax));
    return { body: { parts, is_whole: isWhole && bytes.length <= inspectedBytesMax } };
  };
}
