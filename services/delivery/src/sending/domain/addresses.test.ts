import { identifierOf, receiptOf } from '../../testing/samples';
import { addressesOf, deliverable, hasInvalidAddress, masked } from './addresses';

const known = identifierOf({ email: 'known@example.com', phone: '+44 20 7946 0000' });

describe('the address', () => {
  it('is the address in the request, if any', () => {
    const receipt = receiptOf({ identifier: 'own@example.com', properties: { email: 'on@example.com' } });
    const overrides = { email_address: 'given@example.com', phone_number: '0123456789' };
    expect(addressesOf(receipt, known, overrides)).toEqual({
      email: 'given@example.com',
      phone: '0123456789',
    });
  });

  it('is otherwise the address on the receipt, then the identifier, then a stored address', () => {
    const properties = { email: 'on@example.com', phone: '01 23 45 67 89' };
    expect(addressesOf(receiptOf({ identifier: 'own@example.com', properties }), known)).toEqual({
      email: 'on@example.com',
      phone: '01 23 45 67 89',
    });
    expect(addressesOf(receiptOf({ identifier: 'own@example.com' }), known).email).toBe('own@example.com');
    expect(addressesOf(receiptOf({ identifier: '+33612345678' }), known)).toEqual({
      email: 'known@example.com',
      phone: '+33612345678',
    });
    expect(addressesOf(receiptOf({ identifier: '4711' }), known)).toEqual({
      email: 'known@example.com',
      phone: '+44 20 7946 0000',
    });
    expect(addressesOf(receiptOf(), undefined)).toEqual({ email: null, phone: null });
  });

  it('is never the number of a loyalty card', () => {
    expect(addressesOf(receiptOf({ identifier: '990000000001' }), undefined).phone).toBeNull();
  });

  it.each([
    '',
    'nobody',
    '@example.com',
    'a@',
    'a b@example.com',
    'a@b@c',
    'a@example.com,b@example.com',
    'a@example.com\r\nBcc: b@example.com',
    '<a@example.com>',
    'Jane (a@example.com)',
    'a\u0000b@example.com',
    '"a\u0000b"@example.com',
    'a@example.com.',
    'a@example..com',
  ])('is not "%s"', (email) => {
    expect(
      addressesOf(receiptOf({ identifier: email, properties: { email } }), identifierOf({ email })).email,
    ).toBeNull();
  });

  it.each(['', '123', '------', '1234567890123456', '+33 6 12 34 56 78 x', 'call me'])(
    'does not treat "%s" as a phone number',
    (phone) => {
      const receipt = receiptOf({ identifier: phone, properties: { phone } });
      expect(addressesOf(receipt, identifierOf({ phone })).phone).toBeNull();
    },
  );
});

it.each([
  ['jane@example.com', 'j***@example.com'],
  ['+33612345689', '+33***89'],
  ['12345', '***'],
])('masks %s as %s', (address, hint) => expect(masked(address)).toBe(hint));

it('reports a stored value that is not an address', () => {
  const of = (email: unknown, known?: unknown) =>
    hasInvalidAddress('email', receiptOf({ properties: { email } as never }), identifierOf({ email: known }));
  expect(of('a@example.com.')).toBe(true);
  expect(of('a@example.com', 'nobody')).toBe(true);
  expect(of('a@example.com')).toBe(false);
  expect(of(undefined)).toBe(false);
});

it('converts an e-mail domain to ASCII, and a number to E.164 if possible', () => {
  expect(deliverable('email', 'Jane@MÜLLER.example', 'en_GB')).toBe('Jane@xn--mller-kva.example');
  expect(deliverable('sms', '+33 6', 'en_GB')).toBe('+33 6');
  expect(deliverable('sms', '+33 6 12.34-56 78', 'en_GB')).toBe('+33612345678');
  expect(deliverable('whatsapp', '07700 900123', 'en_GB')).toBe('+447700900123');
  expect(deliverable('whatsapp', '06 12 34 56 78', 'fr_FR')).toBe('+33612345678');
  expect(deliverable('sms', '06 12 34 56 78', 'fr')).toBe('06 12 34 56 78');
});

it.each(['en_1', 'abcd', 'de_a', 'en_GB_GB', 'es_419'])(
  'accepts the locale %s, which has no country',
  (locale) => {
    expect(deliverable('sms', '06 12 34 56 78', locale)).toBe('06 12 34 56 78');
    expect(deliverable('sms', '+33 6 12 34 56 78', locale)).toBe('+33612345678');
  },
);
