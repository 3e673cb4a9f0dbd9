import { mappedReceipt, type PostedReceipt } from '@receipts/contracts';
import { compileFastCheck, faultsMax, faultsOf, hasOnlyFiniteNumbers, parseBounded } from '@receipts/kernel';
import { faultOf, type ConversionFault } from './faults/conversion-fault';

export interface CheckedReceipts {
  readonly receipts: readonly PostedReceipt[];
  readonly faults: readonly ConversionFault[];
}

const accepts = compileFastCheck(mappedReceipt);

/**
 * Validates the receipts of a mapping as if they had been posted. The path of an error begins with the index of its
 * receipt.
 */
export function checkReceipts(given: readonly unknown[]): CheckedReceipts {
  const receipts: PostedReceipt[] = [];
  const faults: ConversionFault[] = [];
  given.forEach((receipt, index) => {
    if (accepts(receipt)) return void receipts.push(receipt as PostedReceipt);
    const result = parseBounded(mappedReceipt, receipt);
    if (result.success && hasOnlyFiniteNumbers(receipt)) receipts.push(result.data);
    else if (result.success)
      faults.push(faultOf(`/${index}`, 'invalid_number', 'has a number that is not finite'));
    else {
      for (const { path, code, message } of faultsOf(result.error)) {
        faults.push(faultOf(`/${index}${path}`, code, message));
      }
    }
  });
  return { receipts, faults: faults.slice(0, faultsMax) };
}
