import { readFileSync } from 'node:fs';
import { withinEdits } from '@receipts/search-language';
import type { DomainFacts } from '../domain/validation';

/** The lists are read, not imported: the compiler would make a type of a hundred thousand names. */
const namesIn = (file: string) => new Set(JSON.parse(readFileSync(file, 'utf8')) as string[]);

const disposable = namesIn(require.resolve('disposable-email-domains/index.json'));
const disposableBelow = namesIn(require.resolve('disposable-email-domains/wildcard.json'));
const providers = namesIn(require.resolve('email-providers/all.json'));
const commonDomains = namesIn(require.resolve('email-providers/common.json'));

/** Where most consumers have their mailboxes, under names long enough that a neighbour is rather a slip than a domain. */
const intended = (
  'gmail.com googlemail.com yahoo.com yahoo.fr yahoo.de yahoo.co.uk hotmail.com hotmail.fr hotmail.de hotmail.co.uk outlook.com ' +
  'outlook.fr outlook.de icloud.com protonmail.com orange.fr wanadoo.fr laposte.net t-online.de comcast.net btinternet.com ' +
  'libero.it yandex.ru'
).split(' ');

/** Providers whose names lie next to those of others. */
const genuine = new Set([...intended, ...commonDomains, 'ymail.com', 'email.com', 'qmail.com', 'hotmail.be']);
/** Two slips are looked for only in names as long as this. */
const twoSlipsLengthMin = 10;

/** True for domains that give a mailbox for minutes to anybody, and for those below them. */
export function isDisposable(domain: string): boolean {
  if (disposable.has(domain)) return true;
  const labels = domain.split('.');
  return labels.some((_label, n) => disposableBelow.has(labels.slice(n).join('.')));
}

/** True for domains that give mailboxes to anybody for good. The providers' list has slips of well-known names as well. */
export function isFree(domain: string): boolean {
  return providers.has(domain) && !isDisposable(domain) && intendedDomain(domain) === null;
}

export function factsOf(domain: string): DomainFacts {
  return { disposable: isDisposable(domain), free: isFree(domain), intended: intendedDomain(domain) };
}

/** The well-known domain that was probably meant; null when the domain is as good as any. */
export function intendedDomain(domain: string): string | null {
  if (genuine.has(domain) || isDisposable(domain)) return null;
  const near = (edits: number) => intended.find((candidate) => withinEdits(domain, candidate, edits));
  return near(1) ?? (domain.length >= twoSlipsLengthMin ? (near(2) ?? null) : null);
}
