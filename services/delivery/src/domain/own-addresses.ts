import { consumerMismatch, type Identifier, type ReturnedReceipt } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { addressesOf, folded, type Overrides } from './addresses';

/**
 * A credential that is confined to consumers lies in the hands of one of them, who may send a receipt to no one else: to
 * their identifiers, what is known of them, or where it would go anyway.
 * @throws ServiceError 403 `consumer_mismatch`
 */
export function checkOwnAddresses(
  overrides: Overrides,
  consumers: readonly string[],
  receipt: Pick<ReturnedReceipt, 'identifier' | 'properties'>,
  identifier: Pick<Identifier, 'properties'> | undefined,
): void {
  const usual = addressesOf(receipt, identifier);
  const known = addressesOf({ identifier: null, properties: {} }, identifier);
  const own = new Set(
    [...consumers, usual.email, usual.phone, known.email, known.phone].flatMap((address) =>
      address === null ? [] : [folded(address)],
    ),
  );
  const { email_address: email, phone_number: phone } = overrides;
  for (const address of [email, phone]) {
    if (address !== undefined && !own.has(folded(address))) throw new ServiceError(consumerMismatch);
  }
}
