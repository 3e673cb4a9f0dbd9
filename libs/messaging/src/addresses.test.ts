import { Addresses, addressesIn } from './addresses';

test.each([
  ['amqp://localhost', ['amqp://localhost']],
  [
    'amqp://u:p@a:5672,b:5673,c/v?heartbeat=9',
    ['a:5672', 'b:5673', 'c'].map((host) => `amqp://u:p@${host}/v?heartbeat=9`),
  ],
  ['amqps://u:a%2Cb@a,b', ['amqps://u:a%2Cb@a', 'amqps://u:a%2Cb@b']],
  ['amqps://u:a,b@a,b', ['amqps://u:a,b@a', 'amqps://u:a,b@b']],
  ['http://u:p@[::1]:15672,[::2]:15672/base', ['http://u:p@[::1]:15672/base', 'http://u:p@[::2]:15672/base']],
  ['amqp://a,,b', ['amqp://a', 'amqp://', 'amqp://b']],
])('finds the addresses in %s', (url, addresses) => {
  expect(addressesIn(url)).toEqual(addresses);
});

const url = 'amqp://a,b,c';

it('begins with each of the addresses in some processes', () => {
  const first = Array.from({ length: 200 }, () => new Addresses(url).current);
  expect(new Set(first)).toEqual(new Set(addressesIn(url)));
});

it('moves on to the next address, and starts again after the last', () => {
  const addresses = new Addresses(url);
  const seen = Array.from({ length: 6 }, () => {
    const { current } = addresses;
    addresses.next();
    return current;
  });
  expect(new Set(seen.slice(0, 3))).toEqual(new Set(addressesIn(url)));
  expect(seen.slice(3)).toEqual(seen.slice(0, 3));
});

it('tries each address once, and remembers the one that works', async () => {
  const addresses = new Addresses(url);
  const tried: string[] = [];
  const work = async (address: string) => {
    tried.push(address);
    if (address !== 'amqp://b') throw new Error(`not at ${address}`);
    return address;
  };
  expect(await addresses.tryEach(work)).toBe('amqp://b');
  expect(addresses.current).toBe('amqp://b');
  tried.length = 0;
  await expect(addresses.tryEach(() => work('amqp://a'))).rejects.toThrow('not at amqp://a');
  expect(tried).toHaveLength(3);
});
