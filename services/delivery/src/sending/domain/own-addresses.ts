import {
  consumerMismatch,
  isPhoneNumber,
  mailAddressOf,
  type Identifier,
  type ReturnedReceipt,
} from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { addressesOf, folded, type Addresses, type Overrides } from './addresses';

type Receipt = Pick<ReturnedReceipt, 'identifier' | 'properties'>;

/**
 * A credential restricted to consumers is used by one of them, who may send receipts only to themselves, that is, to
 * their identifiers or to addresses stored with them. The address on the receipt is not accepted as proof, since they
 * may have posted it themselves.
 */
function ownOf(
  consumers: readonly string[],
  receipt: Receipt,
  identifier: Pick<Identifier, 'properties'> | undefined,
): { readonly addresses: Addresses; readonly folded: ReadonlySet<string> } {
  const addresses = addressesOf({ ...receipt, properties: {} }, identifier);
  const known = addressesOf({ identifier: null, properties: {} }, identifier);
  const all = [...consumers, addresses.email, addresses.phone, known.email, known.phone];
  return { addresses, folded: new Set(all.flatMap((one) => (one === null ? [] : [folded(one)]))) };
}

/** @throws ServiceError 403 `consumer_mismatch` for another address */
export function checkOwnAddresses(
  overrides: Overrides,
  consumers: readonly string[],
  receipt: Receipt,
  identifier: Pick<Identifier, 'properties'> | undefined,
): void {
  const own = ownOf(consumers, receipt, identifier).folded;
  const { email_address: email, phone_number: phone } = overrides;
  for (const address of [email, phone]) {
    if (address !== undefined && !own.has(folded(address))) throw new ServiceError(consumerMismatch);
  }
}

/** The consumer's address for a receipt: the address on it is used only if it belongs to the consumer. */
export function ownAddressesOf(
  consumers: readonly string[],
  receipt: Receipt,
  identifier: Pick<Identifier, 'properties'> | undefined,
  overrides: Overrides,
): Addresses {
  const { addresses, folded: own } = ownOf(consumers, receipt, identifier);
  const usable = (value: unknown, is: (text: string) => boolean) =>
    typeof value === 'string' && is(value) && own.has(folded(value)) ? value : null;
  const { email, phone } = receipt.properties;
  return {
    email:
      overrides.email_address ??
      usable(email, (text) => mailAddressOf(text) !== undefined) ??
      addresses.email,
    phone: overrides.phone_number ?? usable(phone, isPhoneNumber) ?? addresses.phone,
  };
}

/** Whether an address is on the receipt, or known as its consumer's. */
export function isOfConsumer(
  address: string,
  receipt: Receipt,
  identifier: Pick<Identifier, 'properties'> | undefined,
): boolean {
  const all = [receipt, { ...receipt, properties: {} }, { identifier: null, properties: {} }]
    .map((each) => addressesOf(each, identifier))
    .flatMap(({ email, phone }) => [email, phone]);
  return all.some((one) => one !== null && folded(one) === folded(address));
}
