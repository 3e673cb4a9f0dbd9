import { createHash } from 'node:crypto';
import {
  isPhoneNumber,
  mailAddressOf,
  type Channel,
  type Identifier,
  type ReturnedReceipt,
} from '@receipts/contracts';
import { parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js';

/**
 * Only numbers with a plus sign. Other numbers may be loyalty card numbers that happen to be someone else's phone
 * number.
 */
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
 * The address that a receipt is sent to: from the request, otherwise from the receipt, otherwise the identifier if it
 * is an address, otherwise the address stored with the identifier.
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

/** Whether the stored address for the channel is invalid, so that nothing is sent to it. */
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

/** If there is no region, numbers need a plus sign, because their country is unknown. */
function regionOf(locale: string): CountryCode | undefined {
  try {
    return new Intl.Locale(locale.replaceAll('_', '-')).region as CountryCode | undefined;
  } catch {
    // A locale may have the form of a language tag without being one, such as `en_1`.
    return undefined;
  }
}

/**
 * Converts an address to the format that messages are sent to. The domain of an e-mail address is converted to ASCII,
 * for mail servers without support for Unicode. A number is converted to E.164 if possible; without a country code it
 * is interpreted in the locale's region.
 */
export function deliverable(channel: Channel, address: string, locale: string): string {
  if (channel === 'email') return mailAddressOf(address) ?? address;
  const number = parsePhoneNumberFromString(address, regionOf(locale));
  return number?.isPossible() ? number.number : address;
}

/** A normalised address, for comparing and counting addresses. */
export function folded(address: string): string {
  const mail = mailAddressOf(address);
  return mail === undefined ? address.replace(/[ ()./-]/g, '') : mail.toLowerCase();
}

const hashCharacters = 22;

/** The hash by which an address is recognized, however it is spelled. */
export const addressHash = (address: string): string =>
  createHash('sha256').update(folded(address)).digest('base64url').slice(0, hashCharacters);

export function addressFor(channel: Channel, addresses: Addresses): string | null {
  return channel === 'email' ? addresses.email : addresses.phone;
}

/** `j***@example.com`, `+33***89`: enough to recognize a known address, too little to learn an unknown address. */
export function masked(address: string): string {
  const at = address.lastIndexOf('@');
  if (at > 0) return `${address.slice(0, 1)}***${address.slice(at)}`;
  return address.length <= 5 ? '***' : `${address.slice(0, 3)}***${address.slice(-2)}`;
}
