import { tooManyValidations, type identifierContracts } from '@receipts/contracts';
import { RetailerLimiter } from '@receipts/concurrency';
import { type Handler, retrySoon } from '@receipts/kernel';
import { statusOf } from '../domain/validation';
import type { Dependencies } from './dependencies';

const defaultTimeoutSeconds = 6;
/**
 * The maximum number of concurrent validations of one retailer. Each validation may take seconds, and one retailer must
 * not block the others.
 */
const atOnceOfRetailerMax = 24;
const atOnceMax = 72;
const everyone = '';

/** Validates an e-mail address. */
export function validateIdentifier({
  provider,
}: Pick<Dependencies, 'provider'>): Handler<(typeof identifierContracts)['validateIdentifier']> {
  const limits = { waitingMax: 0, refuse: (internal: string) => retrySoon(tooManyValidations, { internal }) };
  const ofRetailer = new RetailerLimiter({ ...limits, runningMax: atOnceOfRetailerMax });
  const ofAll = new RetailerLimiter({ ...limits, runningMax: atOnceMax });
  return async ({ body: { identifier, timeout = defaultTimeoutSeconds } }, { retailer }) => {
    const validate = () => provider.validate(identifier, AbortSignal.timeout(timeout * 1_000));
    const details = await ofRetailer.run(retailer, 0, () => ofAll.run(everyone, 0, validate));
    const { did_you_mean: meant } = details;
    return {
      body: {
        status: statusOf(details),
        provider: provider.name,
        suggestions: meant === null ? [] : [meant],
        details,
      },
    };
  };
}
