import { ServiceError } from '@receipts/kernel';
import { checkOwnAddresses } from './own-addresses';

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
  ['nothing of its own', {}, 'sent'],
  ['the address on the receipt', { email_address: 'till@example.com' }, 'sent'],
  ['the address of the identifier', { email_address: 'jane@example.com' }, 'sent'],
  ['the number of the identifier', { phone_number: '+33612345678' }, 'sent'],
  ['an address of somebody else', { email_address: 'john@example.com' }, 'consumer_mismatch'],
  ['a number of somebody else', { phone_number: '+33600000000' }, 'consumer_mismatch'],
  ['one of each', { email_address: 'jane@example.com', phone_number: '+33600000000' }, 'consumer_mismatch'],
])('a request that names %s', (_what, overrides, expected) => {
  expect(outcome(overrides)).toBe(expected);
});

it('an identifier of the consumer can be an address', () => {
  const consumers = ['990000000001', 'other@example.com'];
  expect(outcome({ email_address: 'other@example.com' }, consumers)).toBe('sent');
});
