import { isPhoneNumber, mailAddressOf } from './addresses';

it.each([
  ['joe.smith@example.com', 'joe.smith@example.com'],
  ['Joe+tag@EXAMPLE.com', 'Joe+tag@example.com'],
  ["o'neill/x=1@example.co.uk", "o'neill/x=1@example.co.uk"],
  ['joe@MÜLLER.example', 'joe@xn--mller-kva.example'],
  ['joe@例え.jp', 'joe@xn--r8jz45g.jp'],
  [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
  [`a@${'b'.repeat(63)}.example`, `a@${'b'.repeat(63)}.example`],
])('%s is an address', (text, address) => expect(mailAddressOf(text)).toBe(address));

it.each([
  '',
  '@',
  'joe',
  'joe@',
  '@example.com',
  'joe@example',
  'joe@example..com',
  'joe@.example.com',
  'joe@example.com.',
  'joe@-example.com',
  'joe@example-.com',
  'joe@exam_ple.com',
  'joe@1.2.3.4',
  'joe@[1.2.3.4]',
  'joe@example.com/x',
  'joe@example.com:25',
  'joe@exa%6dple.com',
  '.joe@example.com',
  'joe.@example.com',
  'jo..e@example.com',
  'joe smith@example.com',
  ' joe@example.com',
  'joe@example.com ',
  'joe@example.com\n',
  'joe@example.com\r\nBcc: al@example.com',
  'a\u0000b@x.example',
  '"a\u0000b"@x.example',
  '"joe"@example.com',
  'jo\u202ee@example.com',
  'joe@exam\u0000ple.com',
  'joe@exam\u00adple.com',
  'joé@example.com',
  'a@b@example.com',
  'joe@example.com,al@example.com',
  'joe(comment)@example.com',
  'joe@example.com(comment)',
  'Joe <joe@example.com>',
  `${'a'.repeat(65)}@example.com`,
  `joe@${'a'.repeat(64)}.com`,
  `joe@${'a.'.repeat(126)}com`,
  // Its A-labels are longer than the written form.
  `joe@${'ü.'.repeat(100)}example`,
])('%j is not an address', (text) => expect(mailAddressOf(text)).toBeUndefined());

it.each(['+33 6 12 34 56 78', '0123456789', '(020) 7946-0000'])('%s is a phone number', (text) =>
  expect(isPhoneNumber(text)).toBe(true),
);

it.each([
  '',
  '123',
  '------',
  '1234567890123456',
  '+33 6 12 34 56 78 x',
  '+33612345678\n',
  '+336\u000012345678',
])('%j is not a phone number', (text) => expect(isPhoneNumber(text)).toBe(false));
