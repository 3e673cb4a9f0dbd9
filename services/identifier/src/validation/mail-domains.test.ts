import { intendedDomain, isDisposable, isFree } from './mail-domains';

it.each([
  ['gamil.com', 'gmail.com'],
  ['gmial.com', 'gmail.com'],
  ['gmail.con', 'gmail.com'],
  ['gmail.co', 'gmail.com'],
  ['hotmial.com', 'hotmail.com'],
  ['hotnail.con', 'hotmail.com'],
  ['yahooo.com', 'yahoo.com'],
  ['outlok.com', 'outlook.com'],
  ['orange.ft', 'orange.fr'],
])('for %s, suggests %s', (domain, meant) => expect(intendedDomain(domain)).toBe(meant));

it.each([
  'gmail.com',
  'ymail.com',
  'email.com',
  'mail.com',
  'gmx.de',
  'example.com',
  'receipts.shop',
  'mailinator.com',
])('has no suggestion for %s', (domain) => expect(intendedDomain(domain)).toBeNull());

it('recognizes disposable domains and their subdomains', () => {
  expect(['mailinator.com', '33mail.com', 'x.33mail.com'].map(isDisposable)).toEqual([true, true, true]);
  expect(['gmail.com', 'example.org', 'notmailinator.example'].map(isDisposable)).toEqual([
    false,
    false,
    false,
  ]);
});

it('recognizes free domains', () => {
  expect(['gmail.com', 'orange.fr', 'web.de'].map(isFree)).toEqual([true, true, true]);
  expect(['mailinator.com', 'gamil.com', 'bundestag.de'].map(isFree)).toEqual([false, false, false]);
});
