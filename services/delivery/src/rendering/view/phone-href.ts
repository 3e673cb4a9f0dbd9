import { parsePhoneNumberFromString } from 'libphonenumber-js';

/** Digits with the usual separators. Anything else, such as letters or a second number, cannot be dialled. */
const localNumber = /^[\d\s()./-]+$/;
/** The shortest emergency numbers, and the longest number (ITU-T E.164). */
const localDigits = { min: 3, max: 15 };

/**
 * The link that calls a number (RFC 3966); null if the number cannot be dialled as it is written. The zero of
 * `+44 (0)20 …` is dialled only within the country.
 */
export function phoneHref(phone: string): string | null {
  if (phone.startsWith('+')) {
    const number = parsePhoneNumberFromString(phone);
    return number?.isPossible() ? number.getURI() : null;
  }
  if (!localNumber.test(phone)) return null;
  const digits = phone.replace(/\D/g, '');
  return digits.length < localDigits.min || digits.length > localDigits.max ? null : `tel:${digits}`;
}
