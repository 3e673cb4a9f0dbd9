import { portalEmailOf, portalEmailPattern } from './portal-user';

it.each([
  'jo@demo.example',
  "Jo.O'Neil+till_1@mail.demo.example",
  'jö@bücher.example',
  `${'a'.repeat(64)}@demo.example`,
  'a@1.2-3.example',
])('%s is an address', (address) => expect(portalEmailPattern.test(address)).toBe(true));

it.each([
  '',
  'jo',
  '@demo.example',
  'jo@',
  'jo@demo',
  'jo@@demo.example',
  '.jo@demo.example',
  'jo.@demo.example',
  'j..o@demo.example',
  'jo@demo..example',
  'jo@-demo.example',
  'jo@demo.example.',
  'jo @demo.example',
  'jo@demo.example\r\nBcc: x@y.example',
  'jo\u0000@demo.example',
  'jo\u202e@demo.example',
  '"jo"@demo.example',
  'jo@demo.example,al@demo.example',
  '<jo@demo.example>',
  'jo@[127.0.0.1]',
  'jo@demo.example/..',
  `${'a'.repeat(65)}@demo.example`,
  `jo@${'a'.repeat(64)}.example`,
  `jo@${'a.'.repeat(130)}example`,
])('%j is not an address', (address) => expect(portalEmailPattern.test(address)).toBe(false));

it('takes bounded time for hostile input', () => {
  const begun = performance.now();
  for (const hostile of [
    'a.'.repeat(127),
    `a@${'a-'.repeat(126)}`,
    `${'a'.repeat(63)}@${'a.'.repeat(90)}!`,
  ]) {
    expect(portalEmailPattern.test(hostile)).toBe(false);
  }
  expect(performance.now() - begun).toBeLessThan(10_000);
});

it('compares addresses regardless of case and Unicode composition', () => {
  expect(portalEmailOf('JO.MU\u0308LLER@Demo.Example')).toBe('jo.müller@demo.example');
});
