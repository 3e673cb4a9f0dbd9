import { ServiceError } from '@receipts/kernel';
import { checkOwnAddresses, isOfConsumer, ownAddressesOf } from './own-addresses';

const receipt = { identifier: '990000000001', properties: { email: 'Till@Example.com' } };
const identifier = { properties: { email: 'jane@example.com', phone: '+33612345678' } };
const outcome = (overrides: Parameters<typeof checkOwnAddresses>[0], consumers = ['990000000001']) => {
  try {
    checkOwnAddresses(overrides, consumers, receipt, identifier);
    return 'sent';
  } catch (error) {
    return error instanceof ServiceError ? error.code : error;
  }
};

it.each([
  ['no address', 'sent', {}],
  ['the address on the receipt', 'consumer_mismatch', { email_address: 'till@example.com' }],
  ['the address of the identifier', 'sent', { email_address: 'jane@example.com' }],
  ['the number of the identifier', 'sent', { phone_number: '+33612345678' }],
  ["someone else's address", 'consumer_mismatch', { email_address: 'john@example.com' }],
  ["someone else's number", 'consumer_mismatch', { phone_number: '+33600000000' }],
  ['one of each', 'consumer_mismatch', { email_address: 'jane@example.com', phone_number: '+33600000000' }],
])('a request with %s results in %s', (_what, expected, overrides) => {
  expect(outcome(overrides)).toBe(expected);
});

it('accepts an identifier that is an address', () => {
  const consumers = ['990000000001', 'other@example.com'];
  expect(outcome({ email_address: 'other@example.com' }, consumers)).toBe('sent');
});

describe('an address on the receipt', () => {
  const whereTo = (properties: object, consumers: readonly string[], identifierProperties = {}) =>
    ownAddressesOf(
      consumers,
      { identifier: '990000000001', properties: properties as never },
      { properties: identifierProperties },
      {},
    );

  it('is not trusted, because the consumer may have provided it', () => {
    const properties = { email: 'john@example.com', phone: '+33600000000' };
    expect(whereTo(properties, ['990000000001'])).toEqual({ email: null, phone: null });
    expect(whereTo(properties, ['990000000001'], identifier.properties)).toEqual(identifier.properties);
  });

  it('is used if it belongs to the consumer', () => {
    expect(whereTo({ email: 'Second@example.com' }, ['990000000001', 'second@example.com'])).toEqual({
      email: 'Second@example.com',
      phone: null,
    });
  });

  it('is ignored if it is not valid', () => {
    const noAddress = 'jane@example.com\0john@example.com';
    expect(whereTo({ email: noAddress }, ['990000000001', noAddress]).email).toBeNull();
  });
});

it.each([
  ['on the receipt, in other letters', 'TILL@example.com', true],
  ['of the identifier', 'jane@example.com', true],
  ['of the identifier, with spaces', '+33 6 12 34 56 78', true],
  ['of someone else', 'john@example.com', false],
])('an address %s: %s', (_what, address, expected) => {
  expect(isOfConsumer(address, receipt, identifier)).toBe(expected);
});
