import { domainToASCII } from 'node:url';

/** RFC 5321, section 4.5.3.1, in octets; an address of 254 is the longest that fits into a path. */
const localMax = 64;
const addressMax = 254;
const labelMax = 63;

/** RFC 5321, section 4.1.2: a dot-string. Quoted strings are how one address is made to look like another. */
const dotString = /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+(?:\.[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+)*$/;
const ldhLabel = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
/** What may stand in a domain before it is converted: nothing that a URL parser would decode or cut off. */
const domainCharacters = /^[\p{L}\p{M}\p{N}.-]+$/u;

function asciiDomain(text: string): string | undefined {
  if (!domainCharacters.test(text)) return undefined;
  const domain = domainToASCII(text.normalize('NFC')).toLowerCase();
  const labels = domain.split('.');
  const isName = labels.every((label) => label.length <= labelMax && ldhLabel.test(label));
  // A last label of digits is an IPv4 address, and a single label is a machine of the mail server's own network.
  const isPublic = labels.length > 1 && !/^\d+$/.test(labels.at(-1) ?? '');
  return isName && isPublic ? domain : undefined;
}

/**
 * An e-mail address as mail servers take it: its domain in ASCII (A-labels) and small letters, its mailbox as it was
 * written. Undefined for whatever is not exactly one address: lists, names, comments, quoting, blanks, control
 * characters, addresses in brackets.
 */
export function mailAddressOf(text: string): string | undefined {
  if (text.length > addressMax) return undefined;
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(0, at));
  if (local.length > localMax || !dotString.test(local)) return undefined;
  const domain = asciiDomain(text.slice(at + 1));
  const address = `${local}@${domain}`;
  return domain !== undefined && address.length <= addressMax ? address : undefined;
}

/** As people write numbers, with six to fifteen digits (E.164). */
const phonePattern = /^(?=(\D*\d){6,15}\D*$)\+?[0-9 ()./-]{6,24}$/;

export function isPhoneNumber(text: string): boolean {
  return phonePattern.test(text);
}
