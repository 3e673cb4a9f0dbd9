import { mappedReceipt, type PostedReceipt } from '@receipts/contracts';
import { compileFastCheck, faultsMax, faultsOf, hasOnlyFiniteNumbers, parseBounded } from '@receipts/kernel';
import { faultOf, inPart, type ConversionFault } from './faults/conversion-fault';

export interface CheckedReceipts {
  readonly receipts: readonly PostedReceipt[];
  readonly faults: readonly ConversionFault[];
}

const accepts = compileFastCheck(mappedReceipt);

/**
 * Validates the receipts of a mapping as if they had been posted. The path of an error begins with the index of its
 * receipt.
 * @param parts the part of each receipt; by default there is one part
 */
export function checkReceipts(given: readonly unknown[], parts: readonly number[] = []): CheckedReceipts {
  const receipts: PostedReceipt[] = [];
  const faults: ConversionFault[] = [];
  given.forEach((receipt, index) => {
    const add = (path: string, code: string, message: string) =>
      faults.push(inPart(faultOf(`/${index}${path}`, code, message), parts[index] ?? 0));
    if (accepts(receipt)) return void receipts.push(receipt as PostedReceipt);
    const result = parseBounded(mappedReceipt, receipt);
    if (result.success && hasOnlyFiniteNumbers(receipt)) receipts.push(result.data);
    else if (result.success) add('', 'invalid_number', 'has a number that is not finite');
    else for (const { path, code, message } of faultsOf(result.error)) add(path, code, message);
  });
  return { receipts, faults: faults.slice(0, faultsMax) };
}
