import {
  mailPattern,
  phonePattern,
  type Channel,
  type Identifier,
  type ReturnedReceipt,
} from '@receipts/contracts';

/** Without the plus a number that is an identifier may as well be that of a loyalty card, and a stranger's telephone. */
const phoneIdentifierPattern = /^\+[0-9]{6,15}$/;

export interface Overrides {
  readonly email_address?: string | undefined;
  readonly phone_number?: string | undefined;
}

export interface Addresses {
  readonly email: string | null;
  readonly phone: string | null;
}

const textIn = (properties: Readonly<Record<string, unknown>> | undefined, key: string): string | null => {
  const value = properties?.[key];
  return typeof value === 'string' && value !== '' ? value : null;
};

const matching = (text: string | null, pattern: RegExp): string | null =>
  text !== null && pattern.test(text) ? text : null;

/**
 * Where a receipt would go: what the request overrides, else the address on the receipt, else the identifier itself
 * when it is an address, else what is known of the identifier.
 */
export function addressesOf(
  receipt: Pick<ReturnedReceipt, 'identifier' | 'properties'>,
  identifier: Pick<Identifier, 'properties'> | undefined,
  overrides: Overrides = {},
): Addresses {
  const properties = receipt.properties;
  return {
    email:
      overrides.email_address ??
      matching(textIn(properties, 'email'), mailPattern) ??
      matching(receipt.identifier, mailPattern) ??
      matching(textIn(identifier?.properties, 'email'), mailPattern),
    phone:
      overrides.phone_number ??
      matching(textIn(properties, 'phone'), phonePattern) ??
      matching(receipt.identifier, phoneIdentifierPattern) ??
      matching(textIn(identifier?.properties, 'phone'), phonePattern),
  };
}

export function addressFor(channel: Channel, addresses: Addresses): string | null {
  return channel === 'email' ? addresses.email : addresses.phone;
}

/** `j***@example.com`, `+33***89`: enough to recognise one's own, too little to learn another's. */
export function masked(address: string): string {
  const at = address.lastIndexOf('@');
  if (at > 0) return `${address.slice(0, 1)}***${address.slice(at)}`;
  return address.length <= 5 ? '***' : `${address.slice(0, 3)}***${address.slice(-2)}`;
}
