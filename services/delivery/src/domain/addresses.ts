import {
  isPhoneNumber,
  mailAddressOf,
  type Channel,
  type Identifier,
  type ReturnedReceipt,
} from '@receipts/contracts';
import { parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js';

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

const isMailAddress = (text: string) => mailAddressOf(text) !== undefined;
const isPhoneIdentifier = (text: string) => phoneIdentifierPattern.test(text);

const valid = (text: string | null, is: (text: string) => boolean): string | null =>
  text !== null && is(text) ? text : null;

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
      valid(textIn(properties, 'email'), isMailAddress) ??
      valid(receipt.identifier, isMailAddress) ??
      valid(textIn(identifier?.properties, 'email'), isMailAddress),
    phone:
      overrides.phone_number ??
      valid(textIn(properties, 'phone'), isPhoneNumber) ??
      valid(receipt.identifier, isPhoneIdentifier) ??
      valid(textIn(identifier?.properties, 'phone'), isPhoneNumber),
  };
}

/** Whether something was written down as an address of a channel that is none, so that nothing is sent to it. */
export function hasInvalidAddress(
  channel: Channel,
  receipt: Pick<ReturnedReceipt, 'properties'>,
  identifier: Pick<Identifier, 'properties'> | undefined,
): boolean {
  const [key, is] =
    channel === 'email' ? (['email', isMailAddress] as const) : (['phone', isPhoneNumber] as const);
  return [receipt.properties, identifier?.properties].some((properties) => {
    const text = textIn(properties, key);
    return text !== null && !is(text);
  });
}

/** A language without a region has numbers of no country, which are then told by their plus sign alone. */
const regionOf = (locale: string) =>
  new Intl.Locale(locale.replaceAll('_', '-')).region as CountryCode | undefined;

/**
 * As it is sent to. The domain of an e-mail address is in ASCII, for mail servers that know no other. A number is in E.164
 * where it can be one; without a country's code it is of the region of the locale.
 */
export function deliverable(channel: Channel, address: string, locale: string): string {
  if (channel === 'email') return mailAddressOf(address) ?? address;
  const number = parsePhoneNumberFromString(address, regionOf(locale));
  return number?.isPossible() ? number.number : address;
}

/** What makes two spellings the same address, for whoever compares or counts. */
export function folded(address: string): string {
  const mail = mailAddressOf(address);
  return mail === undefined ? address.replace(/[ ()./-]/g, '') : mail.toLowerCase();
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
