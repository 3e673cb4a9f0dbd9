import { domainToASCII } from 'node:url';

/** A parsed e-mail address. */
export interface EmailAddress {
  /** As written, because mailboxes may be case-sensitive. */
  readonly user: string;
  /** In lower case, with international names in ASCII (A-labels). */
  readonly domain: string;
}

/** RFC 5321, section 4.5.3.1, in octets; an address of 254 is the longest that fits into a path. */
const userMax = 64;
const domainMax = 255;
const addressMax = 254;
const labelMax = 63;

/** RFC 5321, section 4.1.2: a dot-string, or a quoted string of printable ASCII. */
const dotString = /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+(?:\.[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+)*$/;
const quotedString = /^"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\[\x20-\x7e])*"$/;
const label = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
/**
 * The characters that a domain may have before it is converted. Other characters could be treated as parts of a URL.
 */
const domainCharacters = /^[\p{L}\p{M}\p{N}.-]+$/u;

function readDomain(text: string): string | undefined {
  if (!domainCharacters.test(text)) return undefined;
  const domain = domainToASCII(text.normalize('NFC')).toLowerCase();
  const labels = domain.split('.');
  const isName = labels.every((part) => part.length <= labelMax && label.test(part));
  // If the last label is numeric, the domain is an IPv4 address, which RFC 5321 allows only in brackets.
  if (!isName || labels.length < 2 || /^\d+$/.test(labels.at(-1) ?? '')) return undefined;
  return domain.length <= domainMax ? domain : undefined;
}

/**
 * Parses an address according to RFC 5321, with international domain names. Undefined for invalid addresses, and for
 * comments, addresses in brackets and domains of one label, which cannot be reached on the public network.
 */
export function readEmailAddress(text: string): EmailAddress | undefined {
  const at = text.lastIndexOf('@');
  const user = text.slice(0, Math.max(0, at));
  if (user.length === 0 || user.length > userMax) return undefined;
  if (!dotString.test(user) && !quotedString.test(user)) return undefined;
  const domain = readDomain(text.slice(at + 1));
  if (domain === undefined || user.length + 1 + domain.length > addressMax) return undefined;
  return { user, domain };
}

export function printEmailAddress({ user, domain }: EmailAddress): string {
  return `${user}@${domain}`;
}

/** RFC 2142 and common usage: mailboxes of a role, not of a person. */
const roles = new Set(
  (
    'abuse accounting accounts admin administrator all billing booking bookings careers compliance contact customerservice ' +
    'dev devnull dns enquiries everyone feedback finance ftp hello help helpdesk hostmaster hr info inquiries invoice invoices it ' +
    'jobs kontakt legal list list-request mail mailer-daemon marketing media news newsletter no-reply noc nobody noreply office ' +
    'orders postbox postmaster presse press privacy remove request reservations root sales security service services shop ' +
    'spam staff subscribe support sysadmin tech team undisclosed-recipients unsubscribe usenet uucp vertrieb webmaster welcome www'
  ).split(' '),
);

/** The part after a plus sign is a tag of the same mailbox. */
export function isRole({ user }: EmailAddress): boolean {
  return roles.has((user.toLowerCase().split('+')[0] ?? '').trim());
}
