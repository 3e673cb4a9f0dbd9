import { tooManyValidations, type identifierContracts } from '@receipts/contracts';
import { ServiceError, type Handler } from '@receipts/kernel';
import { statusOf } from '../domain/validation';
import type { Parts } from './parts';

const defaultTimeoutSeconds = 6;
/**
 * The maximum number of concurrent validations of one retailer. Each validation may take seconds, and one retailer must
 * not block the others.
 */
const atOnceOfRetailerMax = 24;
const atOnceMax = 72;

/** Validates an e-mail address. */
export function validateIdentifier(
  parts: Pick<Parts, 'provider'>,
): Handler<(typeof identifierContracts)['validateIdentifier']> {
  const running = new Map<string, number>();
  let all = 0;
  return async ({ body: { identifier, timeout = defaultTimeoutSeconds } }, { retailer }) => {
    const ofRetailer = running.get(retailer) ?? 0;
    if (all >= atOnceMax || ofRetailer >= atOnceOfRetailerMax) {
      throw new ServiceError(tooManyValidations, { headers: { 'retry-after': '1' } });
    }
    all++;
    running.set(retailer, ofRetailer + 1);
    try {
      const details = await parts.provider.validate(identifier, AbortSignal.timeout(timeout * 1_000));
      const { did_you_mean: meant } = details;
      return {
        body: {
          status: statusOf(details),
          provider: parts.provider.name,
          suggestions: meant === null ? [] : [meant],
          details,
        },
      };
    } finally {
      all--;
      const left = (running.get(retailer) ?? 1) - 1;
      if (left === 0) running.delete(retailer);
      else running.set(retailer, left);
    }
  };
}
