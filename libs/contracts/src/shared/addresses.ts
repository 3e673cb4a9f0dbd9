import { domainToASCII } from 'node:url';

/** Limits in octets (RFC 5321, section 4.5.3.1). 254 is the longest address that fits in a path. */
const localMax = 64;
const addressMax = 254;
const labelMax = 63;

/**
 * A dot-string (RFC 5321, section 4.1.2). Quoted strings are not allowed, because they can make one address look like
 * another.
 */
const dotString = /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+(?:\.[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+)*$/;
const ldhLabel = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
/** Characters that a URL parser neither decodes nor treats as the end of the domain. */
const domainCharacters = /^[\p{L}\p{M}\p{N}.-]+$/u;

function asciiDomain(text: string): string | undefined {
  if (!domainCharacters.test(text)) return undefined;
  const domain = domainToASCII(text.normalize('NFC')).toLowerCase();
  const labels = domain.split('.');
  const isName = labels.every((label) => label.length <= labelMax && ldhLabel.test(label));
  // If the last label consists of digits, it is an IPv4 address. A single label is a host in the mail server's own
  // network.
  const isPublic = labels.length > 1 && !/^\d+$/.test(labels.at(-1) ?? '');
  return isName && isPublic ? domain : undefined;
}

/**
 * Normalizes an e-mail address: the domain in ASCII (A-labels) and lower case, the local part unchanged. Undefined
 * unless the text is exactly one address, without a display name, comments, quoting, whitespace, control characters or
 * brackets.
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

/** Common notations of phone numbers, with six to fifteen digits (E.164). */
const phonePattern = /^(?=(\D*\d){6,15}\D*$)\+?[0-9 ()./-]{6,24}$/;

export function isPhoneNumber(text: string): boolean {
  return phonePattern.test(text);
}
