import type { IncomingMessage } from 'node:http';
import { callerAddress, networkOf } from './caller-address';

const requestWith = (forwarded: string | undefined) =>
  ({
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    socket: { remoteAddress: '10.0.0.1' },
  }) as unknown as IncomingMessage;

describe('callerAddress', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['192.0.2.7:51234', '192.0.2.7'],
    ['[2001:db8::7]:51234', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['2001:db8::7', '2001:db8::7'],
    ['198.51.100.1, 192.0.2.7:51234', '192.0.2.7'],
    ['198.51.100.1,[2001:db8::7]:1', '2001:db8::7'],
    ['unknown', '10.0.0.1'],
    ['192.0.2.7:', '10.0.0.1'],
    ['192.0.2', '10.0.0.1'],
    ['[192.0.2.7', '10.0.0.1'],
    ['', '10.0.0.1'],
    [undefined, '10.0.0.1'],
  ])('reads %p as %s', (forwarded, address) => {
    expect(callerAddress(requestWith(forwarded), 1)).toBe(address);
  });

  it('believes only the entries of trusted proxies', () => {
    const forwarded = '203.0.113.9, 192.0.2.7:1, 198.51.100.1:2';
    expect([0, 1, 2, 3, 4].map((proxies) => callerAddress(requestWith(forwarded), proxies))).toEqual([
      '10.0.0.1',
      '198.51.100.1',
      '192.0.2.7',
      '203.0.113.9',
      '10.0.0.1',
    ]);
  });
});

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
  ['::1', '::/64'],
  ['fe80::1%eth0', 'fe80::/64'],
  ['', ''],
])('counts %p as %p', (address, network) => expect(networkOf(address)).toBe(network));
