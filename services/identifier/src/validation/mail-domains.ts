import { readFileSync } from 'node:fs';
import { withinEdits } from '@receipts/search-language';
import type { DomainFacts } from '../domain/validation';

/** The lists are read instead of imported, because the compiler would infer a type with a hundred thousand names. */
const namesIn = (file: string) => new Set(JSON.parse(readFileSync(file, 'utf8')) as string[]);

const disposable = namesIn(require.resolve('disposable-email-domains/index.json'));
const disposableBelow = namesIn(require.resolve('disposable-email-domains/wildcard.json'));
const providers = namesIn(require.resolve('email-providers/all.json'));
const commonDomains = namesIn(require.resolve('email-providers/common.json'));

/** Common mail domains with names so long that a similar name is more likely a typing error than a separate domain. */
const intended = (
  'gmail.com googlemail.com yahoo.com yahoo.fr yahoo.de yahoo.co.uk hotmail.com hotmail.fr hotmail.de hotmail.co.uk outlook.com ' +
  'outlook.fr outlook.de icloud.com protonmail.com orange.fr wanadoo.fr laposte.net t-online.de comcast.net btinternet.com ' +
  'libero.it yandex.ru'
).split(' ');

/** Existing providers whose names are similar to those of others. */
const genuine = new Set([...intended, ...commonDomains, 'ymail.com', 'email.com', 'qmail.com', 'hotmail.be']);
/** Two typing errors are only considered in names of at least this length. */
const twoTyposLengthMin = 10;

/** True for domains that offer temporary mailboxes to anyone, and for their subdomains. */
export function isDisposable(domain: string): boolean {
  if (disposable.has(domain)) return true;
  const labels = domain.split('.');
  return labels.some((_label, n) => disposableBelow.has(labels.slice(n).join('.')));
}

/**
 * True for domains that offer permanent mailboxes to anyone. The list also contains misspellings of well-known names.
 */
export function isFree(domain: string): boolean {
  return providers.has(domain) && !isDisposable(domain) && intendedDomain(domain) === null;
}

export function factsOf(domain: string): DomainFacts {
  return { disposable: isDisposable(domain), free: isFree(domain), intended: intendedDomain(domain) };
}

/** The well-known domain that was probably meant; null if there is none. */
export function intendedDomain(domain: string): string | null {
  if (genuine.has(domain) || isDisposable(domain)) return null;
  const near = (edits: number) => intended.find((candidate) => withinEdits(domain, candidate, edits));
  return near(1) ?? (domain.length >= twoTyposLengthMin ? (near(2) ?? null) : null);
}
